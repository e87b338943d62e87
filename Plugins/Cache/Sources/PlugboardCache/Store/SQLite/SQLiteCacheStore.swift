import PlugboardKit
import PlugboardSQLite
import Synchronization

/// Responses in a SQLite file, and large bodies in files beside it, which several processes may share.
///
/// Changes of other processes are seen at the next look-up in the file, and after `staleness` at the latest: until then
/// a missing key counts as missing. A process sees its own changes at once; changes that cannot be written, as on a
/// full disk, are repeated later, and applied to look-ups until then.
final class SQLiteCacheStore: CacheStore, BackingStore {
    struct State {
        var filter = KeyFilter()
        /// When the file was last checked for changes of other processes.
        var asked: ContinuousClock.Instant?
        /// The file and its version at that time.
        var seen: (opening: Int, version: Int64)?
        /// The ids of used entries whose use is not written yet.
        var used: Set<Int64> = []
        var order: [Int64] = []
        var unfinished: [Change] = []
        /// Collects small entries until other work is queued.
        var gathering: Gathering?
        /// Nothing is stored before this time.
        var pause: ContinuousClock.Instant?
        var hasWarned = false
        var evicted = 0
        /// The most bytes of the file, as of the last addition.
        var room: Int
        /// The bytes of bodies that are being stored.
        var reserved = 0
        /// The part of these bytes that waits for the store's thread.
        var queued = 0
    }

    let file: CacheFile
    let largest: Int
    let store: SQLiteStore
    private let staleness: Duration
    private let lookPeriod: Duration
    let notice: @Sendable (String) -> Void
    private let changed: @Sendable () -> Void
    let state: Mutex<State>

    /// The number of uses after which they are written; other writing includes them earlier.
    private static let useLimit = 256
    let pause: Duration
    /// How long a change waits for another process that writes.
    static let lockPatience = Duration.seconds(1)
    /// The most bytes of all bodies that wait for the thread.
    static let queueLimit = 8 << 20

    /// - Parameters:
    /// - bytes: The most bytes of the file; a body of more than a quarter is not stored.
    /// - staleness: How long knowledge about the file is used without checking the file.
    /// - pause: How long nothing is stored after a failure to write.
    /// - changed: Called when earlier knowledge is invalid, because another process has written to the file.
    init(
        path: String, bytes: Int, staleness: Duration = .seconds(1), pause: Duration = .seconds(30),
        notice: @escaping @Sendable (String) -> Void, changed: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex(State(room: max(bytes, 0)))
        self.pause = pause
        store = SQLiteStore(
            .file(path), schema: CacheSchema.schema, patience: SQLiteCacheStore.lockPatience, notice: notice)
        file = CacheFile(
            owner: ProcessIdentity().text, limit: bytes, readings: Readings(), bodies: BodyFiles(beside: path))
        largest = max(bytes, 0) / 4
        self.staleness = staleness
        lookPeriod = min(staleness / 4, .milliseconds(250))
        self.notice = notice
        self.changed = changed
    }

    var isListed: Bool { true }

    func open() { perform({ (_, _) throws(SQLiteFailure) in }, then: { _ in }) }

    // MARK: Finding

    /// No entries, if the key is known to be missing; otherwise nil.
    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? { lacks(key) == true ? [] : nil }

    /// Whether the file is known not to contain the key; nil if the knowledge about the file is not recent enough.
    func lacks(_ key: CacheKey) -> Bool? {
        state.withLock { isCurrent($0) ? !$0.filter.canHave(key) : nil }
    }

    /// Whether the knowledge about the file is recent enough.
    private func isCurrent(_ state: State) -> Bool {
        guard let asked = state.asked else { return false }
        return asked.duration(to: .now) < staleness
    }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        read(
            { (file, connection) throws(SQLiteFailure) in
                let finding = try file.find(key, connection)
                if !finding.damaged.isEmpty { self.removeDamaged(finding.damaged) }
                return self.shown(finding.entries)
            },
            then: { result in found((try? result.get()) ?? []) })
    }

    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource {
        use(entry.id)
        let part = part.clamped(to: 0..<entry.length)
        if let pieces = entry.pieces { return PiecesSource(pieces, part) }
        return StoredBody(self, entry, part)
    }

    /// Records a use of an entry.
    func use(_ id: Int64) {
        let isFull = state.withLock { state in
            if state.used.insert(id).inserted { state.order.append(id) }
            return state.order.count == SQLiteCacheStore.useLimit
        }
        if isFull { change { (_, _) throws(SQLiteFailure) in } }
    }

    /// Removes damaged entries.
    func removeDamaged(_ ids: [Int64]) {
        notice("\(ids.count) damaged entries were found in the store, and are removed.")
        removeLost(ids)
    }

    /// Removes entries whose bodies are missing, and invalidates the earlier knowledge.
    func removeLost(_ ids: [Int64]) {
        apply(.remove(ids)) { _ in }
        changed()
    }

    // MARK: Writing

    func write(length: Int?) -> (any EntryWriter)? {
        sink(length: length).flatMap { PieceWriter($0, length: length, largest: largest) }
    }

    /// Writes the pieces of a body; nil while the store is paused, or without room for the body.
    func sink(length: Int?) -> (any PieceSink)? { isPaused ? nil : SQLiteSink(self, length: length) }

    var isPaused: Bool { state.withLock { state in state.pause.map { $0 > .now } ?? false } }

    /// Called before and after an entry with the key is written.
    func willAdd(_ key: CacheKey) { state.withLock { $0.filter.willAdd(key) } }
    func didAdd(_ key: CacheKey) { state.withLock { $0.filter.didAdd(key) } }

    func update(_ entry: CacheEntry, _ response: StoredResponse) { update(entry, response) {} }

    func update(_ entry: CacheEntry, _ response: StoredResponse, _ done: @escaping @Sendable () -> Void) {
        var response = response
        // Key and URL stay, because the entry is found by them.
        response.key = entry.response.key
        response.url = entry.response.url
        apply(.update(entry.id, response, length: entry.length)) { _ in done() }
    }

    func remove(_ entries: [CacheEntry]) { remove(entries) {} }

    func remove(_ entries: [CacheEntry], _ done: @escaping @Sendable () -> Void) {
        apply(.remove(entries.map(\.id))) { _ in done() }
    }

    func invalidate(url: String) { invalidate(url: url) {} }

    func invalidate(url: String, _ done: @escaping @Sendable () -> Void) {
        apply(.invalidate(url: url)) { _ in done() }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        if what == .memory { return done(0) }
        apply(.purge(what), done)
        // Best effort: the entries are removed even if the file does not shrink.
        if what == .all { change { (file, connection) throws(SQLiteFailure) in try file.shrink(connection) } }
    }

    private func apply(_ change: Change, _ done: @escaping @Sendable (Int) -> Void) {
        perform(
            { (file, connection) throws(SQLiteFailure) in
                let count = try change.applyWithReserve(file, connection)
                // Before `done`, so that the files are removed when the caller is notified.
                do throws(SQLiteFailure) { try file.sweep(connection) } catch {}
                return count
            },
            then: { result in
                switch result {
                case .success(let count):
                    if count > 0 { self.state.withLock { $0.filter.remove(count) } }
                    done(count)
                case .failure(let failure):
                    self.postpone(change, failure)
                    done(0)
                }
            })
    }

    // MARK: The store's thread

    /// Performs work after all earlier work, with up-to-date knowledge of the file and without postponed changes.
    func perform<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        if urgency == .now { state.withLock { $0.gathering = nil } }
        store.perform(
            when: urgency,
            { (connection) throws(SQLiteFailure) in
                try self.look(connection)
                try self.finish(connection)
                return try work(self.file, connection)
            }, then: then)
    }

    /// Performs work that only reads; postponed changes may remain, and the work must apply them with `shown`.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        state.withLock { $0.gathering = nil }
        store.perform(
            { (connection) throws(SQLiteFailure) in
                try self.look(connection)
                self.tryToFinish(connection)
                return try work(self.file, connection)
            }, then: then)
    }

    /// Reads the changes of other processes.
    private func look(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        if state.withLock({ hasLooked($0, connection) }) { return }
        let version = try connection.dataVersion()
        let (isOther, isChanged, after) = state.withLock { state in
            let isOther = state.seen?.opening != connection.opening
            let isChanged = isOther || state.seen?.version != version
            if isOther || state.filter.isStale { state.filter.unload() }
            return (isOther, isChanged, state.filter.isLoaded ? state.filter.last : 0)
        }
        if isOther { clean(connection) }
        if isChanged || after == 0 {
            let (keys, last) = try file.keys(after: after, connection)
            let sums = Set(keys)
            state.withLock { $0.filter.add(sums, last: last) }
        }
        if isChanged { changed() }
        state.withLock { state in
            state.seen = (connection.opening, version)
            state.asked = .now
        }
    }

    /// Whether the file was checked recently, so that requests in short intervals share a check.
    private func hasLooked(_ state: State, _ connection: SQLiteStore.Connection) -> Bool {
        guard let asked = state.asked, state.seen?.opening == connection.opening, !state.filter.isStale else {
            return false
        }
        return asked.duration(to: .now) < lookPeriod
    }

    // MARK: Listing and closing

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        read(
            { (file, connection) throws(SQLiteFailure) in self.shown(try file.list(what, limit: limit, connection)) },
            then: { result in found((try? result.get()) ?? []) })
    }

    var evictions: Int { state.withLock { $0.evicted } }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) {
        read({ (file, connection) throws(SQLiteFailure) in try file.statistics(connection) }) { result in
            var statistics = (try? result.get()) ?? StoreStatistics()
            statistics.evicted = self.state.withLock { $0.evicted }
            done(statistics)
        }
    }

    func close(within limit: Duration) {
        change { (file, connection) throws(SQLiteFailure) in
            // The order of use, too, is worth no long wait for another process that writes.
            try SQLiteCacheStore.wait(.milliseconds(250), connection)
            try file.leave(connection)
        }
        store.close(within: limit)
    }

    /// Called when the last reader of an entry has ended.
    func endReading(_ id: Int64) {
        guard file.readings.end(id) else { return }
        change { (file, connection) throws(SQLiteFailure) in try file.drop(id, connection) }
    }
}
