import SQLiteStore
import Synchronization

/// How a file is written to: within transactions, together with the uses that wait to be written down.
extension SQLiteCacheStore {
    /// Does such work, whose outcome nobody waits for.
    func change(_ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Void) {
        write(work) { _ in }
    }

    /// Does work that removes or marks, together with what waits to be written. On a full disk it is given the store's
    /// reserve.
    func write<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        perform(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                let value = try connection.removing { () throws(SQLiteFailure) in try work(file, connection) }
                self.noteUses(connection)
                return value
            }, then: then)
    }

    /// Adds to a file, within one transaction that also makes room for it.
    func add<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        perform(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                try file.checkDisk(connection)
                let room = file.room(connection)
                let (value, evicted) = try connection.transaction { () throws(SQLiteFailure) in
                    let value = try work(file, connection)
                    return (value, try self.makeRoom(upTo: room, connection))
                }
                self.state.withLock { state in
                    state.evicted += evicted
                    state.filter.remove(evicted)
                    state.room = room
                }
                self.noteUses(connection)
                return value
            },
            then: { result in
                self.report(result)
                then(result)
            })
    }

    private func makeRoom(upTo room: Int, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        guard try file.usedBytes(connection) > room else { return 0 }
        // What was used just now is not to go.
        try writeUses(connection)
        return try file.makeRoom(upTo: room, connection)
    }

    /// Best effort: the order of use is worth no failure.
    private func noteUses(_ connection: SQLiteStore.Connection) {
        do throws(SQLiteFailure) { try writeUses(connection) } catch {}
    }

    private func writeUses(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let ids = state.withLock { state in
            defer { (state.used, state.order) = ([], []) }
            return state.order
        }
        if ids.isEmpty { return }
        try connection.transaction { () throws(SQLiteFailure) in try file.use(ids, connection) }
    }

    // MARK: Bodies that are being stored

    /// Counts bytes of a body of so many; false, and nothing is counted, if there is no room for it. No body has more than a
    /// quarter of the file's room, and all that are being stored at a time no more than half.
    func reserve(_ more: Int, of length: Int) -> Bool {
        state.withLock { state in
            guard length <= state.room / 4, more <= state.room / 2 - state.reserved else { return false }
            state.reserved += more
            return true
        }
    }

    /// The body is stored now, or will not be.
    func release(_ bytes: Int) { state.withLock { $0.reserved -= bytes } }

    /// Counts bytes that wait in memory for the thread.
    func queue(_ bytes: Int) { state.withLock { $0.queued += bytes } }

    /// Whether little enough waits, of all bodies together.
    var hasRoomInQueue: Bool { state.withLock { $0.queued < SQLiteCacheStore.queueLimit } }
}
