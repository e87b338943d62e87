import CPlugboard
import PlugboardKit

/// The functions behind `plug_host_v1`, the same for every plugin.
enum HostTable {
    static var functions: plug_host_v1 {
        var table = plug_host_v1()
        table.abi_revision = PLUG_ABI_REVISION
        setVerdicts(&table)
        setExchange(&table)
        setHeads(&table)
        setBodies(&table)
        setSubRequests(&table)
        setEvents(&table)
        setSettings(&table)
        setServices(&table)
        table.extension = { _, id in
            // Compared without making a string: shims ask for each exchange.
            if id.isEqual(PLUG_EXTENSION_FIELDS) { return UnsafeRawPointer(HostTable.fields.table) }
            if id.isEqual(PLUG_EXTENSION_EXCHANGE_FACTS) { return UnsafeRawPointer(HostTable.exchangeFacts.table) }
            if id.isEqual(PLUG_EXTENSION_WHOLE_BODY) { return UnsafeRawPointer(HostTable.wholeBody.table) }
            if id.isEqual(PLUG_EXTENSION_LOOPS) { return UnsafeRawPointer(HostTable.loops.table) }
            return id.isEqual(PLUG_EXTENSION_DATA_PATH) ? UnsafeRawPointer(HostTable.dataPath.table) : nil
        }
        return table
    }

    /// Sendable because the table never changes.
    private struct Extension<Table>: @unchecked Sendable {
        let table: UnsafePointer<Table>

        init(_ functions: Table) {
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: functions)
            self.table = UnsafePointer(table)
        }
    }

    private static let dataPath = Extension(
        plug_data_path_v1(path: { host in host.map { HostContext.from($0).dataPath() } ?? plug_text() }))

    private static let fields = Extension(
        plug_fields_v1(read: { head, first, fields, count in
            guard let head, let fields else { return 0 }
            return HeadNode.from(head).read(
                from: first, to: UnsafeMutableBufferPointer(start: fields, count: Int(clamping: count)))
        }))

    private static let wholeBody = Extension(
        plug_whole_body_v1(response_body: { pointer, bytes in
            guard let exchange = steering(pointer), let bytes, let whole = exchange.showWholeResponseBody() else {
                return 0
            }
            bytes.pointee = whole.withUnsafeBytes { plug_text($0) }
            return 1
        }))

    private static let loops = Extension(
        plug_loops_v1(
            current: { host in
                host.flatMap { HostContext.from($0).core?.current }.map { plug_loop($0.index + 1) } ?? 0
            },
            start_timer: { host, loop, after, context, fired in
                HostTable.startTimer(host, on: loop, after, context, fired)
            }))

    private static let exchangeFacts = Extension(
        plug_exchange_facts_v1(
            sender: { pointer in
                guard let pointer else { return plug_text() }
                let exchange = ExchangeCore.from(pointer)
                guard let sender = exchange.family.sender else { return plug_text() }
                return exchange.scratch.text(exchange.pipeline.slots[sender].id)
            },
            option_at: { pointer, index, option, flags in
                guard let pointer else { return PLUG_BAD_ARGUMENT }
                let exchange = ExchangeCore.from(pointer)
                guard let stored = exchange.request.head.storedOptions else { return PLUG_NOT_FOUND }
                let texts = exchange.scratch.options(isFirst: index == 0) { stored.options.texts }
                guard index < texts.count else { return PLUG_NOT_FOUND }
                let found = texts[Int(index)]
                option?.pointee = plug_field(
                    name: exchange.scratch.text(found.name), value: exchange.scratch.text(found.value))
                flags?.pointee = RequestOptions.isSecret(found.name, found.value) ? PLUG_FLAG_SECRET : 0
                return PLUG_OK
            },
            attribute_flags: { pointer, name in
                guard let pointer else { return 0 }
                let (exchange, name) = (ExchangeCore.from(pointer), name.string)
                let isOwn = exchange.request.head.attributes[name] != nil
                return (isOwn ? PLUG_ATTRIBUTE_OWN : 0)
                    | (exchange.core.attributeCheck.isSecret(name) ? PLUG_ATTRIBUTE_SECRET : 0)
            },
            subresponse_attempts: { response in
                response.map { UInt32(clamping: SubResponseNode.from($0).attempts) } ?? 0
            },
            route: { pointer, flags in
                guard let pointer else { return plug_text() }
                let exchange = ExchangeCore.from(pointer)
                let route = exchange.core.routes.route(of: exchange.request.head)
                flags?.pointee = route.flags
                return route.text.isEmpty ? plug_text() : exchange.scratch.text(route.text)
            },
            configured_route: { host, url, options, count, flags in
                guard let host, let core = HostContext.from(host).core, areReadable(options, count) else {
                    return plug_text()
                }
                var request = Request(.get, url.string)
                if count > 0 {
                    for option in UnsafeBufferPointer(start: options, count: Int(clamping: count)) {
                        _ = request.options.set(option.name.string, to: option.value.string)
                    }
                }
                let route = core.routes.route(of: request)
                flags?.pointee = route.flags
                return route.text.isEmpty ? plug_text() : HostContext.from(host).keptText(route.text)
            },
            own_routes: { pointer in
                guard let pointer else { return plug_text() }
                let exchange = ExchangeCore.from(pointer)
                guard let options = exchange.request.head.storedOptions?.options, options.haveRoute else {
                    return plug_text()
                }
                return exchange.scratch.text(options.allRoutes)
            }))

    // MARK: Verdicts

    private static func setVerdicts(_ table: inout plug_host_v1) {
        table.respond = { pointer, status, fields, count, body in
            let taken = takeNode(body)
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESPOND }
            guard let node = taken else {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond", "its body was handed in before")
            }
            guard (200...999).contains(status) else {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond", "the status \(status) is not one of 200 to 999")
            }
            do throws(PlugboardError) {
                let head = ResponseHead(status: Int(status), fields: try checkedFields(fields, count))
                exchange.keep(.respond(OutwardResponse(head: head, body: node?.adopted(by: exchange.home))))
                return PLUG_VERDICT_RESPOND
            } catch {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond", error.reason)
            }
        }
        table.respond_with = { pointer, response in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESPOND }
            guard let response else {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond_with", "there is no sub-response")
            }
            switch SubResponseNode.from(response).take() {
            case .success(var response):
                response.isOfSubRequest = true
                response.body = response.body?.adopted(by: exchange.home)
                exchange.keep(.respond(response))
                return PLUG_VERDICT_RESPOND
            case .failure(let error):
                exchange.keep(.fail(error))
                return PLUG_VERDICT_FAIL
            }
        }
        table.resend = { pointer, after in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESEND }
            guard exchange.steering.stage != .request else {
                return exchange.refuse(PLUG_VERDICT_RESEND, "resend", "in onRequest nothing was sent yet")
            }
            guard exchange.canResend else {
                return exchange.refuse(
                    PLUG_VERDICT_RESEND, "resend", "the request's body has begun and cannot be rewound (canResend)")
            }
            exchange.keep(.resend(.nanoseconds(max(after, 0))))
            return PLUG_VERDICT_RESEND
        }
        table.hold = { pointer, limit in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_HOLD }
            guard exchange.steering.stage != .failure else {
                return exchange.refuse(PLUG_VERDICT_HOLD, "hold", "in onFailure there is no body")
            }
            exchange.keep(.hold(Int(clamping: limit)))
            return PLUG_VERDICT_HOLD
        }
        table.wait = { pointer, within, ticket in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_WAIT }
            guard let ticket else {
                return exchange.refuse(PLUG_VERDICT_WAIT, "wait", "its pointer for the ticket is NULL")
            }
            ticket.pointee = exchange.home.tickets.add(exchange)
            let (deadline, isFar) = exchange.loop.now.addingReportingOverflow(within)
            exchange.keep(.wait(ticket.pointee, deadline: within < 0 || isFar ? nil : deadline))
            return PLUG_VERDICT_WAIT
        }
        table.fail = { pointer, code, reason in
            guard let exchange = steering(pointer), let slot = exchange.frame.slot else { return PLUG_VERDICT_FAIL }
            exchange.keep(.fail(PlugboardError(code, reason, plugin: slot.id)))
            return PLUG_VERDICT_FAIL
        }
        table.fault = { pointer, reason in
            steering(pointer)?.keep(.fail(PlugboardError(.pluginFault, HostTable.faultClause(reason.clause))))
            return PLUG_VERDICT_FAULT
        }
    }

    /// The reason that a plugin's code gives for its fault. Shims write `it panicked: …`, which is kept.
    private static func faultClause(_ reason: String) -> String {
        if reason.isEmpty { return "it broke and gave no reason" }
        return reason.hasPrefix("it ") ? reason : "it broke: \(reason)"
    }
}
