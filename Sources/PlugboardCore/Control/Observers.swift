import Synchronization

/// Those that follow all exchanges of a kernel. [any]
final class Observers: Sendable {
    typealias Watch = @Sendable (ObservedEvent, ObservedExchange?) -> Void

    private struct State {
        var watches: [UInt64: (ids: Set<String>?, watch: Watch)] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    private let union = Atomic<UInt64>(0)
    private let latest = Atomic<UInt64>(0)

    /// The number of the last observer. Those up to it get the events of an exchange that begins now.
    var last: UInt64 { latest.load(ordering: .relaxed) }

    /// The events that at least one observer wants. Each exchange reads them, without a lock.
    @inline(__always)
    var wanted: WantedEvents { WantedEvents(rawValue: union.load(ordering: .relaxed)) }

    /// - Parameter ids: The ids of the events that it wants; nil for all.
    func add(_ ids: Set<String>?, _ watch: @escaping Watch) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.watches[state.last] = (ids, watch)
            latest.store(state.last, ordering: .relaxed)
            combine(state)
            return state.last
        }
    }

    func remove(_ number: UInt64) {
        state.withLock { state in
            if state.watches.removeValue(forKey: number) != nil { combine(state) }
        }
    }

    private func combine(_ state: State) {
        let all = WantedEvents(state.watches.values.map { WantedEvents(ids: $0.ids) })
        union.store(all.rawValue, ordering: .relaxed)
    }

    /// - Parameter last: The last observer that is told.
    func tell(
        _ event: ObservedEvent, upTo last: UInt64 = .max, _ exchange: @autoclosure () -> ObservedExchange?
    ) {
        let watches = state.withLock { state in
            state.watches.compactMap { number, observer in
                number <= last && observer.ids?.contains(event.id) ?? true ? observer.watch : nil
            }
        }
        guard !watches.isEmpty else { return }
        let exchange = exchange()
        for watch in watches { watch(event, exchange) }
    }
}

/// Follows the exchanges of a kernel until `end`, or until its last reference is released.
public final class Observation: Sendable {
    private let observers: Observers
    private let number: UInt64

    init(_ observers: Observers, _ ids: Set<String>?, _ watch: @escaping Observers.Watch) {
        self.observers = observers
        number = observers.add(ids, watch)
    }

    deinit { end() }

    /// Ends it; a call of the closure may still be under way on a loop.
    public func end() { observers.remove(number) }
}
