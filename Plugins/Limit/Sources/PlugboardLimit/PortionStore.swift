import PlugboardKit
import PlugboardStore
import Synchronization

/// The store of a fleet, in which processes take the portions of shared rates. Used from any thread.
final class PortionStore: Sendable {
    /// The longest time for which the store is asked; a request may wait for it.
    static let patience = Duration.milliseconds(50)

    /// The engine, in a word.
    let engine: String
    /// Nil from `stop` on, because the plugin that provides the store is destroyed later. Used under the lock: no reply
    /// comes within a call.
    private let store: Mutex<Store?>
    private let host: PluginHost

    init(_ store: Store, _ host: PluginHost) {
        engine = Printable.text(store.engine)
        self.store = Mutex(store)
        self.host = host
    }

    /// Ends the use of the store. Replies that are still to come may be dropped.
    func stop() { store.withLock { $0 = nil } }

    private func perform(
        _ command: StoreCommand, within: Duration,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        store.withLock { $0?.perform(command, within: within, done) }
    }

    /// Takes up to so many free portions. `done` is called once, on any thread; with a failure only if none was taken.
    func take(
        _ count: Int, of lease: RateLease, _ done: @escaping @Sendable (Result<[Int], StoreFailure>) -> Void
    ) {
        let end = host.now + PortionStore.patience
        perform(.get((0..<lease.portionCount).map(lease.key)), within: PortionStore.patience) { [self] result in
            let reply: StoreReply
            switch result {
            case .failure(let failure): return done(.failure(failure))
            case .success(let success): reply = success
            }
            // Processes that ask at the same time choose different ones.
            let free = zip(0..<lease.portionCount, reply.values).filter { $1 == nil }.map(\.0).shuffled().prefix(count)
            if free.isEmpty { return done(.success([])) }
            let taking = Taking(free.count, done)
            for portion in free {
                let entry = StoreEntry(lease.key(portion), Bytes([1]), timeToLive: lease.period)
                perform(.compareAndSet(entry, expected: nil), within: end - host.now) { taking.add(portion, $0) }
            }
        }
    }

    /// Gives portions back. A failure is ignored: they then end by themselves.
    func giveBack(_ portions: [Int], of lease: RateLease) {
        perform(.remove(portions.map(lease.key)), within: PortionStore.patience) { _ in }
    }

    /// The portions of which it is not yet known whether they were taken.
    private final class Taking: Sendable {
        private let state: Mutex<(open: Int, taken: [Int], failure: StoreFailure?)>
        private let done: @Sendable (Result<[Int], StoreFailure>) -> Void

        init(_ count: Int, _ done: @escaping @Sendable (Result<[Int], StoreFailure>) -> Void) {
            state = Mutex((count, [], nil))
            self.done = done
        }

        func add(_ portion: Int, _ result: Result<StoreReply, StoreFailure>) {
            let whole = state.withLock { state -> Result<[Int], StoreFailure>? in
                state.open -= 1
                switch result {
                case .success: state.taken.append(portion)
                // Another process has taken it.
                case .failure(let failure) where failure.kind == .refused: break
                case .failure(let failure): state.failure = failure
                }
                if state.open > 0 { return nil }
                return state.failure.flatMap { state.taken.isEmpty ? .failure($0) : nil } ?? .success(state.taken)
            }
            if let whole { done(whole) }
        }
    }
}
