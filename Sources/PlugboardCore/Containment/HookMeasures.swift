/// How often each hook of each plugin was called, and how long that took: counters, if the configuration asks for
/// them.
///
/// `kernel.calls.PLUGIN-ID.HOOK` and `kernel.time.PLUGIN-ID.HOOK`, in nanoseconds. A time is from a call to its return,
/// and so includes the calls within it: a hook that publishes an event waits for the plugins that watch it, and a pull
/// waits for the pull of the body that it wraps. So times of several plugins must not be added up.
struct HookMeasures: Sendable {
    private let metrics: Metrics
    /// The counters by slot and hook: calls, then time.
    private let numbers: [UInt64]

    init(_ slots: [Slot], metrics: Metrics) {
        self.metrics = metrics
        numbers = slots.flatMap { slot in
            CalledHook.ofExchanges.flatMap { hook in
                [
                    metrics.number(of: "kernel.calls.\(slot.id).\(hook)"),
                    metrics.number(of: "kernel.time.\(slot.id).\(hook)"),
                ]
            }
        }
    }

    /// Counts one call of a hook of exchanges.
    func count(_ slot: Int, _ hook: CalledHook, nanoseconds: Int64) {
        let index = (slot * CalledHook.ofExchanges.count + Int(hook.rawValue)) * 2
        metrics.add(1, to: numbers[index])
        metrics.add(nanoseconds, to: numbers[index + 1])
    }
}
