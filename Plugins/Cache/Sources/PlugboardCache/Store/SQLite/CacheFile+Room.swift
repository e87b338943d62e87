import PlugboardSQLite

/// The order of use, the size of the file, and the remains of ended processes.
extension CacheFile {
    /// Marks entries as used now, in the given order.
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
        // Clamped, so that a damaged number does not stop the counting.
        return min(max(last, 0), .max >> 1)
    }

    /// The most bytes that the file may have now: less than the limit on a small disk, which must not be filled.
    func room(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        guard let space = connection.diskSpace else { return limit }
        return min(limit, max(space.file + (try fileBytes(connection)) + space.available - space.reserve, 0))
    }

    /// Throws `full` if other files have filled the disk: then nothing is added, and nothing is evicted. Not called in
    /// a transaction.
    func checkDisk(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        guard isFull(connection) != nil else { return }
        // A checkpoint may free the room of the log.
        try? connection.checkpoint()
        if let space = isFull(connection) {
            throw SQLiteFailure.full("The disk has only \(space.available >> 10) KiB left.")
        }
    }

    private func isFull(_ connection: SQLiteStore.Connection) -> DiskSpace? {
        connection.diskSpace.flatMap { $0.available < $0.reserve / 2 ? $0 : nil }
    }

    /// Removes the least recently used entries until the file has at most `limit` bytes, and returns their number.
    /// Throws if bodies that are being stored take all the room.
    func makeRoom(upTo limit: Int, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        var evicted = 0
        while true {
            let excess = try usedBytes(connection) - limit
            if excess <= 0 { return evicted }
            // Removes a little more, so that not every new entry has to make room.
            let wanted = excess + limit / 64
            var (ids, bytes) = ([Int64](), 0)
            try connection.each(
                "SELECT id, length FROM entry WHERE owner IS NULL ORDER BY used LIMIT 256"
            ) { row in
                ids.append(row.integer(0))
                // The head and its rows in the indices take about a kibibyte.
                bytes += Int(min(max(row.integer(1), 0), CacheFile.longestBody)) + 1024
                return bytes < wanted
            }
            let removed = try remove(ids, connection)
            if removed == 0 { throw CacheFile.noRoom }
            evicted += removed
        }
    }

    /// Longer than any body. A damaged length is limited to it, so that sums cannot overflow.
    private static let longestBody: Int64 = 1 << 40

    private static let noRoom = SQLiteFailure(
        code: 0, message: "Bodies that are being stored, or that are read after their removal, take all the room.")

    func usedBytes(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        let pages = try connection.first("PRAGMA page_count") { Int($0.integer(0)) } ?? 0
        let free = try connection.first("PRAGMA freelist_count") { Int($0.integer(0)) } ?? 0
        return (pages - free) * CacheSchema.schema.pageSize + (try fileBytes(connection))
    }

    /// The bytes of all files of bodies.
    private func fileBytes(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        // A damaged number must not overflow.
        min(max(try connection.first("SELECT bytes FROM total") { Int($0.integer(0)) } ?? 0, 0), 1 << 60)
    }

    /// The number of visible entries, and the bytes of their bodies.
    func statistics(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> StoreStatistics {
        let sum = "sum(min(max(length, 0), \(CacheFile.longestBody)))"
        return try connection.first("SELECT count(*), \(sum) FROM entry WHERE owner IS NULL") { row in
            StoreStatistics(entries: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? StoreStatistics()
    }

    // MARK: Remains

    /// Removes the unfinished and hidden entries of processes that have ended.
    func clean(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let owners = try connection.rows("SELECT DISTINCT owner FROM entry WHERE owner IS NOT NULL") { $0.text(0) }
        for owner in owners where owner != self.owner {
            switch ProcessIdentity(owner).map(\.isGone) ?? true {
            case true: try connection.run("DELETE FROM entry WHERE owner = ?", .text(owner))
            // It is not known whether the process runs, but no body is written or read for a day.
            case nil:
                try connection.run(
                    "DELETE FROM entry WHERE owner = ? AND used < \(CacheFile.now) - 86400", .text(owner))
            case false: break
            }
        }
        let known = Set(try connection.rows("SELECT id FROM file") { $0.integer(0) })
        for id in bodies.ids where !known.contains(id) { bodies.remove(id) }
        try connection.run("DELETE FROM gone")
        // The number may be damaged.
        try connection.run("UPDATE total SET bytes = (SELECT ifnull(sum(bytes), 0) FROM file)")
    }

    /// Removes the files whose rows were removed. Called after the transaction, whose rollback would restore the rows.
    func sweep(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let ids = try connection.rows("SELECT id FROM gone") { $0.integer(0) }
        if ids.isEmpty { return }
        for id in ids { bodies.remove(id) }
        try connection.transaction { () throws(SQLiteFailure) in
            for id in ids { try connection.run("DELETE FROM gone WHERE id = ?", .integer(id)) }
        }
    }

    /// Removes the unfinished and hidden entries of this store.
    func leave(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        // The file is locked only if there are any.
        let sql = "SELECT 1 FROM entry WHERE owner = ? LIMIT 1"
        if try connection.first(sql, .text(owner), read: { _ in true }) == nil { return }
        try connection.run("DELETE FROM entry WHERE owner = ?", .text(owner))
    }

    /// Returns free pages to the file system.
    func shrink(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try connection.run("PRAGMA incremental_vacuum")
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
