import PlugboardKit
import PlugboardSQLite

/// Bodies: a small one is in its entry's row, a larger one in rows of one piece each, a large one in a file.
extension CacheFile {
    /// The most bytes of a body that is stored in its entry's row.
    static let smallSize = 4096

    /// The most bytes of a body that is read with its head.
    static let attachedSize = PieceBuffer.pieceSize

    /// The most bytes of a body in the database. Such a body is written in one transaction with other entries.
    static let databaseSize = 4 * PieceBuffer.pieceSize

    enum Pieces: Sendable {
        case intact([Bytes])
        case damaged
        case absent
    }

    // MARK: Reading

    /// The pieces of a body with these numbers; their tables and lengths follow from the body's length.
    func pieces(
        _ numbers: Range<Int>, of id: Int64, length: Int, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> Pieces {
        if length > CacheFile.databaseSize {
            let found = try connection.first(
                "SELECT substr(sums, ?, ?) FROM file WHERE id = ?", .integer(1 + 8 * numbers.lowerBound),
                .integer(8 * numbers.count), .integer(id)
            ) { (row) throws(SQLiteFailure) in
                try bodies.pieces(numbers, of: id, length: length, sums: row.bytes(0))
            }
            if let found { return found }
        }
        var pieces: [Bytes] = []
        var isDamaged = false
        func add(_ row: borrowing SQLiteStore.Row) -> Bool {
            let number = numbers.lowerBound + pieces.count
            // A missing piece leaves a gap in the numbers.
            guard row.integer(0) == CacheFile.pieceID(id, number) else { return false }
            guard let piece = CacheFile.piece(row, 1, number, of: id, length: length) else {
                isDamaged = true
                return false
            }
            pieces.append(piece)
            return true
        }
        if length <= CacheFile.smallSize {
            try connection.each(
                "SELECT id << \(CacheSchema.pieceBits), bodySum, body FROM entry WHERE id = ?", [.integer(id)],
                visit: add)
        } else {
            try connection.each(
                "SELECT id, sum, bytes FROM piece WHERE id >= ? AND id < ? ORDER BY id",
                [
                    .integer(CacheFile.pieceID(id, numbers.lowerBound)),
                    .integer(CacheFile.pieceID(id, numbers.upperBound)),
                ],
                visit: add)
        }
        if isDamaged { return .damaged }
        return pieces.count == numbers.count ? .intact(pieces) : .absent
    }

    /// A copy of a piece, whose sum and bytes are in a row from `column` on; nil if it is damaged.
    static func piece(
        _ row: borrowing SQLiteStore.Row, _ column: Int, _ number: Int, of id: Int64, length: Int
    ) -> Bytes? {
        let wanted = min(PieceBuffer.pieceSize, length - number * PieceBuffer.pieceSize)
        if wanted <= 0 { return .empty }
        let bytes = row.bytes(column + 1)
        guard bytes.count == wanted, sum(bytes, pieceID(id, number)) == row.integer(column) else { return nil }
        return PiecePool.shared.copy(bytes)
    }

    // MARK: Writing

    /// Adds a visible entry with its body.
    func insert(
        _ addition: Gathering.Addition, as id: Int64, use: Int64, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let head = addition.head.response.encoded(length: addition.length)
        func insertRow(_ bodySum: SQLiteStore.Value, _ body: SQLiteStore.Value) throws(SQLiteFailure) {
            try connection.run(
                """
                INSERT INTO entry (id, key, url, used, length, sum, head, bodySum, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .integer(id), .key(addition.head.response.key), .url(addition.head.response), .integer(use),
                .integer(addition.length), .integer(CacheFile.sum(head, id)), .bytes(head), bodySum, body)
        }
        if addition.length <= CacheFile.smallSize, let body = addition.pieces.first {
            try body.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
                try insertRow(.integer(CacheFile.sum(bytes, CacheFile.pieceID(id, 0))), .view(bytes))
            }
        } else {
            try insertRow(.null, .null)
            try insert(addition.pieces, from: 0, of: id, connection)
        }
    }

    /// Adds pieces to an unfinished entry; throws if the entry was lost with a database that was moved aside.
    func append(
        _ pieces: [Bytes], to body: BodyFile, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        for piece in pieces { try body.append(piece) }
        try connection.run("UPDATE file SET bytes = ? WHERE id = ?", .integer(body.length), .integer(body.id))
        guard connection.changes == 1 else { throw CacheFile.lost }
    }

    private func insert(
        _ pieces: [Bytes], from first: Int, of id: Int64, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        for (number, piece) in zip(first..., pieces) {
            let pieceID = CacheFile.pieceID(id, number)
            try piece.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
                try connection.run(
                    "INSERT INTO piece (id, sum, bytes) VALUES (?, ?, ?)", .integer(pieceID),
                    .integer(CacheFile.sum(bytes, pieceID)), .view(bytes))
            }
        }
    }
}
