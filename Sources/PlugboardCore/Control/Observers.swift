import Synchronization

/// Those that follow all exchanges of a kernel. [any]
final class Observers: Sendable {
    typealias Watch = @Sendable (ObservedEvent, ObservedExchange?) -> Void

    private struct State {
        var watches: [UInt64: Watch] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    private let count = Atomic(0)

    /// Read by each exchange: it costs no lock.
    @inline(__always)
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func add(_ watch: @escaping Watch) -> UInt64 {
        count.add(1, ordering: .relaxed)
        return state.withLock { state in
            state.last += 1
            state.watches[state.last] = watch
            return state.last
        }
    }

    func remove(_ number: UInt64) {
        if state.withLock({ $0.watches.removeValue(forKey: number) }) != nil { count.subtract(1, ordering: .relaxed) }
    }

    func tell(_ event: ObservedEvent, _ exchange: @autoclosure () -> ObservedExchange?) {
        let watches = state.withLock { Array($0.watches.values) }
        guard !watches.isEmpty else { return }
        let exchange = exchange()
        for watch in watches { watch(event, exchange) }
    }
}

/// Follows the exchanges of a kernel until `end`, or until its last reference is released.
public final class Observation: Sendable {
    private let observers: Observers
    private let number: UInt64

    init(_ observers: Observers, _ watch: @escaping Observers.Watch) {
        self.observers = observers
        number = observers.add(watch)
    }

    deinit { end() }

    /// Ends it; a call of the closure may still be under way on a loop.
    public func end() { observers.remove(number) }
}
