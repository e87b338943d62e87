/// How often each hook of each plugin was called, and how long that took: counters, where the configuration asks for them.
///
/// `kernel.calls.PLUGIN-ID.HOOK` and `kernel.time.PLUGIN-ID.HOOK`, in nanoseconds. Times are from a call to its return, and so include
/// what it brought about meanwhile: a hook that publishes an event waits for those who hear it, a pull for the pull of the body that
/// it wraps. Times of several plugins must not be added up.
struct HookMeasures: Sendable {
    private let counters: Counters
    /// By slot and hook: calls, then time.
    private let numbers: [UInt64]

    init(_ slots: [Slot], counters: Counters) {
        self.counters = counters
        numbers = slots.flatMap { slot in
            CalledHook.ofExchanges.flatMap { hook in
                [
                    counters.number(of: "kernel.calls.\(slot.id).\(hook)"),
                    counters.number(of: "kernel.time.\(slot.id).\(hook)"),
                ]
            }
        }
    }

    func count(_ slot: Slot, _ hook: CalledHook, nanoseconds: Int64) {
        let index = (slot.index * CalledHook.ofExchanges.count + Int(hook.rawValue)) * 2
        counters.add(1, to: numbers[index])
        counters.add(nanoseconds, to: numbers[index + 1])
    }
}
