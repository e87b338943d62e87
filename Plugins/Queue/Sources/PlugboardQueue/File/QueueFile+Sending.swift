import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Takes requests to send them, and gives them back.
extension QueueFile {
    /// Takes up to `count` requests that can be sent, the most urgent first.
    ///
    /// - Parameters:
    ///   - paused: Origins to which nothing is sent now.
    ///   - proven: Origins to which several requests may be sent at once; nil for all.
    ///   - isHeld: Whether no request of the line is taken now.
    func claim(
        _ count: Int, _ choice: QueueClaim.Choice = .due, except paused: Set<String> = [], proven: Set<String>? = nil,
        isHeld: (String) -> Bool = { _ in false }, now: Int64, time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> [ClaimedEntry] {
        try connection.transaction { () throws(SQLiteFailure) in
            var taken: [Int64] = []
            var used: Set<String> = []
            let (query, values) = candidates(choice, except: paused, now: now)
            try connection.each(query, values) { row in
                let origin = row.text(1)
                if used.contains(origin) || !row.isNull(2) && isHeld(row.text(2)) { return true }
                taken.append(row.integer(0))
                if let proven, !proven.contains(origin) { used.insert(origin) }
                return taken.count < count
            }
            var entries: [ClaimedEntry] = []
            for sequence in taken {
                try connection.run(
                    "UPDATE request SET state = 3, owner = ?, lease = ? WHERE sequence = ?", .text(owner),
                    .integer(time + limits.lease), .integer(sequence))
                if let entry = try claimed(sequence, connection) { entries.append(entry) }
            }
            return entries
        }
    }

    /// The requests that can be sent now, the most urgent first. Requests that are not taken are read from the index
    /// alone, unless commands have selected some, because an unreachable server may have thousands.
    func candidates(
        _ choice: QueueClaim.Choice, except paused: Set<String>, now: Int64
    ) -> (query: String, values: [SQLiteStore.Value]) {
        var condition = "(due <= ? OR due > ?)"
        var values: [SQLiteStore.Value] = [.integer(now), .integer(latest(now))]
        var index = ""
        switch choice {
        case .due: break
        case .line(let line):
            // Otherwise SQLite would use the other index, and read all waiting requests.
            index = "INDEXED BY request_by_line "
            condition += " AND line = ?"
            values.append(.text(line))
        case .selected(let selections):
            let conditions = selections.map { $0.naming.condition }
            condition += " AND (\(conditions.map { "(\($0.sql))" }.joined(separator: " OR ")))"
            values += conditions.flatMap(\.values)
        }
        if !paused.isEmpty {
            condition += " AND origin NOT IN (\(paused.map { _ in "?" }.joined(separator: ", ")))"
            values += paused.sorted().map { .text($0) }
        }
        return (
            """
            SELECT sequence, origin, line FROM request \(index)WHERE state = 1 AND \(condition)
            ORDER BY priority DESC, sequence
            """, values
        )
    }

    private func claimed(_ sequence: Int64, _ connection: Connection) throws(SQLiteFailure) -> ClaimedEntry? {
        var entry = try connection.first(
            """
            SELECT sequence, id, line, category, tag, method, url, head, length, attempts, rejections, origin, failures
            FROM request WHERE sequence = ?
            """, .integer(sequence)
        ) { row in
            ClaimedEntry(
                sequence: row.integer(0), id: row.text(1), line: row.isNull(2) ? nil : row.text(2),
                origin: row.text(11), category: row.isNull(3) ? nil : row.text(3),
                tag: row.isNull(4) ? nil : row.text(4), method: row.text(5), url: row.text(6), head: row.text(7),
                length: Int(row.integer(8)), body: nil, attempts: Int(row.integer(9)),
                rejections: Int(row.integer(10)), failures: Int(row.integer(12)))
        }
        if let length = entry?.length, length > 0, let piece = try piece(0, of: sequence, connection),
            piece.count == length
        {
            entry?.body = piece
        }
        return entry
    }

    /// Lets requests that were taken but not sent wait again, unchanged.
    func putBack(_ sequences: [Int64], _ connection: Connection) throws(SQLiteFailure) {
        try connection.transaction { () throws(SQLiteFailure) in
            for sequence in sequences {
                try connection.run(
                    """
                    UPDATE request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, owner = NULL, lease = NULL
                    WHERE sequence = ? AND owner = ? AND state = 3
                    """, .integer(sequence), .text(owner))
                if let line = try line(of: sequence, connection) { try arrange(line, connection) }
            }
        }
    }

    /// The latest time that a request can wait for; a later one comes from a clock that was set back.
    private func latest(_ now: Int64) -> Int64 {
        let (latest, isFar) = now.addingReportingOverflow(limits.longestWait)
        return isFar ? .max : latest
    }

    /// The time of the wall clock at which the next waiting request can be sent; nil if none waits for a time.
    func nextDue(
        except paused: Set<String>, after earliest: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Int64? {
        let others = paused.sorted()
        let isElsewhere =
            others.isEmpty ? "" : "AND origin NOT IN (\(others.map { _ in "?" }.joined(separator: ", ")))"
        var due: Int64?
        try connection.each(
            "SELECT min(due) FROM request WHERE state = 1 AND due > ? \(isElsewhere)",
            [.integer(earliest)] + others.map { .text($0) }
        ) { row in
            due = row.isNull(0) ? nil : row.integer(0)
            return false
        }
        return due
    }

    /// A piece of a body; nil if it is missing.
    func piece(_ number: Int, of sequence: Int64, _ connection: Connection) throws(SQLiteFailure) -> [UInt8]? {
        try connection.first(
            """
            SELECT bytes FROM piece
            WHERE request = (SELECT ifnull(body, sequence) FROM request WHERE sequence = ?) AND number = ?
            """, .integer(sequence), .integer(number)
        ) { Array($0.bytes(0)) }
    }

    /// Ends the sending of a request by this process. Returns false if this process does not hold it any more, because
    /// it was dropped, or because the lease had ended and another process has taken it.
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
                try giveWay(sequence, now, connection)
            }
            if let line { try arrange(line, connection) }
            return true
        }
    }

    /// Ends a request that would wait again, if a later one with its collapse key has come while it was being sent. If
    /// it cannot have reached the server, both are sent, because they may be opposites.
    private func giveWay(_ sequence: Int64, _ now: Int64, _ connection: Connection) throws(SQLiteFailure) {
        let later = try connection.first(
            """
            SELECT later.sequence FROM request own JOIN request later ON later.line = own.line
                AND later.collapse = own.collapse AND later.sequence > own.sequence AND later.state IN (1, 2)
            WHERE own.sequence = ? AND own.touched = 1 LIMIT 1
            """, .integer(sequence)
        ) { $0.integer(0) }
        guard let later else { return }
        try connection.run("UPDATE request SET touched = 1 WHERE sequence = ?", .integer(later))
        try finish(sequence, .done, QueueFile.replaced, nil, now, connection)
    }

    /// Renews the lease of everything that this process writes and sends. Returns the numbers of these requests.
    @discardableResult
    func renew(time: Int64, _ connection: Connection) throws(SQLiteFailure) -> Set<Int64> {
        try connection.run(
            "UPDATE request SET lease = ? WHERE owner = ?", .integer(time + limits.lease), .text(owner))
        return Set(
            try connection.rows("SELECT sequence FROM request WHERE owner = ?", .text(owner)) { $0.integer(0) })
    }

    /// Lets requests that this process was sending wait again, because the process ends.
    func leave(_ connection: Connection) throws(SQLiteFailure) { _ = try release(owner, connection) }

    /// Takes requests back from processes that have ended, or have not renewed their lease. Returns how many.
    @discardableResult
    func takeBack(time: Int64, _ connection: Connection) throws(SQLiteFailure) -> Int {
        let others = try connection.rows(
            "SELECT owner, max(lease) FROM request WHERE owner IS NOT NULL AND owner <> ? GROUP BY owner", .text(owner)
        ) { ($0.text(0), $0.integer(1)) }
        var count = 0
        for (other, lease) in others {
            // A lease beyond the longest possible one is from an earlier boot of the system.
            guard isGone(other) ?? (lease < time || lease > time + limits.lease) || lease < time else { continue }
            count += try release(other, connection)
        }
        return count
    }

    private func release(_ other: String, _ connection: Connection) throws(SQLiteFailure) -> Int {
        try connection.transaction { () throws(SQLiteFailure) in
            let lines = try connection.rows(
                "SELECT DISTINCT line FROM request WHERE owner = ? AND line IS NOT NULL", .text(other)
            ) { $0.text(0) }
            try connection.run("DELETE FROM request WHERE owner = ? AND state = 0", .text(other))
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

    /// Makes old requests dead, and removes old outcomes. Returns the tickets of the dead requests.
    ///
    /// - Parameter isStart: Whether this is the first call in a process. Only then the wall clock counts too, because a
    ///   jump of it in a running process means that it was set.
    func expire(
        now: Int64, time: Int64, isStart: Bool, _ connection: Connection
    ) throws(SQLiteFailure) -> [String] {
        try connection.transaction { () throws(SQLiteFailure) in
            try step(now: now, time: time, connection)
            try connection.run(
                "DELETE FROM request WHERE +state = 4 AND ended < (SELECT clock FROM total) - ?",
                .integer(limits.resultAge))
            let old = try connection.rows(
                """
                SELECT sequence, id, line FROM request WHERE +state IN (1, 2) AND sequence IN (
                    SELECT sequence FROM request WHERE ended IS NULL AND born < (SELECT clock FROM total) - ?
                    UNION SELECT sequence FROM request WHERE ended IS NULL AND created > ? AND created < ?)
                """, .integer(limits.age), .integer(QueueFile.earliestWall),
                .integer(isStart ? now - 2 * min(limits.age, QueueFile.longestAge) : .min)
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
