import CPlugboard
import Glibc

/// The kernel's calls of the plugin.
extension Wiretap {
    static func tapped(_ original: plug_plugin_v1) -> plug_plugin_v1 {
        var table = original
        table.create = { host, settings in
            guard let host else { return nil }
            let own = tapped(host)
            return watched(.create) {
                state.withLock { $0.creatingThread = pthread_self() }
                defer { state.withLock { $0.creatingThread = nil } }
                return plugin.create?(own, settings)
            }
        }
        if original.start != nil {
            table.start = { context in watched(.start) { plugin.start?(context) ?? PLUG_OK } }
        }
        if original.stop != nil {
            table.stop = { context, within in watched(.stop) { plugin.stop?(context, within) } }
        }
        if original.destroy != nil {
            table.destroy = { context in watched(.destroy) { plugin.destroy?(context) } }
        }
        setHooks(&table, original)
        return table
    }

    private static func setHooks(_ table: inout plug_plugin_v1, _ original: plug_plugin_v1) {
        if original.on_request != nil {
            table.on_request = { context, exchange in
                onLoop(.onRequest) { plugin.on_request?(context, exchange) ?? PLUG_NEXT }
            }
        }
        if original.on_response != nil {
            table.on_response = { context, exchange in
                onLoop(.onResponse) { plugin.on_response?(context, exchange) ?? PLUG_NEXT }
            }
        }
        if original.on_failure != nil {
            table.on_failure = { context, exchange in
                onLoop(.onFailure) { plugin.on_failure?(context, exchange) ?? PLUG_NEXT }
            }
        }
        if original.on_close != nil {
            table.on_close = { context, exchange, outcome in
                onLoop(.onClose) { plugin.on_close?(context, exchange, outcome) }
            }
        }
        if original.on_event != nil {
            table.on_event = { context, exchange, event in
                onLoop(.onEvent) { plugin.on_event?(context, exchange, event) }
            }
        }
    }

    /// A hook, which runs on the loop and must not block it.
    private static func onLoop<Result>(_ hook: Hook, _ call: () -> Result) -> Result {
        let isTiming = state.withLock { state in
            state.loopThread = pthread_self()
            return state.isTiming
        }
        guard isTiming else { return watched(hook, call) }
        let stopwatch = Stopwatch()
        let result = watched(hook, call)
        let time = stopwatch.blame
        if time > patience {
            state.withLock { state in
                state.slowCalls[hook, default: 0] += 1
                state.slowest[hook] = max(state.slowest[hook] ?? .zero, time)
            }
        }
        return result
    }

    /// Hooks nest: publishing an event in one calls another.
    static func watched<Result>(_ hook: Hook, _ call: () -> Result) -> Result {
        let outer = marker?.hook
        marker?.hook = hook
        defer { marker?.hook = outer }
        return call()
    }
}
