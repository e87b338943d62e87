import SQLiteStore

/// What is done to entries that can be found already. One that could not be done is done before anything is found
/// again.
enum Change: Sendable {
    case remove([Int64])
    case update(Int64, StoredAnswer, length: Int)
    case invalidate(url: String)
    case purge(Purge)

    /// Tells how many entries went.
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
}
