import PlugboardKit
import PlugboardStore
import Synchronization

/// The store of a fleet, in which processes take the portions of shared rates. Used from any thread.
///
/// A portion's key has a value of the process that has it, so that no process ends the portion of another one. Calls
/// for one key take effect in their order: what is ended after a late reply is ended also if it was taken late.
final class PortionStore: Sendable {
    /// The longest time for which the store is asked.
    static let patience = Duration.milliseconds(50)
    /// When a reply has surely come, or never comes: how long a request waits for portions that may not wait otherwise.
    static let replyLimit = patience * 2
    /// The most rates with unsure portions; beyond, they end by themselves.
    private static let unsureLimit = 4096

    /// What the store replied.
    struct Reply: Sendable {
        /// The portions that were taken.
        var numbers: [Int] = []
        /// Whether there were free ones, all of which other processes took first.
        var isContended = false
    }

    private struct State {
        /// Nil from `stop` on, because the plugin that provides the store is destroyed later.
        var store: Store?
        /// The portions by the keys of their rates, of which the store has not said whether this process has them.
        var unsure: [String: (lease: RateLease, numbers: Set<Int>)] = [:]
    }

    /// The engine, in a word.
    let engine: String
    /// The store is called under the lock: no reply comes within a call.
    private let state: Mutex<State>
    /// The value of the keys of this process.
    private let token: Bytes
    private let host: PluginHost

    init(_ store: Store, _ host: PluginHost) {
        (engine, token, self.host) = (Printable.text(store.engine), Bytes(host.random(16)), host)
        state = Mutex(State(store: store))
    }

    /// Ends the use of the store, and what is being taken. Replies that are still to come may be dropped.
    func stop() {
        for (lease, numbers) in state.withLock({ Array($0.unsure.values) }) { giveBack(Array(numbers), of: lease) }
        state.withLock { $0.store = nil }
    }

    /// Takes up to so many free portions. `done` is called at most once, on any thread; with a failure only if none was
    /// taken. Before, those are ended of which it is not known whether they were taken.
    func take(
        _ count: Int, of lease: RateLease, _ done: @escaping @Sendable (Result<Reply, StoreFailure>) -> Void
    ) {
        let end = host.now + PortionStore.patience
        let unsure = state.withLock { $0.unsure[lease.keys]?.numbers ?? [] }
        set(Array(unsure), of: lease, for: .milliseconds(1), ifItHas: token, until: end) { [self] _ in
            // Processes that ask at the same time choose different ones.
            let numbers = (0..<lease.portionCount).shuffled()
            take(count, of: lease, from: numbers[...], reading: max(count * 4, 32), until: end, done)
        }
    }

    /// Reads the first `sample` of these portions, and takes free ones. If none of them is free, reads the others.
    private func take(
        _ count: Int, of lease: RateLease, from numbers: ArraySlice<Int>, reading sample: Int, until end: Duration,
        _ done: @escaping @Sendable (Result<Reply, StoreFailure>) -> Void
    ) {
        let (read, others) = (numbers.prefix(sample), numbers.dropFirst(sample))
        perform(.get(read.map(lease.key)), within: end - host.now) { [self] result in
            let reply: StoreReply
            switch result {
            case .failure(let failure): return done(.failure(failure))
            case .success(let success): reply = success
            }
            let unsure = state.withLock { $0.unsure[lease.keys]?.numbers ?? [] }
            let free = zip(read, reply.values).filter { $1 == nil && !unsure.contains($0) }.map(\.0).prefix(count)
            if free.isEmpty, !others.isEmpty {
                return take(count, of: lease, from: others, reading: others.count, until: end, done)
            }
            if free.isEmpty { return done(.success(Reply())) }
            set(Array(free), of: lease, for: lease.period, ifItHas: nil, until: end) { result in
                done(result.map { Reply(numbers: $0, isContended: $0.isEmpty) })
            }
        }
    }

    /// Gives portions back that this process has; others stay. Those of a failure are given back before the next ask.
    func giveBack(_ numbers: [Int], of lease: RateLease) {
        let end = host.now + PortionStore.patience
        set(numbers, of: lease, for: .milliseconds(1), ifItHas: token, until: end) { _ in }
    }

    /// Writes portions that have the expected value. `done` gets those that were written; a failure only if none was.
    private func set(
        _ numbers: [Int], of lease: RateLease, for time: Duration, ifItHas expected: Bytes?, until end: Duration,
        _ done: @escaping @Sendable (Result<[Int], StoreFailure>) -> Void
    ) {
        if numbers.isEmpty { return done(.success([])) }
        state.withLock { state in
            if state.unsure.count >= PortionStore.unsureLimit { state.unsure = [:] }
            state.unsure[lease.keys, default: (lease, [])].numbers.formUnion(numbers)
        }
        let writing = Writing(numbers.count, done)
        for number in numbers {
            let entry = StoreEntry(lease.key(number), token, timeToLive: time)
            perform(.compareAndSet(entry, expected: expected), within: end - host.now) { [self] result in
                if !result.mayBeCarriedOut { isSure(number, of: lease) }
                writing.add(number, result)
            }
        }
    }

    private func isSure(_ number: Int, of lease: RateLease) {
        state.withLock { state in
            state.unsure[lease.keys]?.numbers.remove(number)
            if state.unsure[lease.keys]?.numbers.isEmpty == true { state.unsure[lease.keys] = nil }
        }
    }

    private func perform(
        _ command: StoreCommand, within: Duration,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        state.withLock { $0.store?.perform(command, within: within, done) }
    }

    /// The portions that are being written.
    private final class Writing: Sendable {
        private let state: Mutex<(open: Int, written: [Int], failure: StoreFailure?)>
        private let done: @Sendable (Result<[Int], StoreFailure>) -> Void

        init(_ count: Int, _ done: @escaping @Sendable (Result<[Int], StoreFailure>) -> Void) {
            state = Mutex((count, [], nil))
            self.done = done
        }

        func add(_ number: Int, _ result: Result<StoreReply, StoreFailure>) {
            let whole = state.withLock { state -> Result<[Int], StoreFailure>? in
                state.open -= 1
                switch result {
                case .success: state.written.append(number)
                // It has another value.
                case .failure(let failure) where failure.kind == .refused: break
                case .failure(let failure): state.failure = failure
                }
                if state.open > 0 { return nil }
                return state.failure.flatMap { state.written.isEmpty ? .failure($0) : nil } ?? .success(state.written)
            }
            if let whole { done(whole) }
        }
    }
}

extension Result<StoreReply, StoreFailure> {
    /// Whether the engine may carry the command out, though it has not said so.
    fileprivate var mayBeCarriedOut: Bool {
        if case .failure(let failure) = self { failure.kind == .late || failure.kind == .down } else { false }
    }
}
