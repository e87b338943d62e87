extension SQLiteStore.Connection {
    /// The space of the file and of its disk now; nil in memory, or if the system cannot tell.
    public var diskSpace: DiskSpace? { path.flatMap { DiskSpace(of: $0) } }

    /// Writes the log to the file and frees the log's disk space. Not inside a transaction. While other processes read,
    /// a part of the log may remain.
    public func checkpoint() throws(SQLiteFailure) { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Performs work that removes data. If the disk is full, the store frees its reserve, and the work is performed
    /// once more from its beginning.
    public func removing<Result>(
        _ work: () throws(SQLiteFailure) -> Result
    ) throws(SQLiteFailure) -> Result {
        do throws(SQLiteFailure) {
            return try work()
        } catch {
            guard error.kind == .full, !isInTransaction, let reserve, reserve.release() else { throw error }
            defer { reserve.fill() }
            restartLog()
            return try work()
        }
    }

    /// Writes the log to the file, so that the log's space is used again. Best effort. Not inside a transaction.
    public func restartLog() {
        do throws(SQLiteFailure) { try run("PRAGMA wal_checkpoint(RESTART)") } catch {}
    }
}
