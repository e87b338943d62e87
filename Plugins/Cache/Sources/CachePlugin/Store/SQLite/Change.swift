import SQLiteStore

/// What is done to entries that can be found already. One that could not be done is done before anything is found
/// again.
enum Change: Sendable {
    case remove([Int64])
    case update(Int64, StoredResponse, length: Int)
    case invalidate(url: String)
    case purge(Purge)

    /// Makes the change in an entry that was found; false if the entry is gone by it.
    func show(in entry: inout CacheEntry) -> Bool {
        switch self {
        case .remove(let ids): return !ids.contains(entry.id)
        case .update(let id, let answer, _):
            if id == entry.id { entry.answer = answer }
            return true
        case .invalidate(let url):
            if entry.answer.url == url { entry.answer.isInvalidated = true }
            return true
        case .purge(.memory): return true
        case .purge(.all): return false
        case .purge(.url(let url)): return entry.answer.url != url
        case .purge(.pattern(let pattern)): return !URLPattern(pattern).fits(entry.answer.url)
        }
    }

    /// Makes the change, and tells how many entries went.
    func apply(_ file: CacheFile, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        try connection.transaction { () throws(SQLiteFailure) in
            switch self {
            case .remove(let ids): return try file.remove(ids, connection)
            case .update(let id, let answer, let length):
                try file.update(id, answer, length: length, connection)
                return 0
            case .invalidate(let url):
                try file.invalidate(url: url, connection)
                return 0
            case .purge(let what): return try file.purge(what, connection)
            }
        }
    }

    /// The same on a disk that may be full. There all entries go in small steps, each of which takes little room in the log.
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
