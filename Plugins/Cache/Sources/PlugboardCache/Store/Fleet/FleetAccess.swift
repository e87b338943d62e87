import PlugboardKit
import PlugboardStore
import Synchronization

/// The store of a fleet, as the cache asks it: each call ends within a short time, and after a failure none is made
/// until the store responds again.
final class FleetAccess: Sendable {
    /// The longest time for which a request waits for a call.
    static let patience = Duration.milliseconds(50)
    /// The same for what no request waits for.
    static let writePatience = Duration.milliseconds(250)
    /// How long the store is not asked after it has failed.
    private static let pause = Duration.seconds(1)
    /// With more marks than this that could not be removed, all responses are purged instead.
    private static let unremovedLimit = 1000
    static let timeLimit = Duration.seconds(30 * 86_400)

    private struct State {
        /// Nil without a plugin that provides it, before `open`, and from `close` on.
        var store: Store?
        var watch: StoreWatch?
        var isOut = false
        var nextProbe = Duration.zero
        /// Nothing is written before this time.
        var writePause = Duration.zero
        /// What a purge or an invalidation could not remove. Until it is removed, nothing is read.
        var unremoved: Set<String> = []
    }

    private let host: PluginHost
    private let changed: @Sendable (String?) -> Void
    private let state = Mutex(State())
    private let outages: PluginHost.Counter

    /// - Parameter changed: Called with a key that has changed since it was read; nil: all of them may have.
    init(_ host: PluginHost, changed: @escaping @Sendable (String?) -> Void) {
        (self.host, self.changed, outages) = (host, changed, host.counter("alone"))
    }

    func open() {
        guard let store = Store(host) else {
            return host.log(
                .warning,
                "cache's persistence is shared, which needs a plugin that provides \(Store.id), and none is enabled: "
                    + "this process keeps responses in its memory only.")
        }
        let watch = store.watch(changed)
        state.withLock { ($0.store, $0.watch) = (store, watch) }
    }

    func close() {
        let (store, watch) = state.withLock { state in
            defer { (state.store, state.watch) = (nil, nil) }
            return (state.store, state.watch)
        }
        if let watch { store?.unwatch(watch) }
    }

    /// Whether the store is not to be read. Asks it again now and then, for which no request waits.
    var isOut: Bool {
        let (isOut, mustProbe) = state.withLock { state in
            guard state.store != nil else { return (true, false) }
            guard state.isOut, state.nextProbe <= host.now else { return (state.isOut, false) }
            state.nextProbe = host.now + FleetAccess.pause
            return (true, true)
        }
        if mustProbe { probe() }
        return isOut
    }

    /// Whether nothing is to be written.
    var isReadOnly: Bool { isOut || state.withLock { $0.writePause > host.now } }

    /// Reads keys. `isWatched`: changes of them are told.
    func get(
        _ keys: [String], isWatched: Bool, _ done: @escaping @Sendable (Result<[Bytes?], StoreFailure>) -> Void
    ) {
        let watch = isWatched ? state.withLock { $0.watch } : nil
        perform(.get(keys, watch: watch), within: FleetAccess.patience) { [self] result in
            if case .failure(let failure) = result { goOut(failure) }
            done(result.map(\.values))
        }
    }

    func get(_ keys: [String]) async throws(StoreFailure) -> [Bytes?] {
        let result = await withCheckedContinuation { continuation in
            get(keys, isWatched: false) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Carries out a command that changes the store.
    func write(
        _ command: StoreCommand, within: Duration = writePatience,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        if isReadOnly { return done(.failure(StoreFailure(.down, "The store has failed before."))) }
        perform(command, within: within) { [self] result in
            if case .failure(let failure) = result, failure.kind != .refused {
                state.withLock { $0.writePause = host.now + FleetAccess.pause }
            }
            done(result)
        }
    }

    @discardableResult
    func write(_ command: StoreCommand) async throws(StoreFailure) -> StoreReply {
        let result = await withCheckedContinuation { continuation in
            write(command) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Removes the mark of a purge or an invalidation. If that is not possible, nothing is read until it is.
    func unmark(_ name: String, _ done: @escaping @Sendable () -> Void) {
        perform(.remove([name]), within: FleetAccess.writePatience) { [self] result in
            if case .failure(let failure) = result {
                state.withLock { FleetAccess.keep([name], &$0) }
                goOut(failure)
            }
            done()
        }
    }

    private static func keep(_ names: Set<String>, _ state: inout State) {
        state.unremoved.formUnion(names)
        if state.unremoved.count > unremovedLimit { state.unremoved = [FleetNames.generation] }
    }

    /// A number that is not 0.
    func random() -> UInt64 { host.random(8).reduce(0) { $0 << 8 | UInt64($1) } | 1 }

    /// A provider that does not keep its time must not hold anything either.
    private func perform(
        _ command: StoreCommand, within: Duration,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        let isOver = Flag()
        let timer = host.schedule(after: within * 2) {
            if isOver.set() { done(.failure(StoreFailure(.late, "There was no reply."))) }
        }
        let end = { @Sendable (result: Result<StoreReply, StoreFailure>) in
            timer.cancel()
            if isOver.set() { done(result) }
        }
        // Called under the lock, because the plugin that provides the store is destroyed after `close`. No reply comes
        // within a call.
        let isAsked = state.withLock { state in
            state.store?.perform(command, within: within, end)
            return state.store != nil
        }
        if !isAsked { end(.failure(StoreFailure(.down, "There is no store."))) }
    }

    private final class Flag: Sendable {
        private let flag = Atomic(false)
        /// Whether it was not set before.
        func set() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
    }

    private func goOut(_ failure: StoreFailure) {
        let isFirst = state.withLock { state in
            defer { (state.isOut, state.nextProbe) = (true, host.now + FleetAccess.pause) }
            return !state.isOut && state.store != nil
        }
        guard isFirst else { return }
        outages.add()
        host.log(
            .warning,
            "The store of the fleet has failed: \(Printable.text(failure.reason)) Until it responds, this process caches "
                + "for itself alone.")
        changed(nil)
    }

    private func probe() {
        let unremoved = state.withLock { state in
            defer { state.unremoved = [] }
            return state.unremoved
        }
        let command: StoreCommand = unremoved.isEmpty ? .get([FleetNames.generation]) : .remove(Array(unremoved))
        perform(command, within: FleetAccess.patience) { [self] result in
            guard case .success = result else { return state.withLock { FleetAccess.keep(unremoved, &$0) } }
            // What was purged meanwhile by others, this process may not have been told.
            changed(nil)
            let isBack = state.withLock { state in
                state.isOut = !state.unremoved.isEmpty
                return !state.isOut
            }
            if isBack { host.log(.info, "The store of the fleet responds again, and the cache uses it.") }
        }
    }
}
