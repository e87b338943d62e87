import CPlugboard
import PlugboardKit
import PlugboardSystem

/// The functions of the kernel, as the plugin calls them.
extension Wiretap {
    /// The tap's host for one instance. It is never freed, because a thread of the plugin may call it late.
    static func tapped(_ host: UnsafePointer<plug_host_v1>) -> UnsafePointer<plug_host_v1> {
        kernel = host.pointee
        let own = UnsafeMutablePointer<plug_host_v1>.allocate(capacity: 1)
        own.initialize(to: kernel)
        own.pointee.plugin = descriptor
        setSettings(&own.pointee)
        setServices(&own.pointee)
        setWaiting(&own.pointee)
        setBodiesIn(&own.pointee)
        setBodiesOut(&own.pointee)
        setCompletions(&own.pointee)
        setHeads(&own.pointee)
        return UnsafePointer(own)
    }

    // MARK: While it is created

    private static func setSettings(_ table: inout plug_host_v1) {
        table.setting_integer = { settings, name, value in
            Wiretap.known(name, Wiretap.kernel.setting_integer(settings, name, value))
        }
        table.setting_text = { settings, name, value in
            Wiretap.known(name, Wiretap.kernel.setting_text(settings, name, value))
        }
        table.setting_item = { settings, name, index, item in
            let code = Wiretap.kernel.setting_item(settings, name, index, item)
            return index == 0 && !Wiretap.lists(name) ? Wiretap.known(name, code) : code
        }
    }

    /// The kernel finds only settings that the table lists.
    private static func known(_ name: plug_text, _ code: plug_result) -> plug_result {
        if code == PLUG_NOT_FOUND && !Wiretap.lists(name) {
            note("create asks for the setting '\(name.string)', which its table does not list")
        }
        return code
    }

    private static func lists(_ name: plug_text) -> Bool {
        UnsafeBufferPointer(start: Wiretap.plugin.settings, count: Int(Wiretap.plugin.setting_count)).contains {
            $0.name.string == name.string
        }
    }

    private static func setServices(_ table: inout plug_host_v1) {
        table.start_timer = { host, loop, after, context, fired in
            Wiretap.notInCreate("start_timer")
            if after > 0 { Wiretap.state.withLock { $0.deadlineCount += 1 } }
            return Wiretap.kernel.start_timer(host, loop, after, context, fired)
        }
        table.watch = { host, loop, descriptor, wanted, context, ready, release in
            Wiretap.notInCreate("watch")
            return Wiretap.kernel.watch(host, loop, descriptor, wanted, context, ready, release)
        }
        table.run_blocking = { host, loop, context, work, done in
            Wiretap.notInCreate("run_blocking")
            return Wiretap.kernel.run_blocking(host, loop, context, work, done)
        }
        table.service = { host, id in
            Wiretap.notInCreate("service")
            return Wiretap.kernel.service(host, id)
        }
        table.publish_event = { host, exchange, id, details, count in
            Wiretap.notInCreate("publish_event")
            return Wiretap.kernel.publish_event(host, exchange, id, details, count)
        }
        table.extension = { _, id in
            Wiretap.state.withLock { _ = $0.askedExtensions.insert(id.string) }
            return nil
        }
    }

    private static func notInCreate(_ function: String) {
        let isCreating = Wiretap.state.withLock {
            $0.creatingThread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
        if isCreating { note("create calls the host's \(function), which works only from start on") }
    }

    // MARK: Waiting

    private static func setWaiting(_ table: inout plug_host_v1) {
        table.wait = { exchange, within, ticket in
            let (waits, told) = Wiretap.state.withLock { state in
                state.waitCount += 1
                return (state.waits, state.whenWaiting)
            }
            defer { told?() }
            return Wiretap.kernel.wait(exchange, waits == .pastDeadline && within > 0 ? 0 : within, ticket)
        }
        table.wake = { host, ticket in
            let waits = Wiretap.state.withLock { $0.waits }
            let code = Wiretap.kernel.wake(host, ticket)
            return waits == .wokenTwice ? Wiretap.kernel.wake(host, ticket) : code
        }
    }

    // MARK: Bodies

    private static func setBodiesIn(_ table: inout plug_host_v1) {
        table.take_request_body = { Wiretap.taken(Wiretap.kernel.take_request_body($0)) }
        table.take_response_body = { Wiretap.taken(Wiretap.kernel.take_response_body($0)) }
        table.subresponse_take_body = { Wiretap.taken(Wiretap.kernel.subresponse_take_body($0)) }
        table.body_of_bytes = { Wiretap.taken(Wiretap.kernel.body_of_bytes($0, $1)) }
        table.body_of_source = { Wiretap.taken(Wiretap.kernel.body_of_source($0, $1)) }
    }

    private static func setBodiesOut(_ table: inout plug_host_v1) {
        table.body_release = { body in
            Wiretap.given(body)
            Wiretap.kernel.body_release(body)
        }
        table.set_request_body = { exchange, body in
            Wiretap.given(body)
            return Wiretap.kernel.set_request_body(exchange, body)
        }
        table.set_response_body = { exchange, body in
            Wiretap.given(body)
            return Wiretap.kernel.set_response_body(exchange, body)
        }
        table.respond = { exchange, status, fields, count, body in
            Wiretap.given(body)
            return Wiretap.kernel.respond(exchange, status, fields, count, body)
        }
        table.send_subrequest = { host, exchange, request, context, completion in
            Wiretap.notInCreate("send_subrequest")
            Wiretap.given(request?.pointee.body)
            return Wiretap.kernel.send_subrequest(host, exchange, request, context, completion)
        }
        table.reply_body = { host, reply, body in
            Wiretap.given(body)
            return Wiretap.kernel.reply_body(host, reply, body)
        }
    }

    private static func taken(_ body: OpaquePointer?) -> OpaquePointer? {
        if body != nil { Wiretap.state.withLock { $0.bodies += 1 } }
        return body
    }

    private static func given(_ body: OpaquePointer?) {
        if body != nil { Wiretap.state.withLock { $0.bodies -= 1 } }
    }

    // MARK: Pulls

    private static func setCompletions(_ table: inout plug_host_v1) {
        table.pull_give = { host, pull, bytes in
            Wiretap.completed(host, pull, Wiretap.kernel.pull_give(host, pull, bytes))
        }
        table.pull_end = { host, pull, trailers, count in
            Wiretap.completed(host, pull, Wiretap.kernel.pull_end(host, pull, trailers, count))
        }
        table.pull_fail = { host, pull, code, reason in
            Wiretap.completed(host, pull, Wiretap.kernel.pull_fail(host, pull, code, reason))
        }
        table.pull_forward = { host, pull, piece in
            Wiretap.completed(host, pull, Wiretap.kernel.pull_forward(host, pull, piece))
        }
    }

    /// Completing a pull too late is allowed, because the exchange may have ended. Completing it twice is a fault.
    private static func completed(
        _ host: UnsafePointer<plug_host_v1>?, _ pull: plug_pull, _ code: plug_result
    ) -> plug_result {
        // A call that was refused for another reason did not complete the pull.
        guard code == PLUG_OK || code == PLUG_STALE else { return code }
        // With two threads, the refused call may be recorded here before the accepted one.
        let completed = CompletedPull(host: UInt(bitPattern: host), pull: pull)
        let isSecond = Wiretap.state.withLock { $0.completedPulls?.insert(completed).inserted == false }
        if isSecond { note("a pull was completed twice") }
        return code
    }

    // MARK: Threads

    private static func setHeads(_ table: inout plug_host_v1) {
        table.request = { exchange in
            Wiretap.onLoopOnly("request")
            return Wiretap.kernel.request(exchange)
        }
        table.response = { exchange in
            Wiretap.onLoopOnly("response")
            return Wiretap.kernel.response(exchange)
        }
        table.body_pull = { body, context, pulled in
            Wiretap.onLoopOnly("body_pull")
            return Wiretap.kernel.body_pull(body, context, pulled)
        }
    }

    private static func onLoopOnly(_ function: String) {
        let isElsewhere = Wiretap.state.withLock {
            $0.loopThread.map { pthread_equal($0, pthread_self()) == 0 } ?? false
        }
        if isElsewhere { note("the host's \(function) was called off the loop") }
    }
}
