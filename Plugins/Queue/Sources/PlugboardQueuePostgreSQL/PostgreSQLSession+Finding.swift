import PlugboardJSON
import PlugboardKit
@_spi(QueueStores) import PlugboardQueue
import PlugboardSQLite

extension PostgreSQLSession {
    func isBusy(_ line: String) throws(SQLiteFailure) -> Bool {
        try run(
            """
            SELECT EXISTS (SELECT FROM @request WHERE line = $1 AND state IN (1, 2))
                OR EXISTS (SELECT FROM @request WHERE line = $1 AND state IN (0, 3) AND state = 3)
            """, .text(line)
        ).first?.bool(0) ?? false
    }

    func sequence(of id: String) throws(SQLiteFailure) -> Int64? {
        try run("SELECT sequence FROM @request WHERE id = $1", .text(id)).first?.integer(0)
    }

    func piece(_ number: Int, of id: String) throws(SQLiteFailure) -> [UInt8]? {
        try run(
            """
            SELECT bytes FROM @request r JOIN @piece p ON p.request = coalesce(r.body, r.sequence) AND p.number = $1
                WHERE r.id = $2
            """, .integer(number), .text(id)
        ).first?.bytes(0)
    }

    func list(
        _ selection: Selection, limit: Int, isWhole: Bool, isUnacknowledged: Bool
    ) throws(SQLiteFailure) -> [JSONValue] {
        try run(
            """
            SELECT \(QueueEntryJSON.columns) FROM @request WHERE state <> 0 AND ($1::text IS NULL OR id = $1)
                AND ($2::text IS NULL OR tag = $2) AND ($3::text IS NULL OR category = $3)
                AND ($4::integer[] IS NULL OR state = ANY ($4)) AND NOT ($5 AND acknowledged) ORDER BY sequence LIMIT $6
            """, .optional(selection.id), .optional(selection.tag), .optional(selection.category), states(selection),
            .bool(isUnacknowledged), .integer(limit)
        ).map { row in
            QueueEntryJSON.value(isWhole: isWhole, text: row.text, integer: row.integer, bytes: row.bytes)
        }
    }

    private func states(_ selection: Selection) -> PostgreSQLValue {
        selection.states.isEmpty ? .null : .integers(selection.states.map(\.rawValue))
    }

    func drop(_ selection: Selection) throws(SQLiteFailure) -> [String] {
        try run(
            "SELECT @drop($1, $2, $3, $4)", .optional(selection.id), .optional(selection.tag),
            .optional(selection.category), states(selection)
        ).compactMap { $0.text(0) }
    }

    func revive(_ selection: Selection, now: Int64) throws(SQLiteFailure) -> Int {
        Int(
            try run(
                "SELECT @revive($1, $2, $3, $4, $5)", .optional(selection.id), .optional(selection.tag),
                .optional(selection.category), states(selection), given(now)
            ).first?.integer(0) ?? 0)
    }

    func acknowledge(_ ids: [String]) throws(SQLiteFailure) -> Int {
        Int(try run("SELECT @acknowledge($1)", .texts(ids)).first?.integer(0) ?? 0)
    }

    func statistics() throws(SQLiteFailure) -> JSONObject {
        var object: JSONObject = ["waiting": 0, "sending": 0, "done": 0, "dead": 0]
        for row in try run("SELECT state, count(*) FROM @request WHERE state <> 0 GROUP BY state") {
            let name = (row.integer(0).flatMap { EntryState(rawValue: $0) } ?? .dead).name
            object[name] = .number(JSONNumber((object[name]?.intValue ?? 0) + (row.integer(1) ?? 0)))
        }
        let bytes = try run("SELECT coalesce(sum(bytes), 0) FROM @tally").first?.integer(0) ?? 0
        object["bytes"] = .number(JSONNumber(bytes))
        return object
    }

    func survey() throws(SQLiteFailure) -> QueueSurvey? {
        guard mustSurvey() else { return nil }
        return try run("SELECT coalesce(sum(requests - dead), 0), coalesce(sum(dead), 0) FROM @tally").first.map {
            QueueSurvey(pending: Int($0.integer(0) ?? 0), dead: Int($0.integer(1) ?? 0))
        }
    }

    func sweep() throws(SQLiteFailure) {}
}
