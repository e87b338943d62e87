import PlugboardSQLite
import Synchronization

/// Writes to the file in transactions, together with the uses that are not written yet.
extension SQLiteCacheStore {
    /// Performs work whose outcome does not matter.
    func change(_ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Void) {
        write(work) { _ in }
    }

    /// Performs work that removes or marks entries. On a full disk it may use the store's reserve.
    func write<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        perform(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                let value = try connection.removing { () throws(SQLiteFailure) in try work(file, connection) }
                self.tidy(connection)
                return value
            }, then: then)
    }

    /// Adds to the file in a transaction that also makes room.
    func add<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        perform(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                try file.checkDisk(connection)
                let room = try file.room(connection)
                let (value, evicted) = try connection.transaction { () throws(SQLiteFailure) in
                    let value = try work(file, connection)
                    return (value, try self.makeRoom(upTo: room, connection))
                }
                self.state.withLock { state in
                    state.evicted += evicted
                    state.filter.remove(evicted)
                    state.room = room
                }
                self.tidy(connection)
                return value
            },
            then: { result in
                self.report(result)
                then(result)
            })
    }

    private func makeRoom(upTo room: Int, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        guard try file.usedBytes(connection) > room else { return 0 }
        // First, so that recently used entries are not removed.
        try writeUses(connection)
        return try file.makeRoom(upTo: room, connection)
    }

    /// Writes the order of use, and removes files. Best effort: a failure does not affect the caller's work.
    func tidy(_ connection: SQLiteStore.Connection) {
        do throws(SQLiteFailure) { try writeUses(connection) } catch {}
        do throws(SQLiteFailure) { try file.sweep(connection) } catch {}
    }

    private func writeUses(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let ids = state.withLock { state in
            defer { (state.used, state.order) = ([], []) }
            return state.order
        }
        if ids.isEmpty { return }
        try connection.transaction { () throws(SQLiteFailure) in try file.use(ids, connection) }
    }

    /// Removes what ended processes have left. Best effort, because it only takes room. The store handles damage.
    func clean(_ connection: SQLiteStore.Connection) {
        do throws(SQLiteFailure) {
            // Requests wait for this, and it would wait for another process that writes.
            try SQLiteCacheStore.wait(.zero, connection)
            defer { try? SQLiteCacheStore.wait(SQLiteCacheStore.lockPatience, connection) }
            try connection.removing { () throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in try file.clean(connection) }
            }
        } catch {}
    }

    /// Sets how long a connection waits for another process that writes.
    static func wait(_ time: Duration, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try connection.run("PRAGMA busy_timeout = \(Int64(time / .milliseconds(1)))")
    }

    // MARK: Bodies that are being stored

    /// Counts bytes of a body with this length; false, without counting, if there is no room. A body may take a quarter
    /// of the file's room, and all bodies that are being stored together half of it.
    func reserve(_ more: Int, of length: Int) -> Bool {
        state.withLock { state in
            guard length <= state.room / 4, more <= state.room / 2 - state.reserved else { return false }
            state.reserved += more
            return true
        }
    }

    /// Stops counting bytes of a body that is stored now, or discarded.
    func release(_ bytes: Int) { state.withLock { $0.reserved -= bytes } }

    /// Counts bytes in memory that wait for the store's thread.
    func queue(_ bytes: Int) { state.withLock { $0.queued += bytes } }

    /// Whether the bytes that wait, of all bodies together, are within the limit.
    var hasRoomInQueue: Bool { state.withLock { $0.queued < SQLiteCacheStore.queueLimit } }
}

/// Changes that could not be written.
extension SQLiteCacheStore {
    /// Makes the postponed changes; throws if one fails again.
    func finish(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let changes = state.withLock { $0.unfinished }
        if changes.isEmpty { return }
        for change in changes { _ = try change.applyWithReserve(file, connection) }
        state.withLock { $0.unfinished = [] }
    }

    /// Makes the postponed changes before a read, which continues if they fail. Does nothing during a pause.
    func tryToFinish(_ connection: SQLiteStore.Connection) {
        if isPaused { return }
        do throws(SQLiteFailure) { try finish(connection) } catch { report(Result<Void, SQLiteFailure>.failure(error)) }
    }

    /// Entries of the file with the postponed changes applied.
    func shown(_ entries: [CacheEntry]) -> [CacheEntry] {
        let changes = state.withLock { $0.unfinished }
        if changes.isEmpty { return entries }
        return entries.compactMap { entry in
            var entry = entry
            for change in changes where !change.show(in: &entry) { return nil }
            return entry
        }
    }

    func postpone(_ change: Change, _ failure: SQLiteFailure) {
        report(Result<Void, SQLiteFailure>.failure(failure))
        // A damaged file has been moved aside together with its entries.
        if failure.kind == .damaged || failure.kind == .closed { return }
        state.withLock { state in
            state.unfinished.append(change)
            // With more changes than this, all entries are removed instead.
            if state.unfinished.count > 1000 { state.unfinished = [.purge(.all)] }
        }
    }

    /// Logs a failure once, until something has been written again.
    func report<Value>(_ result: Result<Value, SQLiteFailure>) {
        switch result {
        case .success:
            state.withLock { state in
                state.hasWarned = false
                state.pause = nil
            }
        case .failure(let failure):
            let mustPause = [.full, .inaccessible, .busy, .newer, .readOnly].contains(failure.kind)
            let isFirst = state.withLock { state in
                if mustPause { state.pause = .now + pause }
                defer { state.hasWarned = state.hasWarned || mustPause }
                return !state.hasWarned
            }
            // The store has already logged that the file is read-only.
            if mustPause && isFirst && failure.kind != .readOnly {
                notice("Nothing is stored for a while, and requests continue: \(failure)")
            }
        }
    }
}

/// A change to visible entries. A change that fails is repeated before the next look-up.
enum Change: Sendable {
    case remove([Int64])
    case update(Int64, StoredResponse, length: Int)
    case invalidate(url: String)
    case purge(Purge)

    /// Makes the change in an entry that was found; false if the change removes the entry.
    func show(in entry: inout CacheEntry) -> Bool {
        switch self {
        case .remove(let ids): return !ids.contains(entry.id)
        case .update(let id, let response, _):
            if id == entry.id { entry.response = response }
            return true
        case .invalidate(let url):
            if entry.response.url == url { entry.response.isInvalidated = true }
            return true
        case .purge(.memory): return true
        case .purge(.all): return false
        case .purge(.url(let url)): return entry.response.url != url
        case .purge(.pattern(let pattern)): return !URLPattern(pattern).fits(entry.response.url)
        }
    }

    /// Makes the change in the file, and returns the number of removed entries.
    func apply(_ file: CacheFile, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        try connection.transaction { () throws(SQLiteFailure) in
            switch self {
            case .remove(let ids): return try file.remove(ids, connection)
            case .update(let id, let response, let length):
                try file.update(id, response, length: length, connection)
                return 0
            case .invalidate(let url):
                try file.invalidate(url: url, connection)
                return 0
            case .purge(let what): return try file.purge(what, connection)
            }
        }
    }

    /// Makes the change on a disk that may be full: then `.all` is removed in small steps, which need little room in
    /// the log.
    func applyWithReserve(_ file: CacheFile, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        var isFull = false
        return try connection.removing { () throws(SQLiteFailure) in
            defer { isFull = true }
            guard isFull, case .purge(.all) = self else { return try apply(file, connection) }
            var count = 0
            while true {
                let ids = try connection.rows("SELECT id FROM entry WHERE owner IS NULL LIMIT 16") { $0.integer(0) }
                let removed = try connection.transaction { () throws(SQLiteFailure) in try file.remove(ids, connection)
                }
                if removed == 0 { return count }
                count += removed
                connection.restartLog()
            }
        }
    }
}
