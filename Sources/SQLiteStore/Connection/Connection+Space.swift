extension SQLiteStore.Connection {
    /// The file and its disk, as they are now; nil in memory, or if the system does not say.
    public var diskSpace: DiskSpace? { path.flatMap { DiskSpace(of: $0) } }

    /// Writes the log to the file, and gives the log's space back to the disk. Not within a transaction. Does what it can
    /// while other processes read.
    public func checkpoint() throws(SQLiteFailure) { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Does work that removes. On a full disk the store's reserve gives it the room that it needs, and the work is done
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

    /// Writes the log to the file, so that it begins at its start again and takes no more space. Does what it can. Not within
    /// a transaction.
    public func restartLog() {
        do throws(SQLiteFailure) { try run("PRAGMA wal_checkpoint(RESTART)") } catch {}
    }
}
