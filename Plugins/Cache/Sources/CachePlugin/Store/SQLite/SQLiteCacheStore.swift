import PlugboardKit
import SQLiteStore
import Synchronization

/// Answers in a SQLite file, which several processes may use.
///
/// What another process does to the file is seen at the next look-up that asks it, and at the latest after
/// `staleness`: until then a key that was not there counts as not there. A process sees its own changes at once: those
/// that cannot be written, to a full disk say, are tried again later, and show in what is found until then.
final class SQLiteCacheStore: CacheStore {
    struct State {
        var filter = KeyFilter()
        /// When the file was last asked whether others have changed it.
        var asked: ContinuousClock.Instant?
        /// The file and its version, as of then.
        var seen: (opening: Int, version: Int64)?
        /// Entries that were used, not yet written down.
        var used: Set<Int64> = []
        var order: [Int64] = []
        var unfinished: [Change] = []
        /// Takes entries that come before anything else is asked of the file.
        var gathering: Gathering?
        /// Nothing is stored until then.
        var pause: ContinuousClock.Instant?
        var hasWarned = false
        var evicted = 0
        /// Bytes that the file may have, as of the last time when something was added.
        var room: Int
        /// Bytes of bodies that are being stored.
        var reserved = 0
        /// Of those, bytes that wait for the thread.
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

    /// Uses are written down when there are so many, or when something else is written.
    private static let useLimit = 256
    let pause: Duration
    /// Bytes of all bodies that wait for the thread.
    static let queueLimit = 8 << 20

    /// - Parameters:
    ///   - bytes: that the file may have; a body of more than a quarter is not kept.
    ///   - staleness: how long what is known of the file counts without asking.
    ///   - pause: how long nothing is stored after the file could not be written.
    ///   - changed: called when what was known before is known no more, for others have written to the file.
    init(
        path: String, bytes: Int, staleness: Duration = .seconds(1), pause: Duration = .seconds(30),
        notice: @escaping @Sendable (String) -> Void, changed: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex(State(room: max(bytes, 0)))
        self.pause = pause
        store = SQLiteStore(.file(path), schema: CacheSchema.schema, patience: .seconds(1), notice: notice)
        file = CacheFile(owner: ProcessIdentity().text, limit: bytes, readings: Readings())
        largest = max(bytes, 0) / 4
        self.staleness = staleness
        lookPeriod = min(staleness / 4, .milliseconds(250))
        self.notice = notice
        self.changed = changed
    }

    func open() { perform({ (_, _) throws(SQLiteFailure) in }, then: { _ in }) }

    // MARK: Finding

    /// No entries, if the key is known to have none.
    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? {
        state.withLock { state in
            isCurrent(state) && !state.filter.canHave(key) ? [] : nil
        }
    }

    /// Whether what is known of the file still counts.
    var isCurrent: Bool { state.withLock { isCurrent($0) } }

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
        if let body = entry.body { return PiecesSource([body], part) }
        return StoredBody(self, entry, part)
    }

    /// Counts a use of an entry.
    func use(_ id: Int64) {
        let isFull = state.withLock { state in
            if state.used.insert(id).inserted { state.order.append(id) }
            return state.order.count == SQLiteCacheStore.useLimit
        }
        if isFull { change { (_, _) throws(SQLiteFailure) in } }
    }

    /// Removes entries whose bytes are not what was stored.
    func removeDamaged(_ ids: [Int64]) {
        notice("Damaged entries have been found in the store and are removed: \(ids.count).")
        removeLost(ids)
    }

    /// Removes entries whose bytes are not there, and makes known that what was found before may not be, either.
    func removeLost(_ ids: [Int64]) {
        apply(.remove(ids)) { _ in }
        changed()
    }

    // MARK: Writing

    func write(length: Int?) -> (any EntryWriter)? {
        sink(length: length).flatMap { PieceWriter($0, length: length, largest: largest) }
    }

    /// Where the pieces of a body go; nil while the disk is full, or if there is no room for the body beside others.
    func sink(length: Int?) -> SQLiteSink? { isPaused ? nil : SQLiteSink(self, length: length) }

    var isPaused: Bool { state.withLock { state in state.pause.map { $0 > .now } ?? false } }

    /// The key may be found from now on.
    func willAdd(_ key: CacheKey) { state.withLock { $0.filter.willAdd(key) } }
    func didAdd(_ key: CacheKey) { state.withLock { $0.filter.didAdd(key) } }

    func update(_ entry: CacheEntry, _ answer: StoredResponse) { update(entry, answer) {} }

    func update(_ entry: CacheEntry, _ answer: StoredResponse, _ done: @escaping @Sendable () -> Void) {
        var answer = answer
        // What an entry is found by stays.
        answer.key = entry.answer.key
        answer.url = entry.answer.url
        apply(.update(entry.id, answer, length: entry.length)) { _ in done() }
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
        // Best effort: the entries are gone, whether the disk gets its pages back or not.
        if what == .all { change { (file, connection) throws(SQLiteFailure) in try file.shrink(connection) } }
    }

    private func apply(_ change: Change, _ done: @escaping @Sendable (Int) -> Void) {
        perform(
            { (file, connection) throws(SQLiteFailure) in try change.applyWithReserve(file, connection) },
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

    /// Does work after all that was asked before, on a file that is known.
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

    /// Does work that only reads, also while changes cannot be written: the work sees to it that they show.
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

    /// Sees what others have done to the file.
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
            state.withLock { $0.filter.add(keys, last: last) }
        }
        if isChanged { changed() }
        state.withLock { state in
            state.seen = (connection.opening, version)
            state.asked = .now
        }
    }

    /// Best effort: what ended processes have left only takes room. Damage that is met here counts all the same.
    private func clean(_ connection: SQLiteStore.Connection) {
        do throws(SQLiteFailure) {
            try connection.removing { () throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in try file.clean(connection) }
            }
        } catch {}
    }

    /// Whether it was looked at just now: so often that, while requests come, what is known never gets too old.
    private func hasLooked(_ state: State, _ connection: SQLiteStore.Connection) -> Bool {
        guard let asked = state.asked, state.seen?.opening == connection.opening, !state.filter.isStale else {
            return false
        }
        return asked.duration(to: .now) < lookPeriod
    }

    // MARK: The rest

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
            try connection.transaction { () throws(SQLiteFailure) in try file.leave(connection) }
        }
        store.close(within: limit)
    }

    /// The reader of an entry has gone.
    func endReading(_ id: Int64) {
        guard file.readings.end(id) else { return }
        change { (file, connection) throws(SQLiteFailure) in try file.drop(id, connection) }
    }
}
