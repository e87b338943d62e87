import CPlugboard
import PlugboardSystem

/// The functions of the plugin, as the kernel calls them.
extension Wiretap {
    static func tapped(_ original: plug_plugin_v1) -> plug_plugin_v1 {
        var table = original
        table.create = { host, settings in
            guard let host else { return nil }
            let own = Wiretap.tapped(host)
            return Wiretap.watched(.create) {
                Wiretap.state.withLock { $0.creatingThread = pthread_self() }
                defer { Wiretap.state.withLock { $0.creatingThread = nil } }
                return Wiretap.plugin.create?(own, settings)
            }
        }
        if original.check != nil {
            table.check = { context, attributes, count in
                Wiretap.watched(.check) { Wiretap.plugin.check?(context, attributes, count) ?? PLUG_OK }
            }
        }
        if original.start != nil {
            table.start = { context in Wiretap.watched(.start) { Wiretap.plugin.start?(context) ?? PLUG_OK } }
        }
        if original.service != nil {
            table.service = { context, id in Wiretap.watched(.service) { Wiretap.plugin.service?(context, id) ?? nil } }
        }
        if original.stop != nil {
            table.stop = { context, within in Wiretap.watched(.stop) { Wiretap.plugin.stop?(context, within) } }
        }
        if original.destroy != nil {
            table.destroy = { context in Wiretap.watched(.destroy) { Wiretap.plugin.destroy?(context) } }
        }
        if original.extension != nil {
            table.extension = { _, id in Wiretap.plugin.extension?(Wiretap.descriptor, id) }
        }
        if original.command != nil {
            table.command = { context, name, arguments, reply in
                Wiretap.watched(.command) { Wiretap.plugin.command?(context, name, arguments, reply) }
            }
        }
        setHooks(&table, original)
        return table
    }

    private static func setHooks(_ table: inout plug_plugin_v1, _ original: plug_plugin_v1) {
        let hooks: [(Hook, plug_hooks)] = [
            (.onRequest, PLUG_ON_REQUEST), (.onResponse, PLUG_ON_RESPONSE), (.onFailure, PLUG_ON_FAILURE),
            (.onClose, PLUG_ON_CLOSE), (.onEvent, PLUG_ON_EVENT),
        ]
        state.withLock { state in
            for (hook, bit) in hooks where original.hooks & bit != 0 { state.coverage.list(hook) }
        }
        if original.on_request != nil {
            table.on_request = { context, exchange in
                Wiretap.steering(.onRequest, exchange) {
                    Wiretap.plugin.on_request?(context, exchange) ?? PLUG_VERDICT_NEXT
                }
            }
        }
        if original.on_response != nil {
            table.on_response = { context, exchange in
                Wiretap.steering(.onResponse, exchange) {
                    Wiretap.plugin.on_response?(context, exchange) ?? PLUG_VERDICT_NEXT
                }
            }
        }
        if original.on_failure != nil {
            table.on_failure = { context, exchange in
                Wiretap.steering(.onFailure, exchange) {
                    Wiretap.plugin.on_failure?(context, exchange) ?? PLUG_VERDICT_NEXT
                }
            }
        }
        if original.on_close != nil {
            table.on_close = { context, exchange, outcome in
                Wiretap.onLoop(.onClose) { Wiretap.plugin.on_close?(context, exchange, outcome) }
            }
        }
        if original.on_event != nil {
            table.on_event = { context, exchange, event in
                Wiretap.onLoop(.onEvent) { Wiretap.plugin.on_event?(context, exchange, event) }
            }
        }
    }

    /// A hook that returns a verdict.
    private static func steering(
        _ hook: Hook, _ exchange: OpaquePointer?, _ call: () -> plug_verdict
    ) -> plug_verdict {
        if kernel.visit(exchange) == PLUG_VISIT_DEADLINE { state.withLock { $0.deadlineCount += 1 } }
        let verdict = onLoop(hook, isCounted: false, call)
        let name = verdicts.indices.contains(Int(verdict)) ? verdicts[Int(verdict)] : "\(verdict)"
        state.withLock { $0.coverage.add(hook, name) }
        return verdict
    }

    /// The verdicts by their numbers in `plugboard.h`.
    private static let verdicts = ["next", "respond", "resend", "hold", "wait", "fail", "fault", "refused"]

    /// A hook, which runs on the loop and must not block it.
    private static func onLoop<Result>(_ hook: Hook, isCounted: Bool = true, _ call: () -> Result) -> Result {
        let isTiming = Wiretap.state.withLock { state in
            state.loopThread = pthread_self()
            if isCounted { state.coverage.add(hook, "") }
            return state.isTiming
        }
        guard isTiming else { return Wiretap.watched(hook, call) }
        let stopwatch = Stopwatch()
        let result = Wiretap.watched(hook, call)
        let time = stopwatch.blame
        if time > patience {
            Wiretap.state.withLock { state in
                state.slowCalls[hook, default: 0] += 1
                state.slowest[hook] = max(state.slowest[hook] ?? .zero, time)
            }
        }
        return result
    }

    /// Hooks nest, because a hook that publishes an event causes the call of another hook.
    static func watched<Result>(_ hook: Hook, _ call: () -> Result) -> Result {
        let outer = marker?.hook
        marker?.hook = hook
        defer { marker?.hook = outer }
        return call()
    }
}
