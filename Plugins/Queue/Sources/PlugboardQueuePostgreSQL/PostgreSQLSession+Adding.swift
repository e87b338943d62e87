import PlugboardKit
@_spi(QueueStores) import PlugboardQueue
import PlugboardSQLite

extension PostgreSQLSession {
    /// The most bytes that are sent as digits; also the most of a piece of a body.
    private static let limit = 128 << 10

    /// Adds requests that need not be compared with others, in one statement. Returns nil, without adding any, if some
    /// must be, or if the limits are near. Not with zero bytes, which arrays of texts hide.
    func addTogether(_ entries: [NewEntry], _ now: Int64) throws(SQLiteFailure) -> Added? {
        let size = entries.reduce(0) { $0 + $1.size }
        guard entries.allSatisfy({ $0.line == nil && $0.begun == nil && !$0.isJournal && !$0.hasZero }),
            size <= PostgreSQLSession.limit
        else { return nil }
        let rows = try run(
            """
            SELECT @add_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """, .texts(entries.map(\.id)), .texts(entries.map(\.tag)), .texts(entries.map(\.context)),
            .integers(entries.map { Int64($0.priority) }), .texts(entries.map(\.method)), .texts(entries.map(\.url)),
            .texts(entries.map(\.origin)), .texts(entries.map(\.head)), .integers(entries.map { Int64($0.length) }),
            .texts(entries.map { PostgreSQLValue.digits($0.rest) }), .texts(entries.map(\.code)),
            .texts(entries.map { $0.isTouched ? "t" : "f" }), .integer(size), .integer(limits.requests),
            .integer(limits.bytes), given(now), .text(adder))
        if rows.isEmpty, !entries.isEmpty { return nil }
        var new = Set(rows.compactMap { $0.text(0) })
        var result = Added()
        // Where the reply to the first time was lost, a ticket that is known is that of the request itself.
        for entry in entries { result.placements.append(new.remove(entry.id) != nil || isAgain ? .queued : .known) }
        return result
    }
}

extension NewEntry {
    fileprivate var hasZero: Bool {
        [id, tag, context, method, url, head, code].contains { $0?.utf8.contains(0) == true }
    }
}
