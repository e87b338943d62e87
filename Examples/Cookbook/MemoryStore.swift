import PlugboardKit
import PlugboardStore
import Synchronization

/// Services: provides `plugboard.store/1` in the memory of one process. A store for another engine has the same shape.
final class MemoryStore: Plugin {
    static let manifest = Manifest(
        id: "com.example.memory-store", version: "1.0.0", documentation: "Keeps the keys of a store in memory.",
        priority: 0, hooks: [], provides: [Store.id])

    struct Settings: PluginSettings {
        @Setting("The most keys that are kept.", in: 1...10_000_000) var keys = 100_000
    }
    private let store: StoreService

    init(settings: Settings, host: PluginHost) {
        store = StoreService(MemoryEngine(host, keys: settings.keys), host)
    }

    func service(_ id: String) -> UnsafeRawPointer? { store.table }

    func stop(within: Duration) { store.stop() }
}

/// Keys with their values, each with the time when it ends. Carries each command out at once, under a lock.
final class MemoryEngine: StoreEngine {
    private struct State {
        var values: [String: (value: Bytes, end: Duration)] = [:]
        var locks: [String: (token: Int64, end: Duration)] = [:]
        var lastToken: Int64 = 0
        /// Who has read a key and wants to know when it changes.
        var readers: [String: Set<StoreWatch>] = [:]
        /// What has ended is not searched before this time, so that a full store is not slow.
        var nextSweep = Duration.zero
    }

    let name = "memory"
    private let host: PluginHost
    private let limit: Int
    private let state = Mutex(State())

    init(_ host: PluginHost, keys: Int) { (self.host, limit) = (host, keys) }

    func unwatch(_ watch: StoreWatch) {
        state.withLock { state in
            for key in Array(state.readers.keys) { state.readers[key]?.remove(watch) }
            state.readers = state.readers.filter { !$0.value.isEmpty }
        }
    }

    func perform(
        _ command: StoreCommand, for service: StoreService,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        let now = host.now
        let (result, readers) = state.withLock { state in
            var changed: [String] = []
            let result = Result { () throws(StoreFailure) in try carryOut(command, at: now, &state, &changed) }
            var readers: [(key: String?, watches: Set<StoreWatch>)] = changed.map {
                ($0, state.readers.removeValue(forKey: $0) ?? [])
            }
            // There is no room to tell them of each key.
            if state.readers.count > limit {
                readers.append((nil, state.readers.values.reduce(into: []) { $0.formUnion($1) }))
                state.readers = [:]
            }
            return (result, readers)
        }
        for (key, watches) in readers { for watch in watches { service.changed(key, of: watch) } }
        done(result)
    }

    private func carryOut(
        _ command: StoreCommand, at now: Duration, _ state: inout State, _ changed: inout [String]
    ) throws(StoreFailure) -> StoreReply {
        switch command {
        case .get(let keys, let watch):
            if let watch { for key in keys { state.readers[key, default: []].insert(watch) } }
            return StoreReply(values: keys.map { value($0, at: now, state) })
        case .put(let entries):
            try makeRoom(for: Set(entries.map(\.key)), at: now, &state)
            for entry in entries { state.values[entry.key] = (entry.value, now + entry.timeToLive) }
            changed = entries.map(\.key)
        case .remove(let keys):
            changed = keys.filter { state.values.removeValue(forKey: $0) != nil }
        case .add(let key, let delta, let timeToLive):
            let old = value(key, at: now, state)
            guard let number = old.map({ Int64($0.text) }) ?? 0, !number.addingReportingOverflow(delta).overflow else {
                throw StoreFailure(.invalid, "The key has no number, or the sum is too large.")
            }
            if old == nil { try makeRoom(for: [key], at: now, &state) }
            let end = old == nil ? now + timeToLive : state.values[key]?.end ?? now
            state.values[key] = (Bytes(Array("\(number + delta)".utf8)), end)
            changed = [key]
            return StoreReply(number: number + delta)
        case .compareAndSet(let entry, let expected):
            guard value(entry.key, at: now, state)?.array == expected?.array else {
                throw StoreFailure(.refused, "The key has another value.")
            }
            try makeRoom(for: [entry.key], at: now, &state)
            state.values[entry.key] = (entry.value, now + entry.timeToLive)
            changed = [entry.key]
        case .takeLock(let key, let timeToLive):
            if let lock = state.locks[key], lock.end > now { throw StoreFailure(.refused, "Another has the lock.") }
            if state.locks[key] == nil, state.locks.count >= limit { sweep(at: now, &state) }
            guard state.locks[key] != nil || state.locks.count < limit else {
                throw StoreFailure(.down, "There is no room for another lock.")
            }
            state.lastToken += 1
            state.locks[key] = (state.lastToken, now + timeToLive)
            return StoreReply(number: state.lastToken)
        case .renewLock(let key, let token, let timeToLive):
            try checkLock(key, token, at: now, state)
            state.locks[key] = (token, now + timeToLive)
        case .giveBackLock(let key, let token):
            try checkLock(key, token, at: now, state)
            state.locks[key] = nil
        }
        return StoreReply()
    }

    private func value(_ key: String, at now: Duration, _ state: State) -> Bytes? {
        state.values[key].flatMap { $0.end > now ? $0.value : nil }
    }

    private func checkLock(_ key: String, _ token: Int64, at now: Duration, _ state: State) throws(StoreFailure) {
        if let lock = state.locks[key], lock.token == token, lock.end > now { return }
        throw StoreFailure(.refused, "The lock has another holder, or none.")
    }

    /// Removes what has ended where there is no room for these keys.
    private func makeRoom(for keys: Set<String>, at now: Duration, _ state: inout State) throws(StoreFailure) {
        let new = keys.filter { state.values[$0] == nil }.count
        if state.values.count + new > limit { sweep(at: now, &state) }
        let isFull = state.values.count + keys.filter { state.values[$0] == nil }.count > limit
        if isFull { throw StoreFailure(.down, "The store is full.") }
    }

    /// Removes what has ended, at most once a second.
    private func sweep(at now: Duration, _ state: inout State) {
        guard now >= state.nextSweep else { return }
        state.nextSweep = now + .seconds(1)
        state.values = state.values.filter { $0.value.end > now }
        state.locks = state.locks.filter { $0.value.end > now }
    }
}
