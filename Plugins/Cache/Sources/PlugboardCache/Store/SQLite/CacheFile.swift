import PlugboardKit
import PlugboardSQLite

/// The SQL of a cache's file. Called on the store's thread; every function is a step of its caller's transaction.
struct CacheFile: Sendable {
    /// The owner of this store's rows that are unfinished, or hidden because they are read after their removal.
    let owner: String
    /// The most bytes of the file and the bodies beside it on a disk with room, without free pages and the write-ahead
    /// log.
    let limit: Int
    /// The entries whose bodies are being read in this process; removing one of them hides it until the reading ends.
    let readings: Readings
    /// The large bodies.
    let bodies: BodyFiles

    // MARK: Finding

    /// The entries found, and the ids of damaged ones.
    struct Finding: Sendable {
        var entries: [CacheEntry] = []
        var damaged: [Int64] = []
    }

    func find(_ key: CacheKey, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Finding {
        var finding = Finding()
        // Ordered as in the index, so that SQLite need not sort.
        try connection.each(
            "SELECT id, sum, head, bodySum, body FROM entry WHERE key = ? AND owner IS NULL ORDER BY id DESC",
            [.key(key)]
        ) { row in
            let id = row.integer(0)
            guard let (response, length) = CacheFile.head(row, id) else {
                finding.damaged.append(id)
                return true
            }
            guard response.key == key else { return true }
            var entry = CacheEntry(id: id, response: response, length: length)
            if length <= CacheFile.smallSize {
                entry.pieces = CacheFile.piece(row, 3, 0, of: id, length: length).map { [$0] }
                if entry.pieces == nil { finding.damaged.append(id) }
            }
            finding.entries.append(entry)
            return true
        }
        var left = CacheFile.attachedSize
        for index in finding.entries.indices {
            let entry = finding.entries[index]
            guard entry.length > CacheFile.smallSize, entry.length <= left else { continue }
            left -= entry.length
            switch try pieces(0..<1, of: entry.id, length: entry.length, connection) {
            case .intact(let pieces): finding.entries[index].pieces = pieces
            case .damaged, .absent: finding.damaged.append(entry.id)
            }
        }
        finding.entries.removeAll { finding.damaged.contains($0.id) }
        return finding
    }

    /// The heads of selected entries, the most recently used first, up to a limit.
    func list(
        _ what: Purge, limit: Int, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var pattern: URLPattern?
        if limit <= 0 { return [] }
        switch what {
        case .memory: return []
        case .all: break
        case .url(let url): return Array(try self.entries(of: url, connection).entries.prefix(limit))
        case .pattern(let text): pattern = URLPattern(text)
        }
        try connection.each("SELECT id, sum, head FROM entry WHERE owner IS NULL ORDER BY used DESC") { row in
            let id = row.integer(0)
            if let (response, length) = CacheFile.head(row, id), pattern?.fits(response.url) ?? true {
                entries.append(CacheEntry(id: id, response: response, length: length))
            }
            return entries.count < limit
        }
        return entries
    }

    /// The heads of a URL's entries, whatever their keys, the most recently used first.
    private func entries(
        of url: String, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> Finding {
        var finding = Finding()
        try connection.each(CacheFile.ofURL, [.key(CacheKey(text: url)), .text(url)]) { row in
            let id = row.integer(0)
            guard let (response, length) = CacheFile.head(row, id) else {
                finding.damaged.append(id)
                return true
            }
            if response.isOf(url) { finding.entries.append(CacheEntry(id: id, response: response, length: length)) }
            return true
        }
        return finding
    }

    static let ofURL = """
        SELECT id, sum, head, used FROM entry WHERE key = ? AND owner IS NULL
        UNION ALL SELECT id, sum, head, used FROM entry WHERE url = ? AND owner IS NULL ORDER BY used DESC
        """

    /// The sums of the keys of all visible entries whose id is greater than `id`, and the id after which other keys may
    /// come: an entry that another process is still writing becomes visible under the id that it has now.
    func keys(after id: Int64, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> (
        keys: [Int64], last: Int64
    ) {
        let newest = try connection.first("SELECT max(id) FROM entry") { $0.integer(0) } ?? 0
        // An entry that is hidden because it is still read has a key.
        let unfinished = "SELECT min(id) FROM entry WHERE owner IS NOT NULL AND owner <> ? AND key = 0"
        let first = try connection.first(unfinished, .text(owner)) { $0.integer(0) } ?? 0
        let last = first > 0 ? min(newest, first - 1) : newest
        let sql =
            id == 0
            ? "SELECT key FROM entry INDEXED BY entry_key WHERE owner IS NULL"
            : "SELECT key FROM entry WHERE owner IS NULL AND id > ?"
        var keys: [Int64] = []
        try connection.each(sql, id == 0 ? [] : [.integer(id)]) { row in
            keys.append(row.integer(0))
            return true
        }
        return (keys, last)
    }

    static func head(_ row: borrowing SQLiteStore.Row, _ id: Int64) -> (StoredResponse, Int)? {
        let head = row.bytes(2)
        guard sum(head, id) == row.integer(1) else { return nil }
        return StoredResponse.decoded(head)
    }

    // MARK: Writing

    /// Begins an invisible entry, and returns the file of its body.
    func begin(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> BodyFile {
        let id = try lastID(connection) + 1
        try connection.run(CacheFile.sequence, .integer(id))
        try connection.run(CacheFile.beginning, .integer(id), .text(owner))
        try connection.run("INSERT INTO file (id, bytes, sums) VALUES (?, 0, x'')", .integer(id))
        return try bodies.create(id)
    }

    /// Adds visible entries, each as the most recently used, and returns their ids.
    func insert(
        _ additions: [Gathering.Addition], _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> [Int64] {
        var (id, use) = (try lastID(connection), try lastUse(connection))
        var ids: [Int64] = []
        for addition in additions {
            (id, use) = (id + 1, use + 1)
            ids.append(id)
            try insert(addition, as: id, use: use, connection)
            try remove(addition.replaced, connection)
        }
        try connection.run(CacheFile.sequence, .integer(id))
        return ids
    }

    /// The last id that was assigned. A damaged sequence is started again, because otherwise nothing could be stored.
    private func lastID(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int64 {
        let sql = "SELECT last, (SELECT max(id) FROM entry) FROM sequence"
        let (last, used) = try connection.first(sql) { ($0.integer(0), $0.integer(1)) } ?? (-1, 0)
        if (0..<CacheSchema.lastID).contains(last), used <= last { return last }
        try connection.run("DELETE FROM entry WHERE id NOT BETWEEN 1 AND ?", .integer(CacheSchema.lastID / 2))
        try connection.run(CacheSchema.beginning)
        return try connection.first(sql) { $0.integer(0) } ?? 0
    }

    /// Makes an unfinished entry visible, as the most recently used.
    func publish(
        _ body: BodyFile, _ response: StoredResponse, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let (id, length) = (body.id, body.length)
        let head = response.encoded(length: length)
        let use = try lastUse(connection) + 1
        try connection.run(
            """
            UPDATE entry SET owner = NULL, key = ?, url = ?, used = ?, length = ?, sum = ?, head = ?
            WHERE id = ? AND owner = ?
            """,
            .key(response.key), .url(response), .integer(use), .integer(length),
            .integer(CacheFile.sum(head, id)), .bytes(head), .integer(id), .text(owner))
        guard connection.changes == 1 else { throw CacheFile.lost }
        try connection.run("UPDATE file SET sums = ? WHERE id = ?", .bytes(body.sums), .integer(id))
        // Last: if the transaction fails now, the file is removed with its row.
        try bodies.publish(body)
    }

    // MARK: Changing

    /// Replaces the head of an entry; the body stays.
    func update(
        _ id: Int64, _ response: StoredResponse, length: Int, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let head = response.encoded(length: length)
        try connection.run(
            "UPDATE entry SET sum = ?, head = ? WHERE id = ? AND owner IS NULL",
            .integer(CacheFile.sum(head, id)), .bytes(head), .integer(id))
    }

    func invalidate(url: String, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        // A damaged head is not found by look-ups either.
        for entry in try entries(of: url, connection).entries where !entry.response.isInvalidated {
            var response = entry.response
            response.isInvalidated = true
            try update(entry.id, response, length: entry.length, connection)
        }
    }

    /// Removes visible entries, and returns their number; entries that are read in this process are hidden instead.
    @discardableResult
    func remove(_ ids: some Sequence<Int64>, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        var count = 0
        for id in ids {
            if readings.mustHide(id) {
                try connection.run(
                    "UPDATE entry SET owner = ?, used = \(CacheFile.now) WHERE id = ? AND owner IS NULL", .text(owner),
                    .integer(id))
            } else {
                try connection.run("DELETE FROM entry WHERE id = ? AND owner IS NULL", .integer(id))
            }
            count += connection.changes
        }
        return count
    }

    /// Removes an entry that this store has hidden or begun.
    func drop(_ id: Int64, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        try connection.run("DELETE FROM entry WHERE id = ? AND owner = ?", .integer(id), .text(owner))
    }

    func purge(_ what: Purge, _ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        switch what {
        case .memory: return 0
        case .url(let url):
            let found = try entries(of: url, connection)
            return try remove(found.entries.map(\.id) + found.damaged, connection)
        case .pattern(let text):
            let pattern = URLPattern(text)
            var ids: [Int64] = []
            // Without an index, because its order would read the table at random places.
            try connection.each("SELECT id, sum, head FROM entry NOT INDEXED WHERE owner IS NULL") { row in
                let id = row.integer(0)
                // Removes damaged entries too, because their URLs are not known.
                if CacheFile.head(row, id).map({ pattern.fits($0.0.url) }) ?? true { ids.append(id) }
                return true
            }
            return try remove(ids, connection)
        case .all:
            let read = try remove(readings.ids, connection)
            try connection.run("DELETE FROM entry WHERE owner IS NULL")
            return read + connection.changes
        }
    }

    // MARK: Ids and sums

    /// The SQL for the time when a row gets its owner, in seconds since 1970. It is stored in the column of the order
    /// of use.
    static let now = "CAST(strftime('%s', 'now') AS INTEGER)"

    private static let beginning =
        "INSERT INTO entry (id, owner, key, used, length, sum, head) VALUES (?, ?, 0, \(now), 0, 0, x'')"

    private static let sequence = "UPDATE sequence SET last = ?"

    /// The row of an unfinished entry was lost with a database that was moved aside.
    static let lost = SQLiteFailure(code: 0, message: "The unfinished entry is lost.")

    static func pieceID(_ id: Int64, _ number: Int) -> Int64 { id << CacheSchema.pieceBits | Int64(number) }

    static func sum(_ bytes: [UInt8], _ id: Int64) -> Int64 { bytes.withUnsafeBytes { sum($0, id) } }

    static func sum(_ bytes: UnsafeRawBufferPointer, _ id: Int64) -> Int64 {
        Int64(bitPattern: Checksum.of(bytes, seed: UInt64(bitPattern: id)))
    }
}

extension CacheKey {
    /// The key's checksum, by which a file finds it.
    var sum: Int64 { Int64(bitPattern: Checksum.of(text)) }
}

extension SQLiteStore.Value {
    static func key(_ key: CacheKey) -> Self { .integer(key.sum) }
    static func url(_ response: StoredResponse) -> Self {
        response.indexedURL.map { .text($0) } ?? .null
    }
}
