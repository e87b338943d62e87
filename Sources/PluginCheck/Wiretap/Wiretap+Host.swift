import CPlugboard
import Glibc
import PlugboardKit

/// The plugin's calls of the kernel.
extension Wiretap {
    /// A host of the tap's for one instance. It stays for ever: a thread of the plugin's may call late.
    static func tapped(_ host: UnsafePointer<plug_host_v1>) -> UnsafePointer<plug_host_v1> {
        kernel = host.pointee
        let own = UnsafeMutablePointer<plug_host_v1>.allocate(capacity: 1)
        own.initialize(to: kernel)
        setSettings(&own.pointee)
        setServices(&own.pointee)
        setWaiting(&own.pointee)
        setBodiesIn(&own.pointee)
        setBodiesOut(&own.pointee)
        setAnswers(&own.pointee)
        setHeads(&own.pointee)
        return UnsafePointer(own)
    }

    // MARK: While it is created

    private static func setSettings(_ table: inout plug_host_v1) {
        table.setting_integer = { settings, name, value in
            known(name, kernel.setting_integer(settings, name, value))
        }
        table.setting_text = { settings, name, value in known(name, kernel.setting_text(settings, name, value)) }
        table.setting_item = { settings, name, index, item in
            let code = kernel.setting_item(settings, name, index, item)
            return index == 0 && !lists(name) ? known(name, code) : code
        }
    }

    /// The kernel finds only what the table lists.
    private static func known(_ name: plug_text, _ code: UInt32) -> UInt32 {
        if code == PLUG_NOT_FOUND && !lists(name) {
            note("create asks for the setting '\(name.string)', which its table does not list")
        }
        return code
    }

    private static func lists(_ name: plug_text) -> Bool {
        UnsafeBufferPointer(start: plugin.settings, count: Int(plugin.setting_count)).contains {
            $0.name.string == name.string
        }
    }

    private static func setServices(_ table: inout plug_host_v1) {
        table.timer = { host, after, context, fired in
            notInCreate("timer")
            return kernel.timer(host, after, context, fired)
        }
        table.publish = { host, exchange, id, details, count in
            notInCreate("publish")
            return kernel.publish(host, exchange, id, details, count)
        }
        table.counter = { host, name in
            notInCreate("counter")
            return kernel.counter(host, name)
        }
        table.extension = { _, id in
            state.withLock { _ = $0.askedExtensions.insert(id.string) }
            return nil
        }
    }

    private static func notInCreate(_ function: String) {
        let isCreating = state.withLock { $0.creatingThread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        if isCreating { note("create calls the host's \(function), which works only from start on") }
    }

    // MARK: Waiting

    private static func setWaiting(_ table: inout plug_host_v1) {
        table.wait = { exchange, within, ticket in
            let (waits, told) = state.withLock { state in
                state.waitCount += 1
                return (state.waits, state.whenWaiting)
            }
            defer { told?() }
            return kernel.wait(exchange, waits == .pastDeadline && within > 0 ? 0 : within, ticket)
        }
        table.wake = { host, ticket in
            let waits = state.withLock { state in
                state.wakeCount += 1
                return state.waits
            }
            let code = kernel.wake(host, ticket)
            return waits == .wokenTwice ? kernel.wake(host, ticket) : code
        }
    }

    // MARK: Bodies

    private static func setBodiesIn(_ table: inout plug_host_v1) {
        table.take_request_body = { taken(kernel.take_request_body($0)) }
        table.take_response_body = { taken(kernel.take_response_body($0)) }
        table.take_answer_body = { taken(kernel.take_answer_body($0)) }
        table.body_of_bytes = { taken(kernel.body_of_bytes($0, $1)) }
        table.body_of_source = { host, source in
            state.withLock { $0.sourceCount += 1 }
            return taken(kernel.body_of_source(host, source))
        }
    }

    private static func setBodiesOut(_ table: inout plug_host_v1) {
        table.release_body = { body in
            given(body)
            kernel.release_body(body)
        }
        table.set_request_body = { exchange, body in
            given(body)
            return kernel.set_request_body(exchange, body)
        }
        table.set_response_body = { exchange, body in
            given(body)
            return kernel.set_response_body(exchange, body)
        }
        table.respond = { exchange, status, fields, count, body in
            given(body)
            return kernel.respond(exchange, status, fields, count, body)
        }
        table.send = { host, exchange, request, context, answered in
            notInCreate("send")
            given(request?.pointee.body)
            return kernel.send(host, exchange, request, context, answered)
        }
        table.reply_body = { host, reply, body in
            given(body)
            return kernel.reply_body(host, reply, body)
        }
    }

    private static func taken(_ body: OpaquePointer?) -> OpaquePointer? {
        if body != nil { state.withLock { $0.bodies += 1 } }
        return body
    }

    private static func given(_ body: OpaquePointer?) {
        if body != nil { state.withLock { $0.bodies -= 1 } }
    }

    // MARK: Pulls

    private static func setAnswers(_ table: inout plug_host_v1) {
        table.give = { host, pull, bytes in answered(pull, kernel.give(host, pull, bytes)) }
        table.end = { host, pull, trailers, count in answered(pull, kernel.end(host, pull, trailers, count)) }
        table.break_off = { host, pull, code, reason in answered(pull, kernel.break_off(host, pull, code, reason)) }
        table.pass = { host, pull, piece in answered(pull, kernel.pass(host, pull, piece)) }
    }

    /// Too late is legal: the exchange may have ended. Twice is not.
    private static func answered(_ pull: plug_pull, _ code: UInt32) -> UInt32 {
        let isSecond = state.withLock { state in
            if code == PLUG_OK { state.answeredPulls?.insert(pull) }
            return code == PLUG_STALE && state.answeredPulls?.contains(pull) == true
        }
        if isSecond { note("a pull was answered twice") }
        return code
    }

    // MARK: Threads

    private static func setHeads(_ table: inout plug_host_v1) {
        table.request = { exchange in
            onLoopOnly("request")
            return kernel.request(exchange)
        }
        table.response = { exchange in
            onLoopOnly("response")
            return kernel.response(exchange)
        }
        table.pull = { body, context, pulled in
            onLoopOnly("pull")
            return kernel.pull(body, context, pulled)
        }
    }

    private static func onLoopOnly(_ function: String) {
        let isElsewhere = state.withLock { $0.loopThread.map { pthread_equal($0, pthread_self()) == 0 } ?? false }
        if isElsewhere { note("the host's \(function) was called off the loop") }
    }
}
