import Synchronization

/// The keys that were read in the store of a fleet, and who is told when one of them changes.
final class FleetWatch: Sendable {
    private struct State {
        /// What was read and has not changed since, by cache keys: a serial number, and the names in the store.
        var seen: [CacheKey: (serial: Int, names: [String])] = [:]
        /// The cache keys that a name is about.
        var keys: [String: Set<CacheKey>] = [:]
        var lastSerial = 0
        /// Who waits for a change of a name: the latest only, because a process has one flight of a name at a time.
        var waiting: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    /// The most keys that are watched.
    private let limit: Int
    let tell: @Sendable (BackingChange) -> Void

    init(limit: Int, tell: @escaping @Sendable (BackingChange) -> Void) { (self.limit, self.tell) = (limit, tell) }

    /// Called before a key is read under these names. Returns what `isSeen` needs after the reply.
    func willRead(_ key: CacheKey, _ names: [String]) -> Int {
        let (serial, isFull) = state.withLock { state in
            let isFull = state.seen.count >= limit && state.seen[key] == nil
            if isFull { (state.seen, state.keys) = ([:], [:]) }
            if state.seen[key] == nil { state.lastSerial += 1 }
            var seen = state.seen[key] ?? (state.lastSerial, [])
            for name in names where state.keys[name, default: []].insert(key).inserted { seen.names.append(name) }
            state.seen[key] = seen
            return (seen.serial, isFull)
        }
        if isFull { tell(.any) }
        return serial
    }

    /// Whether nothing that was read has changed since: a change may be told before the reply comes with the value from
    /// before.
    func isSeen(_ key: CacheKey, _ serial: Int) -> Bool { state.withLock { $0.seen[key]?.serial == serial } }

    /// Forgets what was read of a key, and tells it.
    func forget(_ key: CacheKey) {
        state.withLock { FleetWatch.forget(key, &$0) }
        tell(.key(key))
    }

    /// Waits once for a change of a name, in place of an earlier call for it.
    func wait(for name: String, _ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting[name] = changed }
    }

    /// Called with a name that has changed; nil: any may have.
    func changed(_ name: String?) {
        let isAll = name == nil || name == FleetNames.generation
        let (keys, waiting) = state.withLock { state -> (Set<CacheKey>, [@Sendable () -> Void]) in
            var keys: Set<CacheKey> = []
            if isAll {
                (state.seen, state.keys) = ([:], [:])
            } else if let name {
                keys = state.keys[name] ?? []
                for key in keys { FleetWatch.forget(key, &state) }
            }
            if let name { return (keys, state.waiting.removeValue(forKey: name).map { [$0] } ?? []) }
            defer { state.waiting = [:] }
            return (keys, Array(state.waiting.values))
        }
        if isAll { tell(.anyOwn) }
        for key in keys { tell(.key(key)) }
        for waiting in waiting { waiting() }
    }

    private static func forget(_ key: CacheKey, _ state: inout State) {
        for name in state.seen.removeValue(forKey: key)?.names ?? [] {
            state.keys[name]?.remove(key)
            if state.keys[name]?.isEmpty == true { state.keys[name] = nil }
        }
    }
}
