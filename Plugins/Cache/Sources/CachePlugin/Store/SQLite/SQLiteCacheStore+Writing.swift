import SQLiteStore
import Synchronization

/// How a file is written to: within transactions, together with the uses that wait to be written down.
extension SQLiteCacheStore {
    /// Does work that writes, and reports its failure.
    func change(_ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Void) {
        write(work) { _ in }
    }

    /// Does work that writes, together with what waits to be written.
    func write<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        perform(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                let value = try work(file, connection)
                try self.writeUses(connection)
                return value
            },
            then: { result in
                self.report(result)
                then(result)
            })
    }

    /// Adds to a file, within one transaction that also makes room for it.
    func add<Value: Sendable>(
        when urgency: SQLiteStore.Urgency = .now,
        _ work: @escaping @Sendable (CacheFile, SQLiteStore.Connection) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        write(
            when: urgency,
            { (file, connection) throws(SQLiteFailure) in
                let (value, evicted) = try connection.transaction { () throws(SQLiteFailure) in
                    let value = try work(file, connection)
                    return (value, try self.makeRoom(connection))
                }
                self.state.withLock { state in
                    state.evicted += evicted
                    state.filter.remove(evicted)
                }
                return value
            }, then: then)
    }

    private func makeRoom(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        guard try file.usedBytes(connection) > file.limit else { return 0 }
        // What was used just now is not to go.
        try writeUses(connection)
        return try file.makeRoom(connection)
    }

    private func writeUses(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let ids = state.withLock { state in
            defer { (state.used, state.order) = ([], []) }
            return state.order
        }
        if ids.isEmpty { return }
        try connection.transaction { () throws(SQLiteFailure) in try file.use(ids, connection) }
    }
}
