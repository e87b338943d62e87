import PlugboardKit
import SQLiteStore

/// How bodies stand in the file: a small one in its entry's row, a larger one in chunks of a piece each.
extension CacheFile {
    /// Bodies up to this size come with their heads, for the price of one row.
    static let smallSize = 4096

    /// Bodies up to this size come along with the look-up.
    static let attachedSize = PieceBuffer.pieceSize

    enum Pieces: Sendable {
        case intact([Bytes])
        case damaged
        case absent
    }

    // MARK: Reading

    /// The pieces of a body with these numbers. The body's length says where they stand, and how long they must be.
    func pieces(
        _ numbers: Range<Int>, of id: Int64, length: Int, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> Pieces {
        var pieces: [Bytes] = []
        var isDamaged = false
        func add(_ row: borrowing SQLiteStore.Row) -> Bool {
            let number = numbers.lowerBound + pieces.count
            // One that is missing leaves a gap.
            guard row.integer(0) == CacheFile.place(id, number) else { return false }
            guard let piece = CacheFile.piece(row, 1, number, of: id, length: length) else {
                isDamaged = true
                return false
            }
            pieces.append(piece)
            return true
        }
        if length <= CacheFile.smallSize {
            try connection.each(
                "SELECT id << \(CacheSchema.chunkBits), bodySum, body FROM entry WHERE id = ?", [.integer(id)],
                visit: add)
        } else {
            try connection.each(
                "SELECT id, sum, bytes FROM chunk WHERE id >= ? AND id < ? ORDER BY id",
                [.integer(CacheFile.place(id, numbers.lowerBound)), .integer(CacheFile.place(id, numbers.upperBound))],
                visit: add)
        }
        if isDamaged { return .damaged }
        return pieces.count == numbers.count ? .intact(pieces) : .absent
    }

    /// A copy of the piece whose sum and bytes stand in a row, from a column on; nil if it is not what was stored.
    static func piece(
        _ row: borrowing SQLiteStore.Row, _ column: Int, _ number: Int, of id: Int64, length: Int
    ) -> Bytes? {
        let wanted = min(PieceBuffer.pieceSize, length - number * PieceBuffer.pieceSize)
        if wanted <= 0 { return .empty }
        let bytes = row.bytes(column + 1)
        guard bytes.count == wanted, sum(bytes, place(id, number)) == row.integer(column) else { return nil }
        return PiecePool.shared.copy(bytes)
    }

    // MARK: Writing

    /// Adds an entry that can be found from now on, with its body.
    func insert(
        _ addition: Gathering.Addition, as id: Int64, use: Int64, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let head = addition.answer.encoded(length: addition.length)
        func insertRow(_ bodySum: SQLiteStore.Value, _ body: SQLiteStore.Value) throws(SQLiteFailure) {
            try connection.run(
                """
                INSERT INTO entry (id, key, url, used, length, sum, head, bodySum, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .integer(id), .key(addition.answer.key), .text(addition.answer.url), .integer(use),
                .integer(addition.length), .integer(CacheFile.sum(head, id)), .bytes(head), bodySum, body)
        }
        if addition.length <= CacheFile.smallSize, let body = addition.pieces.first {
            try body.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
                try insertRow(.integer(CacheFile.sum(bytes, CacheFile.place(id, 0))), .view(bytes))
            }
        } else {
            try insertRow(.null, .null)
            try insert(addition.pieces, from: 0, of: id, connection)
        }
    }

    /// Adds pieces to an entry that was begun; throws if it is gone, with a file that was moved aside.
    func append(
        _ pieces: [Bytes], from first: Int, to id: Int64, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let isThere = try connection.first(
            "SELECT 1 FROM entry WHERE id = ? AND owner = ?", .integer(id), .text(owner)
        ) { _ in true }
        guard isThere == true else { throw SQLiteFailure(code: 0, message: "The entry that was begun is gone.") }
        try insert(pieces, from: first, of: id, connection)
    }

    private func insert(
        _ pieces: [Bytes], from first: Int, of id: Int64, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        for (number, piece) in zip(first..., pieces) {
            let place = CacheFile.place(id, number)
            try piece.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
                try connection.run(
                    "INSERT INTO chunk (id, sum, bytes) VALUES (?, ?, ?)", .integer(place),
                    .integer(CacheFile.sum(bytes, place)), .view(bytes))
            }
        }
    }
}
