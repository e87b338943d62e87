import CPlugboard
import PlugboardBorder
import PlugboardEventLoop
import PlugboardJSON
import PlugboardSystem

extension HostTable {
    static func setSubRequests(_ table: inout plug_host_v1) {
        table.wake = { host, ticket in
            guard let exchange = HostContext.from(host)?.core?.home(of: ticket).tickets.remove(ticket) else {
                return PLUG_STALE
            }
            exchange.loop.enqueue { exchange.woken(ticket) }
            return PLUG_OK
        }
        table.send_subrequest = { host, parent, request, context, completed in
            guard let body = takeNode(request?.pointee.body), let host = HostContext.from(host),
                let request, let completed, request.pointee.isReadable
            else { return PLUG_BAD_ARGUMENT }
            return host.send(request.pointee, body, parent: parent, context: context, completed: completed)
        }
        table.cancel_subrequest = { HostContext.from($0)?.cancelSubRequest($1) ?? PLUG_BAD_ARGUMENT }
        table.subresponse_head = { SubResponseNode.from($0)?.head?.pointer }
        table.subresponse_failure = { response, code, reason in
            guard let failure = SubResponseNode.from(response)?.failure else { return PLUG_NOT_FOUND }
            code?.pointee = failure.code
            reason?.pointee = failure.reason
            return PLUG_OK
        }
        table.subresponse_attempts = { UInt32(clamping: SubResponseNode.from($0)?.attempts ?? 0) }
        table.subresponse_take_body = { response in
            // On another loop than the sub-request's, the plugin gets a body of that loop: what it calls there takes
            // effect before the call returns.
            guard let body = SubResponseNode.from(response)?.takeBody() else { return nil }
            return giveNode(body.core.current.map { body.adopted(by: $0) } ?? body)
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
            guard let host = HostContext.from(host), areReadable(details, count) else { return PLUG_BAD_ARGUMENT }
            return host.publish(id, exchange) {
                makeFields(details, count).map { ($0.name, ObservedEvent.Detail.text($0.value)) }
            }
        }
        table.event_id = { EventNode.with($0) { $0.idText } ?? plug_text() }
        table.event_text = { event, name in EventNode.with(event) { $0.text(name.buffer) } ?? plug_text() }
        table.event_integer = { event, name, value in
            give(EventNode.with(event) { $0.integer(name.buffer) }, to: value)
        }
        table.event_detail_at = { event, index, detail in
            guard let event = EventNode.from(event) else { return PLUG_BAD_ARGUMENT }
            return give(event.detail(at: Int(clamping: index)), to: detail)
        }
        table.event_head = { EventNode.with($0) { $0.headPointer } }
    }

    static func setSettings(_ table: inout plug_host_v1) {
        table.setting_integer = { give(ValuesNode.from($0)?[$1]?.integer, to: $2) }
        table.setting_text = { give(ValuesNode.from($0)?[$1]?.text, to: $2) }
        table.setting_item = { give(ValuesNode.from($0)?[$1]?.item($2), to: $3) }
        table.refuse = { HostContext.from($0)?.refusal = $1.clause }
    }

    static func setServices(_ table: inout plug_host_v1) {
        table.log = { host, level, text in
            guard let host = HostContext.from(host), let core = host.core, let level = LogLevel(rawValue: level) else {
                return
            }
            core.log.write(level, host.id, text.lines, in: core.current?.calling)
        }
        table.log_level = { HostContext.from($0)?.core?.log.level.rawValue ?? PLUG_LOG_ERROR }
        table.now = { HostContext.time(of: $0) }
        table.wall_clock = { HostContext.clock(of: $0)?.wallClock ?? clockTime(CLOCK_REALTIME) }
        table.random = { _, bytes, count in
            guard let bytes else { return }
            var generator = SystemRandomNumberGenerator()
            generator.fill(UnsafeMutableRawBufferPointer(start: bytes, count: Int(clamping: count)))
        }
        table.data_directory = { HostContext.from($0)?.dataDirectory() ?? plug_text() }
        table.data_path = { HostContext.from($0)?.dataPath() ?? plug_text() }
        table.configuration_directory = { HostContext.from($0)?.configurationDirectory() ?? plug_text() }
        table.configured_route = { host, url, options, count, flags in
            guard let host = HostContext.from(host), let core = host.core, areReadable(options, count) else {
                return plug_text()
            }
            var request = Request(.get, url.string)
            for option in UnsafeBufferPointer(start: options, count: Int(clamping: count)) {
                _ = request.options.set(option.name.string, to: option.value.string)
            }
            let route = core.routes.route(of: request)
            flags?.pointee = route.flags
            return route.text.isEmpty ? plug_text() : host.keptText(route.text)
        }
        setTimers(&table)
        setMetrics(&table)
        setReplies(&table)
    }

    private static func setTimers(_ table: inout plug_host_v1) {
        table.current_loop = { HostContext.currentLoop(of: $0) }
        table.start_timer = { host, loop, after, context, fired in
            guard let host = HostContext.from(host), let fired, let core = host.startedCore else {
                return 0
            }
            let address = UInt(bitPattern: context)
            return core.loop(loop).timers.start(of: host.index, after: after) {
                host.call(.fired) { fired(UnsafeMutableRawPointer(bitPattern: address)) }
            }
        }
        table.cancel_timer = { host, timer in
            HostContext.from(host)?.core?.home(of: timer).timers.cancel(timer) == true
                ? PLUG_OK : PLUG_STALE
        }
    }

    private static func setReplies(_ table: inout plug_host_v1) {
        table.reply_json = { host, reply, json in
            guard let host = HostContext.from(host) else { return PLUG_BAD_ARGUMENT }
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
            guard case .some(.some(let node)) = takeNode(body), let host = HostContext.from(host) else {
                return PLUG_BAD_ARGUMENT
            }
            // The program may send it in several requests, on any loops.
            node.bind(to: node.core.current ?? node.core.first)
            return host.core?.replies.reply(to: reply, .success(.body(Body(node)))) ?? PLUG_STALE
        }
        table.reply_fail = { host, reply, code, reason in
            guard let host = HostContext.from(host) else { return PLUG_BAD_ARGUMENT }
            let error = PlugboardError(code, reason, plugin: host.id)
            return host.core?.replies.reply(to: reply, .failure(error)) ?? PLUG_STALE
        }
    }
}
