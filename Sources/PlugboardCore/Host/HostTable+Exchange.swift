import CPlugboard
import PlugboardBorder

extension HostTable {
    static func setExchange(_ table: inout plug_host_v1) {
        table.visit = { ExchangeCore.from($0)?.steering.visit.rawValue ?? PLUG_VISIT_FIRST }
        table.exchange_id = { ExchangeCore.from($0)?.number ?? 0 }
        table.attempt = { UInt32(clamping: ExchangeCore.with($0) { $0.attempts.count } ?? 0) }
        table.request = { ExchangeCore.with($0) { $0.pointer(.request) } }
        table.response = { ExchangeCore.with($0) { $0.response == nil ? nil : $0.pointer(.response) } }
        table.failure = { pointer, code, reason in
            guard let exchange = ExchangeCore.from(pointer), let failure = exchange.failure else {
                return PLUG_WRONG_TIME
            }
            code?.pointee = exchange.scratch.text(failure.code.name)
            reason?.pointee = exchange.scratch.text(failure.reason)
            return PLUG_OK
        }
        table.can_resend = { pointer in steering(pointer)?.canResend == true ? PLUG_OK : PLUG_WRONG_TIME }
        table.resolve_url = { pointer, reference in
            guard let exchange = ExchangeCore.from(pointer),
                let url = URLParts.resolve(reference.string, against: exchange.request.head.url)
            else { return plug_text() }
            return exchange.scratch.text(url)
        }
        setFacts(&table)
        setAttributes(&table)
        setStates(&table)
    }

    /// What a plugin needs to send the request again later, and to keep responses of different routes apart.
    private static func setFacts(_ table: inout plug_host_v1) {
        table.sender = { pointer in
            ExchangeCore.with(pointer) { exchange in
                exchange.family.sender.map { exchange.scratch.text(exchange.pipeline.slots[$0].id) }
            } ?? plug_text()
        }
        table.option_at = { pointer, index, option, flags in
            guard let exchange = ExchangeCore.from(pointer) else { return PLUG_BAD_ARGUMENT }
            guard let stored = exchange.request.head.storedOptions else { return PLUG_NOT_FOUND }
            let texts = exchange.scratch.options(isFirst: index == 0) { stored.options.texts }
            guard index < texts.count else { return PLUG_NOT_FOUND }
            let found = texts[Int(index)]
            option?.pointee = plug_field(
                name: exchange.scratch.text(found.name), value: exchange.scratch.text(found.value))
            flags?.pointee = RequestOptions.isSecret(found.name, found.value) ? PLUG_FLAG_SECRET : 0
            return PLUG_OK
        }
        table.route = { pointer, flags in
            ExchangeCore.with(pointer) { exchange in
                flags?.pointee = 0
                // The most frequent case, without a copy of the request.
                if exchange.core.routes.areDirect, exchange.request.head.storedOptions == nil { return nil }
                let route = exchange.core.routes.route(of: exchange.request.head)
                flags?.pointee = route.flags
                return route.text.isEmpty ? nil : exchange.scratch.text(route.text)
            } ?? plug_text()
        }
        table.own_routes = { pointer in
            ExchangeCore.with(pointer) { exchange in
                guard let options = exchange.request.head.storedOptions?.options, options.haveRoute else { return nil }
                return exchange.scratch.text(options.allRoutes)
            } ?? plug_text()
        }
    }

    private static func setAttributes(_ table: inout plug_host_v1) {
        table.attribute = { pointer, name in
            ExchangeCore.with(pointer) { exchange in
                guard exchange.mayHaveAttributes, let value = exchange.attribute(name.string) else { return nil }
                return exchange.scratch.text(value)
            } ?? plug_text()
        }
        table.attribute_at = { pointer, index, attribute in
            guard let pointer else { return PLUG_BAD_ARGUMENT }
            // Without a list, and without counting references, because hooks ask whether there is any.
            if index == 0 && attribute == nil {
                return ExchangeCore.with(pointer) { $0.hasAttributes } == true ? PLUG_OK : PLUG_NOT_FOUND
            }
            guard let exchange = ExchangeCore.from(pointer) else { return PLUG_BAD_ARGUMENT }
            guard let found = exchange.attribute(at: Int(clamping: index)) else { return PLUG_NOT_FOUND }
            attribute?.pointee = plug_field(
                name: exchange.scratch.text(found.name), value: exchange.scratch.text(found.value))
            return PLUG_OK
        }
        table.set_attribute = { pointer, name, value in
            guard let exchange = steering(pointer) else { return PLUG_WRONG_TIME }
            guard value.isReadable else { return PLUG_BAD_ARGUMENT }
            let (name, value) = (name.string, value.string)
            guard exchange.core.attributeCheck.admits(name, value) else { return PLUG_NOT_FOUND }
            guard exchange.core.attributeCheck.error(in: value, of: name) == nil else { return PLUG_BAD_ARGUMENT }
            return exchange.setAttribute(name, to: value) ? PLUG_OK : PLUG_TOO_LARGE
        }
        table.attribute_flags = { pointer, name in
            guard let exchange = ExchangeCore.from(pointer) else { return 0 }
            let name = name.string
            let isOwn = exchange.request.head.attributes[name] != nil
            return (isOwn ? PLUG_ATTRIBUTE_OWN : 0)
                | (exchange.core.attributeCheck.isSecret(name) ? PLUG_ATTRIBUTE_SECRET : 0)
        }
    }

    private static func setStates(_ table: inout plug_host_v1) {
        table.set_turn_state = { pointer, state, release in
            guard let exchange = ExchangeCore.from(pointer), let slot = exchange.frame.slot,
                exchange.steering.phase != .ended
            else { return PLUG_WRONG_TIME }
            exchange.setTurnState(state.map { PluginStates.State(pointer: $0, release: release) }, of: slot.index)
            return PLUG_OK
        }
        table.turn_state = { ExchangeCore.with($0) { $0.turnStateOfCaller } }
        table.set_exchange_state = { pointer, state, release in
            // The states were released when the exchange left.
            guard let exchange = ExchangeCore.from(pointer), let slot = exchange.frame.slot,
                exchange.home.underWay.contains(exchange)
            else { return PLUG_WRONG_TIME }
            exchange.setExchangeState(
                state.map { PluginStates.State(pointer: $0, release: release) }, of: slot.index)
            return PLUG_OK
        }
        table.exchange_state = { ExchangeCore.with($0) { $0.exchangeStateOfCaller } }
    }

    static func setHeads(_ table: inout plug_host_v1) {
        table.method = { HeadView($0)?.method ?? plug_text() }
        table.set_method = { head, method in
            let method = Method(method.string)
            guard method.isValid else { return PLUG_BAD_ARGUMENT }
            return HeadView(head)?.editRequest { $0.method = method } ?? PLUG_BAD_ARGUMENT
        }
        table.url = { HeadView($0)?.url ?? plug_text() }
        table.set_url = { head, url in
            let url = url.string
            guard let head = HeadView(head), Origin(url: url) != nil else { return PLUG_BAD_ARGUMENT }
            return head.editRequest { $0.url = url }
        }
        table.status = { UInt32(clamping: HeadView($0)?.status ?? 0) }
        table.set_status = { HeadView($0)?.setStatus(Int($1)) ?? PLUG_BAD_ARGUMENT }
        setFields(&table)
    }

    private static func setFields(_ table: inout plug_host_v1) {
        table.field_count = { UInt64(HeadView($0)?.count ?? 0) }
        table.field_at = { give(HeadView($0)?.field(at: $1), to: $2) }
        table.read_fields = { head, first, fields, count in
            guard let fields else { return 0 }
            let views = UnsafeMutableBufferPointer(start: fields, count: Int(clamping: count))
            return HeadView(head)?.read(from: first, to: views) ?? 0
        }
        table.field = { head, name in HeadView(head)?.field(name.buffer) ?? plug_text() }
        table.set_field = { head, name, value in
            guard let head = HeadView(head), isSendable(name, value) else { return PLUG_BAD_ARGUMENT }
            return head.edit { $0.set(name.buffer, value.buffer) }
        }
        table.add_field = { head, name, value in
            guard let head = HeadView(head), isSendable(name, value) else { return PLUG_BAD_ARGUMENT }
            return head.edit { $0.append(name.buffer, value.buffer) }
        }
        table.remove_field = { head, name in
            HeadView(head)?.edit { $0.remove(name.buffer) } ?? PLUG_BAD_ARGUMENT
        }
        table.mark_secret = { head, name in
            HeadView(head)?.edit { $0.markSecret(name.buffer) } ?? PLUG_BAD_ARGUMENT
        }
        table.is_secret = { HeadView($0)?.isSecret(at: $1) == true ? 1 : 0 }
    }
}
