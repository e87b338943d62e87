import CPlugboard
import PlugboardBorder
import PlugboardJSON
import PlugboardSystem

extension HostTable {
    static func setSubRequests(_ table: inout plug_host_v1) {
        table.wake = { host, ticket in
            guard let host, let exchange = HostContext.from(host).core?.home(of: ticket).tickets.remove(ticket)
            else {
                return PLUG_STALE
            }
            exchange.loop.enqueue { exchange.woken(ticket) }
            return PLUG_OK
        }
        table.send_subrequest = { host, parent, request, context, completed in
            guard let body = takeNode(request?.pointee.body), let host = host.map({ HostContext.from($0) }),
                let request, let completed, request.pointee.isReadable
            else { return PLUG_BAD_ARGUMENT }
            return host.send(request.pointee, body, parent: parent, context: context, completed: completed)
        }
        table.cancel_subrequest = { host, number in
            host.map { HostContext.from($0).cancelSubRequest(number) } ?? PLUG_BAD_ARGUMENT
        }
        table.subresponse_head = { response in response.flatMap { SubResponseNode.from($0).head?.pointer } }
        table.subresponse_failure = { response, code, reason in
            guard let response, let failure = SubResponseNode.from(response).failure else { return PLUG_NOT_FOUND }
            code?.pointee = failure.code
            reason?.pointee = failure.reason
            return PLUG_OK
        }
        table.subresponse_attempts = { response in
            response.map { UInt32(clamping: SubResponseNode.from($0).attempts) } ?? 0
        }
        table.subresponse_take_body = { response in
            // On another loop than the sub-request's, the plugin gets a body of that loop: what it calls there takes
            // effect before the call returns.
            response.flatMap { SubResponseNode.from($0).takeBody() }
                .map { body in giveNode(body.core.current.map { body.adopted(by: $0) } ?? body) }
        }
        table.subresponse_keep = { response in
            if let response { _ = Unmanaged<SubResponseNode>.fromOpaque(UnsafeRawPointer(response)).retain() }
        }
        table.subresponse_release = { response in
            if let response { Unmanaged<SubResponseNode>.fromOpaque(UnsafeRawPointer(response)).release() }
        }
    }

    static func setEvents(_ table: inout plug_host_v1) {
        table.publish_event = { host, exchange, id, details, count in
            guard let host, areReadable(details, count) else { return PLUG_BAD_ARGUMENT }
            return HostContext.from(host).publish(id, exchange) {
                makeFields(details, count).map { ($0.name, ObservedEvent.Detail.text($0.value)) }
            }
        }
        table.event_id = { event in event.map { EventNode.from($0).idText } ?? plug_text() }
        table.event_text = { event, name in event.map { EventNode.from($0).text(name.buffer) } ?? plug_text() }
        table.event_integer = { event, name, value in
            guard let number = event.flatMap({ EventNode.from($0).integer(name.buffer) }) else { return PLUG_NOT_FOUND }
            value?.pointee = number
            return PLUG_OK
        }
        table.event_detail_at = { event, index, detail in
            guard let event else { return PLUG_BAD_ARGUMENT }
            guard let found = EventNode.from(event).detail(at: Int(clamping: index)) else { return PLUG_NOT_FOUND }
            detail?.pointee = found
            return PLUG_OK
        }
        table.event_head = { event in event.flatMap { EventNode.from($0).headPointer } }
    }

    static func setSettings(_ table: inout plug_host_v1) {
        table.setting_integer = { settings, name, value in
            guard let number = settings.flatMap({ SettingsNode.from($0).integer(name.string) }) else {
                return PLUG_NOT_FOUND
            }
            value?.pointee = number
            return PLUG_OK
        }
        table.setting_text = { settings, name, value in
            guard let text = settings.flatMap({ SettingsNode.from($0).text(name.string) }) else {
                return PLUG_NOT_FOUND
            }
            value?.pointee = text
            return PLUG_OK
        }
        table.setting_item = { settings, name, index, item in
            guard let found = settings.flatMap({ SettingsNode.from($0).item(name.string, index) }) else {
                return PLUG_NOT_FOUND
            }
            item?.pointee = found
            return PLUG_OK
        }
        table.refuse = { host, reason in
            if let host { HostContext.from(host).refusal = reason.clause }
        }
    }

    static func setServices(_ table: inout plug_host_v1) {
        table.log = { host, level, text in
            guard let host = host.map({ HostContext.from($0) }), let level = LogLevel(rawValue: level) else {
                return
            }
            guard let core = host.core else { return }
            core.log.write(level, host.id, text.lines, in: core.current?.calling)
        }
        table.log_level = { host in host.flatMap { HostContext.from($0).core?.log.level.rawValue } ?? PLUG_LOG_ERROR }
        table.now = { host in host.flatMap { HostContext.from($0).core?.monotonicTime() } ?? 0 }
        table.wall_clock = { host in host.flatMap { HostContext.from($0).core?.wallTime() } ?? 0 }
        table.random = { _, bytes, count in
            guard let bytes else { return }
            var generator = SystemRandomNumberGenerator()
            generator.fill(UnsafeMutableRawBufferPointer(start: bytes, count: Int(clamping: count)))
        }
        table.data_directory = { host in host.map { HostContext.from($0).dataDirectory() } ?? plug_text() }
        table.data_path = { host in host.map { HostContext.from($0).dataPath() } ?? plug_text() }
        table.configuration_directory = { host in
            host.flatMap { HostContext.from($0).configurationDirectory() } ?? plug_text()
        }
        table.configured_route = { host, url, options, count, flags in
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
        }
        setTimers(&table)
        setMetrics(&table)
        setReplies(&table)
    }

    private static func setTimers(_ table: inout plug_host_v1) {
        table.current_loop = { host in
            host.flatMap { HostContext.from($0).core?.current }.map { plug_loop($0.index + 1) } ?? 0
        }
        table.start_timer = { host, loop, after, context, fired in
            guard let host = host.map({ HostContext.from($0) }), let fired, let core = host.startedCore else {
                return 0
            }
            let address = UInt(bitPattern: context)
            return core.loop(loop).timers.start(of: host.index, after: after) {
                host.call(.fired) { fired(UnsafeMutableRawPointer(bitPattern: address)) }
            }
        }
        table.cancel_timer = { host, timer in
            host.flatMap { HostContext.from($0).core?.home(of: timer).timers.cancel(timer) } == true
                ? PLUG_OK : PLUG_STALE
        }
    }

    private static func setReplies(_ table: inout plug_host_v1) {
        table.reply_json = { host, reply, json in
            guard let host = host.map({ HostContext.from($0) }) else { return PLUG_BAD_ARGUMENT }
            guard let replies = host.core?.replies else { return PLUG_STALE }
            let text = json.string
            do {
                _ = try JSONParser.parse(text)
                return replies.reply(to: reply, .success(.json(text)))
            } catch {
                let error = PlugboardError(
                    .pluginFault, "The plugin \(host.id) replied to the command with a text that is not JSON: \(error)",
                    plugin: host.id)
                return replies.reply(to: reply, .failure(error)) == PLUG_OK ? PLUG_BAD_ARGUMENT : PLUG_STALE
            }
        }
        table.reply_body = { host, reply, body in
            guard case .some(.some(let node)) = takeNode(body), let host else { return PLUG_BAD_ARGUMENT }
            // The program may send it in several requests, on any loops.
            node.bind(to: node.core.current ?? node.core.first)
            return HostContext.from(host).core?.replies.reply(to: reply, .success(.body(Body(node)))) ?? PLUG_STALE
        }
        table.reply_fail = { host, reply, code, reason in
            guard let host = host.map({ HostContext.from($0) }) else { return PLUG_BAD_ARGUMENT }
            let error = PlugboardError(code, reason, plugin: host.id)
            return host.core?.replies.reply(to: reply, .failure(error)) ?? PLUG_STALE
        }
    }
}
