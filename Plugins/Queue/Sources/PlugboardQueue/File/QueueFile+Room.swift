import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Finds what a new request replaces, and makes room for it.
extension QueueFile {
    /// A waiting request with the collapse key of a new one.
    struct Collapsing {
        let sequence: Int64
        /// The bytes of its body.
        let length: Int
        let isTouched: Bool
        /// Whether it and the new one cancel each other out.
        let isOpposite: Bool
    }

    /// The waiting requests that a new one replaces, or cancels out.
    func collapsing(_ entry: NewEntry, _ connection: Connection) throws(SQLiteFailure) -> [Collapsing] {
        guard let collapse = entry.collapse, let line = entry.line else { return [] }
        return try connection.rows(
            """
            SELECT sequence, method, url, touched, length FROM request
            WHERE line = ? AND collapse = ? AND state IN (1, 2)
            """, .text(line), .text(collapse.key)
        ) { row in
            let isTouched = row.integer(3) != 0
            let isOther = row.text(1) != entry.method || row.text(2) != entry.url
            return Collapsing(
                sequence: row.integer(0), length: Int(max(row.integer(4), 0)), isTouched: isTouched,
                isOpposite: collapse.rule == .cancel && !isTouched && isOther)
        }
    }

    /// Removes outcomes, and drops waiting requests if the settings allow it, to make room for a new request. Returns
    /// the dropped requests; nil, without a change, if there is no room.
    ///
    /// The limit of requests counts those without an outcome. A dropped request becomes an outcome, without its body.
    func makeRoom(
        for entry: NewEntry, replacing collapsing: [Collapsing], _ now: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> [DroppedEntry]? {
        guard entry.size <= limits.bytes,
            let total = try connection.first(
                "SELECT requests, bytes FROM total", read: { (Int($0.integer(0)), Int($0.integer(1))) })
        else { return nil }
        // How far the limits would be exceeded. Replaced requests become outcomes, and the pieces of the new request
        // that are written are counted already.
        var requests = total.0 + 1 - collapsing.count - limits.requests
        var bytes = total.1 + entry.size - limits.bytes - collapsing.reduce(0) { $0 + $1.length }
        if let begun = entry.begun?.sequence {
            requests -= 1
            bytes -=
                try connection.first("SELECT size FROM request WHERE sequence = ?", .integer(begun)) {
                    Int($0.integer(0))
                } ?? 0
        }
        if requests <= 0, bytes <= 0 { return [] }
        var removed: [Int64] = []
        // First dead requests whose outcome was delivered, then other outcomes, which free only bytes.
        try connection.each(
            """
            SELECT sequence, size FROM request
            WHERE state = 5 AND acknowledged = 1 AND completed IS NOT NULL ORDER BY completed
            """, []
        ) { row in
            removed.append(row.integer(0))
            requests -= 1
            bytes -= Int(row.integer(1))
            return requests > 0 || bytes > 0
        }
        if bytes > 0 {
            try connection.each(
                """
                SELECT sequence, size FROM request
                WHERE state = 4 AND acknowledged = 0 AND completed IS NOT NULL ORDER BY completed
                """, []
            ) { row in
                removed.append(row.integer(0))
                bytes -= Int(row.integer(1))
                return bytes > 0
            }
        }
        var dropped: [(sequence: Int64, line: String?, isTouched: Bool, entry: DroppedEntry)] = []
        if limits.dropsOldest, requests > 0 || bytes > 0 {
            let kept = Set(collapsing.map(\.sequence))
            try connection.each(
                """
                SELECT sequence, size - ifnull(length(CAST(context AS BLOB)), 0), line, id, category, tag,
                    touched FROM request
                WHERE state IN (1, 2) ORDER BY priority, sequence
                """, []
            ) { row in
                if kept.contains(row.integer(0)) { return true }
                let entry = DroppedEntry(
                    id: row.text(3), category: row.isNull(4) ? nil : row.text(4), tag: row.isNull(5) ? nil : row.text(5)
                )
                dropped.append((row.integer(0), row.isNull(2) ? nil : row.text(2), row.integer(6) != 0, entry))
                requests -= 1
                bytes -= Int(row.integer(1)) - QueueFile.emptyHead.utf8.count
                return requests > 0 || bytes > 0
            }
        }
        guard requests <= 0, bytes <= 0 else { return nil }
        for sequence in removed {
            try connection.run("DELETE FROM request WHERE sequence = ?", .integer(sequence))
        }
        for (sequence, _, isTouched, _) in dropped {
            let reached = isTouched ? " It may have reached the server." : ""
            try finish(
                sequence, .done,
                PlugboardError(
                    .queueFull, "It was dropped to make room for a later request. Raise limit or bytes.\(reached)"),
                nil, now, connection)
            try connection.run(
                "UPDATE request SET head = ? WHERE sequence = ?", .text(QueueFile.emptyHead), .integer(sequence))
        }
        for line in Set(dropped.compactMap(\.line)) { try arrange(line, connection) }
        return dropped.map(\.entry)
    }

    /// The head that a dropped request keeps.
    private static let emptyHead = #"{"fields":[]}"#

    /// Removes the oldest outcomes beyond the limit.
    func limitOutcomes(_ connection: Connection) throws(SQLiteFailure) {
        let outcomes = try connection.first("SELECT outcomes FROM total") { Int($0.integer(0)) } ?? 0
        guard outcomes > limits.requests else { return }
        try connection.run(
            """
            DELETE FROM request WHERE sequence IN (
                SELECT sequence FROM request WHERE state = 4 AND acknowledged = 0 AND completed IS NOT NULL
                ORDER BY completed LIMIT ?)
            """, .integer(outcomes - limits.requests))
    }

    // MARK: The file's own time

    /// Moves the file's own clock, which measures the age of requests and outcomes.
    ///
    /// A wall clock that is set back does not move it. A wall clock that is set forward, or a time without a process,
    /// moves it by at most half of the shortest age, so that a request is sent once before it is too old. By the wall
    /// clock, a request is too old at twice its age, and only at the start of a process.
    func step(now: Int64, time: Int64, _ connection: Connection) throws(SQLiteFailure) {
        let longest = min(limits.age, limits.resultAge, QueueFile.longestAge) / 2
        try connection.run(
            """
            UPDATE total SET clock = clock + min(max(?1 - wall, ?2 - time, 0), ?3), wall = max(wall, ?1), time = ?2
            """, .integer(now), .integer(time), .integer(longest))
    }

    /// Ten years, which is the most that a setting can be.
    static let longestAge: Int64 = 315_360_000_000_000_000
    /// A wall clock before September 2020 counts as not set.
    static let earliestWall: Int64 = 1_600_000_000_000_000_000
}
