import PlugboardJSON
import PlugboardKit
import PlugboardSQLite

extension Selection {
    var condition: (sql: String, values: [SQLiteStore.Value]) {
        var (parts, values): ([String], [SQLiteStore.Value]) = (["state <> 0"], [])
        for (column, value) in [("id", id), ("tag", tag), ("category", category)] {
            guard let value else { continue }
            parts.append("\(column) = ?")
            values.append(.text(value))
        }
        if !states.isEmpty { parts.append("state IN (\(states.map { "\($0.rawValue)" }.joined(separator: ", ")))") }
        return (parts.joined(separator: " AND "), values)
    }
}

/// Finds and drops requests, and makes dead ones wait again.
extension QueueFile {
    /// The requests as JSON, in their order.
    func list(
        _ selection: Selection, limit: Int, isWhole: Bool = false, isUnacknowledged: Bool = false,
        _ connection: Connection
    ) throws(SQLiteFailure) -> [JSONValue] {
        let (condition, values) = selection.condition
        var found: [JSONValue] = []
        try connection.each(
            """
            SELECT \(QueueEntryJSON.columns)
            FROM request WHERE \(condition)\(isUnacknowledged ? " AND acknowledged = 0" : "")
            ORDER BY sequence LIMIT ?
            """, values + [.integer(limit)]
        ) { row in
            found.append(
                QueueEntryJSON.value(
                    isWhole: isWhole, text: { row.isNull($0) ? nil : row.text($0) },
                    integer: { row.isNull($0) ? nil : row.integer($0) },
                    bytes: { row.isNull($0) ? nil : Array(row.bytes($0)) }))
            return true
        }
        return found
    }

    /// Removes requests; returns their tickets.
    func drop(_ selection: Selection, _ connection: Connection) throws(SQLiteFailure) -> [String] {
        let (condition, values) = selection.condition
        return try connection.removing { () throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                var found: [(Int64, String, String?)] = []
                try connection.each("SELECT sequence, id, line FROM request WHERE \(condition)", values) { row in
                    found.append((row.integer(0), row.text(1), row.isNull(2) ? nil : row.text(2)))
                    return true
                }
                for (sequence, _, _) in found {
                    try connection.run("DELETE FROM request WHERE sequence = ?", .integer(sequence))
                }
                for line in Set(found.compactMap(\.2)) { try arrange(line, connection) }
                return found.map(\.1)
            }
        }
    }

    /// Makes dead requests wait again, and lets waiting ones be sent at once. Returns the number of both.
    func revive(_ selection: Selection, now: Int64, _ connection: Connection) throws(SQLiteFailure) -> Int {
        let (condition, values) = selection.condition
        // Dead requests are included only if a ticket or a state selects them.
        let states = selection.id == nil && selection.states.isEmpty ? "1, 2" : "1, 2, 5"
        return try connection.transaction { () throws(SQLiteFailure) in
            var found: [(Int64, Int64, String?)] = []
            try connection.each(
                "SELECT sequence, state, line FROM request WHERE \(condition) AND state IN (\(states))", values
            ) { row in
                found.append((row.integer(0), row.integer(1), row.isNull(2) ? nil : row.text(2)))
                return true
            }
            for (sequence, state, line) in found {
                guard state == EntryState.dead.rawValue else {
                    try connection.run(
                        "UPDATE request SET due = ? WHERE sequence = ?", .integer(now), .integer(sequence))
                    continue
                }
                try connection.run(
                    """
                    UPDATE request SET state = ?, due = ?, created = ?, born = (SELECT clock FROM total), attempts = 0,
                        rejections = 0, failures = 0, completed = NULL, ended = NULL, acknowledged = 0,
                        status = NULL, fields = NULL, content = NULL WHERE sequence = ?
                    """, .integer((line == nil ? EntryState.ready : .behind).rawValue), .integer(now), .integer(now),
                    .integer(sequence))
                if let line { try arrange(line, connection) }
            }
            return found.count
        }
    }

    /// Removes delivered outcomes, and marks dead requests, which stay until they are dropped. Returns their number.
    func acknowledge(_ ids: [String], _ connection: Connection) throws(SQLiteFailure) -> Int {
        try connection.removing { () throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                var count = 0
                for id in ids {
                    try connection.run("DELETE FROM request WHERE id = ? AND state = 4", .text(id))
                    count += connection.changes
                    try connection.run(
                        "UPDATE request SET acknowledged = 1 WHERE id = ? AND state = 5 AND acknowledged = 0", .text(id)
                    )
                    count += connection.changes
                }
                return count
            }
        }
    }

    /// The numbers of requests by state, and the bytes that count for the limit.
    func statistics(_ connection: Connection) throws(SQLiteFailure) -> JSONObject {
        var object: JSONObject = ["waiting": 0, "sending": 0, "done": 0, "dead": 0]
        let counts = try connection.rows("SELECT state, count(*) FROM request WHERE state <> 0 GROUP BY state") {
            (EntryState(rawValue: $0.integer(0)) ?? .dead, $0.integer(1))
        }
        for (state, count) in counts {
            object[state.name] = .number(JSONNumber((object[state.name]?.intValue ?? 0) + count))
        }
        let bytes = try connection.first("SELECT bytes FROM total") { $0.integer(0) } ?? 0
        object["bytes"] = .number(JSONNumber(bytes))
        return object
    }
}
