import SQLiteStore

/// The order of use, the room that the file takes, and what others have left in it.
extension CacheFile {
    /// Marks entries as used now, in this order.
    func use(_ ids: [Int64], _ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        if ids.isEmpty { return }
        let last = try lastUse(connection)
        for (number, id) in zip(Int64(1)..., ids) {
            try connection.run(
                "UPDATE entry SET used = ? WHERE id = ? AND owner IS NULL", .integer(last + number), .integer(id))
        }
    }

    func lastUse(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int64 {
        let last = try connection.first("SELECT max(used) FROM entry WHERE owner IS NULL") { $0.integer(0) } ?? 0
        // A damaged number is not to stop the order.
        return min(max(last, 0), .max >> 1)
    }

    /// Bytes that the file may have now: on a disk with little room less than its limit, so that the disk is never filled.
    func room(_ connection: SQLiteStore.Connection) -> Int {
        guard let space = connection.diskSpace else { return limit }
        return min(limit, max(space.file + space.available - space.reserve, 0))
    }

    /// Throws `full` on a disk that others have filled: nothing can be added, and what is stored does not go for it. Not within a
    /// transaction.
    func checkDisk(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        guard isFull(connection) != nil else { return }
        // The log may hold what is missing.
        try? connection.checkpoint()
        if let space = isFull(connection) {
            throw SQLiteFailure.full("The disk has only \(space.available >> 10) KiB left.")
        }
    }

    private func isFull(_ connection: SQLiteStore.Connection) -> DiskSpace? {
        connection.diskSpace.flatMap { $0.available < $0.reserve / 2 ? $0 : nil }
    }

    /// Removes the least recently used entries until the file has no more than so many bytes. Tells how many went. Throws if
    /// bodies that are still being stored take all the room.
    func makeRoom(upTo limit: Int, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        var evicted = 0
        while true {
            let excess = try usedBytes(connection) - limit
            if excess <= 0 { return evicted }
            // A little more than needed, so that not each entry that comes must look again.
            let wanted = excess + limit / 64
            var (ids, bytes) = ([Int64](), 0)
            try connection.each(
                "SELECT id, length FROM entry WHERE owner IS NULL ORDER BY used LIMIT 256"
            ) { row in
                ids.append(row.integer(0))
                // The head and its places in the indices take about a kibibyte.
                bytes += Int(clamping: max(row.integer(1), 0)) + 1024
                return bytes < wanted
            }
            let removed = try remove(ids, connection)
            if removed == 0 { throw CacheFile.noRoom }
            evicted += removed
        }
    }

    private static let noRoom = SQLiteFailure(
        code: 0, message: "Bodies that are being stored, or read after their removal, take all the room.")

    func usedBytes(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        let pages = try connection.first("PRAGMA page_count") { Int($0.integer(0)) } ?? 0
        let free = try connection.first("PRAGMA freelist_count") { Int($0.integer(0)) } ?? 0
        return (pages - free) * CacheSchema.schema.pageSize
    }

    /// Entries that can be found, and the bytes of their bodies.
    func statistics(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> StoreStatistics {
        try connection.first("SELECT count(*), sum(length) FROM entry WHERE owner IS NULL") { row in
            StoreStatistics(entries: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? StoreStatistics()
    }

    // MARK: What others have left

    /// Removes what processes were writing or reading that have ended since.
    func clean(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let owners = try connection.rows("SELECT DISTINCT owner FROM entry WHERE owner IS NOT NULL") { $0.text(0) }
        for owner in owners where owner != self.owner {
            switch ProcessIdentity(owner).map(\.isGone) ?? true {
            case true: try connection.run("DELETE FROM entry WHERE owner = ?", .text(owner))
            // Nobody takes a day for a body.
            case nil:
                try connection.run(
                    "DELETE FROM entry WHERE owner = ? AND used < \(CacheFile.now) - 86400", .text(owner))
            case false: break
            }
        }
    }

    /// Removes what this store was writing or hiding.
    func leave(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try connection.run("DELETE FROM entry WHERE owner = ?", .text(owner))
    }

    /// Gives free pages back to the system.
    func shrink(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try connection.run("PRAGMA incremental_vacuum")
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
