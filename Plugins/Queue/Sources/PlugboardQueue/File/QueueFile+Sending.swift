import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Taking requests, and giving them back.
extension QueueFile {
    /// Which requests are taken.
    enum Choice: Sendable, Equatable {
        /// Requests that are due.
        case due
        /// Of those, the ones of a line.
        case line(String)
        /// Of those, the ones that commands have named.
        case selected([Selection])
    }

    /// Takes up to `count` requests that can be sent, the most urgent first.
    ///
    /// - Parameters:
    ///   - paused: Origins to which nothing is sent now.
    ///   - proven: Origins to which several requests are sent at once; nil: all.
    func claim(
        _ count: Int, _ choice: Choice = .due, except paused: Set<String> = [], proven: Set<String>? = nil, now: Int64,
        time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> [ClaimedEntry] {
        try connection.transaction { () throws(SQLiteFailure) in
            let columns =
                "sequence, id, line, category, tag, method, url, head, length, attempts, rejections, origin, failures"
            func entry(_ row: borrowing SQLiteStore.Row) -> ClaimedEntry {
                ClaimedEntry(
                    sequence: row.integer(0), id: row.text(1), line: row.isNull(2) ? nil : row.text(2),
                    origin: row.text(11),
                    category: row.isNull(3) ? nil : row.text(3), tag: row.isNull(4) ? nil : row.text(4),
                    method: row.text(5), url: row.text(6), head: row.text(7), length: Int(row.integer(8)),
                    body: nil, attempts: Int(row.integer(9)), rejections: Int(row.integer(10)),
                    failures: Int(row.integer(12)))
            }
            var found: [ClaimedEntry] = []
            var excluded = paused
            while found.count < count {
                let others = excluded.sorted()
                let isElsewhere =
                    others.isEmpty ? "" : "AND origin NOT IN (\(others.map { _ in "?" }.joined(separator: ", ")))"
                var condition = "(due <= ? OR due > ?)"
                var values: [SQLiteStore.Value] = [.integer(now), .integer(latest(now))]
                switch choice {
                case .due: break
                case .line(let line):
                    condition += " AND line = ?"
                    values.append(.text(line))
                case .selected(let selections):
                    let conditions = selections.map { $0.naming.condition }
                    condition += " AND (\(conditions.map { "(\($0.sql))" }.joined(separator: " OR ")))"
                    values += conditions.flatMap(\.values)
                }
                values += others.map { .text($0) }
                // One by one, where an origin may get only one.
                let room = proven == nil ? count - found.count : 1
                values.append(.integer(room))
                var taken: [ClaimedEntry] = []
                try connection.each(
                    """
                    SELECT \(columns) FROM request WHERE state = 1 AND \(condition) \(isElsewhere)
                    ORDER BY priority DESC, sequence LIMIT ?
                    """, values
                ) { row in
                    taken.append(entry(row))
                    return true
                }
                for entry in taken {
                    try connection.run(
                        "UPDATE request SET state = 3, owner = ?, lease = ? WHERE sequence = ?", .text(owner),
                        .integer(time + limits.lease), .integer(entry.sequence))
                    if let proven, !proven.contains(entry.origin) { excluded.insert(entry.origin) }
                }
                found += taken
                if taken.count < room { break }
            }
            for (index, entry) in found.enumerated() {
                if entry.length > 0, let piece = try piece(0, of: entry.sequence, connection),
                    piece.count == entry.length
                {
                    found[index].body = piece
                }
            }
            return found
        }
    }

    /// The latest time that a request can wait for; a later one comes from a clock that was set back.
    private func latest(_ now: Int64) -> Int64 {
        let (latest, isFar) = now.addingReportingOverflow(limits.longestWait)
        return isFar ? .max : latest
    }

    /// The time of the wall clock at which the next waiting request can be sent; nil if none waits for a time.
    func nextDue(
        except paused: Set<String>, now: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Int64? {
        let others = paused.sorted()
        let isElsewhere =
            others.isEmpty ? "" : "AND origin NOT IN (\(others.map { _ in "?" }.joined(separator: ", ")))"
        var due: Int64?
        try connection.each(
            "SELECT min(due) FROM request WHERE state = 1 \(isElsewhere)", others.map { .text($0) }
        ) { row in
            due = row.isNull(0) ? nil : row.integer(0)
            return false
        }
        return due
    }

    /// The piece of a body; nil if it is not there.
    func piece(_ number: Int, of sequence: Int64, _ connection: Connection) throws(SQLiteFailure) -> [UInt8]? {
        try connection.first(
            "SELECT bytes FROM piece WHERE request = ? AND number = ?", .integer(sequence), .integer(number)
        ) { Array($0.bytes(0)) }
    }

    /// Ends the sending of a request by this process. Returns false if it is not this process's any more, because it
    /// was dropped, or because the lease had ended and another process has taken it.
    @discardableResult
    func settle(
        _ sequence: Int64, _ settlement: Settlement, now: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Bool {
        try connection.transaction { () throws(SQLiteFailure) in
            let line: String?? = try connection.first(
                "SELECT line FROM request WHERE sequence = ? AND owner = ? AND state = 3", .integer(sequence),
                .text(owner)
            ) { $0.isNull(0) ? nil : $0.text(0) }
            guard let line else { return false }
            switch settlement {
            case .done(let response): try finish(sequence, .done, nil, response, now, connection)
            case .dead(let error, let response): try finish(sequence, .dead, error, response, now, connection)
            case .waiting(let error, let until, let counted, let isTouched):
                try connection.run(
                    """
                    UPDATE request SET state = ?, owner = NULL, lease = NULL, touched = max(touched, ?), due = ?, code = ?,
                        reason = ?, attempts = attempts + ?, rejections = rejections + ?, failures = failures * ? + ?
                    WHERE sequence = ?
                    """, .integer((line == nil ? EntryState.ready : .behind).rawValue), .integer(isTouched ? 1 : 0),
                    .integer(until),
                    .text(error.code.name), .text(error.reason), .integer(counted == .attempt ? 1 : 0),
                    .integer(counted == .rejection ? 1 : 0),
                    .integer(counted == .nothing || counted == .failure ? 1 : 0),
                    .integer(counted == .failure ? 1 : 0), .integer(sequence))
            }
            if let line { try arrange(line, connection) }
            return true
        }
    }

    /// Keeps what this process writes and sends for another while.
    func renew(time: Int64, _ connection: Connection) throws(SQLiteFailure) {
        try connection.run(
            "UPDATE request SET lease = ? WHERE owner = ?", .integer(time + limits.lease), .text(owner))
    }

    /// The process ends: what it was sending waits again.
    func leave(_ connection: Connection) throws(SQLiteFailure) { _ = try release(owner, connection) }

    /// Takes requests back from processes that have ended, or have not renewed their lease. Returns how many.
    @discardableResult
    func takeBack(time: Int64, _ connection: Connection) throws(SQLiteFailure) -> Int {
        let others = try connection.rows(
            "SELECT owner, max(lease) FROM request WHERE owner IS NOT NULL AND owner <> ? GROUP BY owner", .text(owner)
        ) { ($0.text(0), $0.integer(1)) }
        var count = 0
        for (other, lease) in others {
            // A lease that is longer than a lease can be is from an earlier start of the system.
            guard isGone(other) ?? (lease < time || lease > time + limits.lease) || lease < time else { continue }
            count += try release(other, connection)
        }
        return count
    }

    private func release(_ other: String, _ connection: Connection) throws(SQLiteFailure) -> Int {
        try connection.transaction { () throws(SQLiteFailure) in
            try connection.run("DELETE FROM request WHERE owner = ? AND state = 0", .text(other))
            let lines = try connection.rows(
                "SELECT DISTINCT line FROM request WHERE owner = ? AND line IS NOT NULL", .text(other)
            ) { $0.text(0) }
            try connection.run(
                """
                UPDATE request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, owner = NULL, lease = NULL,
                    touched = 1 WHERE owner = ? AND state = 3
                """, .text(other))
            let count = connection.changes
            for line in lines { try arrange(line, connection) }
            return count
        }
    }

    /// Old requests die, and old outcomes are removed. Returns the tickets of those that have died.
    func expire(now: Int64, time: Int64, _ connection: Connection) throws(SQLiteFailure) -> [String] {
        try connection.transaction { () throws(SQLiteFailure) in
            try step(now: now, time: time, connection)
            try connection.run(
                "DELETE FROM request WHERE state = 4 AND ended < (SELECT clock FROM total) - ?",
                .integer(limits.resultAge))
            let old = try connection.rows(
                "SELECT sequence, id, line FROM request WHERE state IN (1, 2) AND born < (SELECT clock FROM total) - ?",
                .integer(limits.age)
            ) { ($0.integer(0), $0.text(1), $0.isNull(2) ? nil : $0.text(2)) }
            for (sequence, _, line) in old {
                try finish(
                    sequence, .dead,
                    PlugboardError(
                        .queueExpired, "The request is older than the setting age. Send it again or drop it."),
                    nil, now, connection)
                if let line { try arrange(line, connection) }
            }
            return old.map(\.1)
        }
    }
}
