/// How often each hook of each plugin was called, and how long that took: counters, where the configuration asks for them.
///
/// `kernel.calls.PLUGIN-ID.HOOK` and `kernel.time.PLUGIN-ID.HOOK`, in nanoseconds. Times are from a call to its return, and so include
/// what it brought about meanwhile: a hook that publishes an event waits for those who hear it, a pull for the pull of the body that
/// it wraps. Times of several plugins must not be added up.
struct HookMeasures: Sendable {
    private let counters: Counters
    /// By place and hook: calls, then time.
    private let numbers: [UInt64]

    init(_ places: [Place], counters: Counters) {
        self.counters = counters
        numbers = places.flatMap { place in
            CalledHook.ofExchanges.flatMap { hook in
                [
                    counters.number(of: "kernel.calls.\(place.id).\(hook)"),
                    counters.number(of: "kernel.time.\(place.id).\(hook)"),
                ]
            }
        }
    }

    func count(_ place: Place, _ hook: CalledHook, nanoseconds: Int64) {
        let index = (place.index * CalledHook.ofExchanges.count + Int(hook.rawValue)) * 2
        counters.add(1, to: numbers[index])
        counters.add(nanoseconds, to: numbers[index + 1])
    }
}
