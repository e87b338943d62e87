import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// The requests in the file. Each function is a transition of the README's table, and one transaction.
///
/// Times are parameters, so that all interleavings of processes can be tested: `now` is the wall clock, `time` the
/// monotonic clock, which all processes share until the system is booted again.
struct QueueFile: Sendable {
    typealias Connection = SQLiteStore.Connection

    /// The owner of the rows that this process holds.
    let owner: String
    let limits: QueueLimits
    /// Whether the process of an owner has ended; nil if that cannot be known.
    let isGone: @Sendable (String) -> Bool?

    // MARK: Adding

    /// Makes an entry whose body is added in pieces.
    ///
    /// - Parameter line: The line that the entry holds, so that no waiting request of the line is sent before it. Nil
    ///   for a request that will wait too.
    func begin(
        _ id: String, holding line: String? = nil, now: Int64, time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Int64 {
        try connection.transaction { () throws(SQLiteFailure) in
            try connection.run(
                """
                INSERT INTO request (id, state, line, priority, method, url, origin, head, length, created, due, born,
                    touched, owner, lease)
                VALUES (?, 0, ?, 0, '', '', '', '', -1, ?, ?, (SELECT clock FROM total), 0, ?, ?)
                """, .text("\(id) \(owner)"), .optional(line), .integer(now), .integer(now), .text(owner),
                .integer(time + limits.lease))
            let sequence = connection.lastInsertedID
            try connection.run("UPDATE request SET body = -sequence WHERE sequence = ?", .integer(sequence))
            if let line { try arrange(line, connection) }
            return sequence
        }
    }

    func append(_ bytes: [UInt8], _ number: Int, to sequence: Int64, _ connection: Connection) throws(SQLiteFailure) {
        try connection.run(
            """
            INSERT INTO piece (request, number, bytes) SELECT ifnull(body, sequence), ?, ? FROM request WHERE sequence = ?
            """, .integer(number), .bytes(bytes), .integer(sequence))
        // Counts for the limit while the rest is written.
        try connection.run(
            "UPDATE request SET length = max(length, 0) + ? WHERE sequence = ? AND state = 0", .integer(bytes.count),
            .integer(sequence))
    }

    /// Removes an entry whose body could not be written, or whose caller has its outcome.
    func discard(_ sequence: Int64, _ connection: Connection) throws(SQLiteFailure) {
        try connection.transaction { () throws(SQLiteFailure) in
            let line = try line(of: sequence, connection)
            try connection.run(
                "DELETE FROM request WHERE sequence = ? AND owner = ?", .integer(sequence), .text(owner))
            if connection.changes > 0, let line { try arrange(line, connection) }
        }
    }

    /// Adds requests in one transaction, which is on the disk when this returns.
    func add(
        _ entries: [NewEntry], now: Int64, time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Added {
        try connection.run("PRAGMA synchronous = FULL")
        defer { do throws(SQLiteFailure) { try connection.run("PRAGMA synchronous = NORMAL") } catch {} }
        return try connection.transaction { () throws(SQLiteFailure) in
            try step(now: now, time: time, connection)
            var added = Added()
            for entry in entries {
                let placement = try add(entry, now, time, &added.dropped, connection)
                // Removes the pieces that the new entry does not use.
                if let begun = entry.begun { try discard(begun.sequence, connection) }
                added.placements.append(placement)
            }
            try limitOutcomes(connection)
            return added
        }
    }

    private func add(
        _ entry: NewEntry, _ now: Int64, _ time: Int64, _ dropped: inout [DroppedEntry], _ connection: Connection
    ) throws(SQLiteFailure) -> Placement {
        if try state(of: entry.id, connection) != nil { return .known }
        var entry = entry
        var isBehind = false
        if entry.isJournal, let line = entry.line {
            // Requests that wait in its line came after its turn, unless the file could not be read then.
            entry.isFirst = try !hasWaiting(line, before: entry.since ?? .min, connection)
            isBehind = entry.isFirst ? try isSending(line, connection) : true
            if isBehind { entry.isJournal = false }
        }
        // A request that is being sent and one that came later do not change each other.
        let collapsing = entry.isJournal ? [] : try collapsing(entry, connection)
        let isCancelled =
            !(entry.isFirst && entry.isTouched) && collapsing.contains { $0.isOpposite }
        // The waiting request came later, so it replaces the new one.
        let isReplaced = entry.isFirst && !isCancelled && !collapsing.isEmpty
        // Before any change, because a request that is refused must not replace another.
        if !isCancelled, !isReplaced {
            guard let room = try makeRoom(for: entry, replacing: collapsing, now, connection) else { return .full }
            dropped += room
        }
        for waiting in collapsing {
            if !isReplaced {
                try finish(waiting.sequence, .done, QueueFile.replaced, nil, now, connection)
            } else if entry.isTouched {
                try connection.run("UPDATE request SET touched = 1 WHERE sequence = ?", .integer(waiting.sequence))
            }
        }
        if isCancelled || isReplaced { entry = entry.withoutBody }
        // A replaced request may have reached the server, so the effect of the new one may be there already.
        if collapsing.contains(where: { $0.isTouched }) { entry.isTouched = true }
        let sequence = try insert(entry, now, time, connection)
        if !entry.rest.isEmpty { try append(entry.rest, entry.begun?.pieces ?? 0, to: sequence, connection) }
        if isCancelled {
            try finish(
                sequence, .done,
                PlugboardError(.queueCollapsed, "It and a waiting request of its collapse key cancel each other out."),
                nil, now, connection)
        }
        if isReplaced { try finish(sequence, .done, QueueFile.replaced, nil, now, connection) }
        if let line = entry.line { try arrange(line, connection) }
        return isCancelled ? .cancelled : isBehind ? .behind : .queued
    }

    private func insert(
        _ entry: NewEntry, _ now: Int64, _ time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Int64 {
        // It gets a new number, because an entry that was begun earlier is queued now. The number before it stays free.
        let begun = entry.begun?.sequence
        var first: Int64?
        if entry.isFirst, let line = entry.line { first = try self.first(line, connection) }
        try connection.run(
            """
            INSERT INTO request (sequence, id, state, line, category, tag, collapse, context, priority, method, url,
                origin, head, length, created, due, born, touched, owner, lease, code, body)
            VALUES (ifnull(?, (SELECT ifnull(max(seq), 0) + 2 FROM sqlite_sequence WHERE name = 'request')),
                ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT clock FROM total), ?, ?, ?, ?, ?)
            """, first.map { .integer($0) } ?? .null, .text(entry.id),
            .integer((entry.isJournal ? EntryState.sending : .ready).rawValue), .optional(entry.line),
            .optional(entry.category), .optional(entry.tag), .optional(entry.collapse?.key), .optional(entry.context),
            .integer(entry.priority), .text(entry.method), .text(entry.url), .text(entry.origin), .text(entry.head),
            .integer(entry.length),
            .integer(now), .integer(now), .integer(entry.isTouched || entry.isJournal ? 1 : 0),
            entry.isJournal ? .text(owner) : .null, entry.isJournal ? .integer(time + limits.lease) : .null,
            .optional(entry.code), .optional(begun.map { -$0 }))
        let sequence = connection.lastInsertedID
        if let begun {
            try connection.run("UPDATE request SET body = NULL WHERE sequence = ?", .integer(begun))
            try connection.run("DELETE FROM request WHERE sequence = ?", .integer(begun))
        }
        return sequence
    }

    static let replaced = PlugboardError(.queueCollapsed, "A later request with the same collapse key replaced it.")

    // MARK: Lines

    /// The number before the waiting requests of a line; nil if none wait, or if the number is used.
    private func first(_ line: String, _ connection: Connection) throws(SQLiteFailure) -> Int64? {
        let number = try connection.first(
            "SELECT min(sequence) - 1 FROM request WHERE line = ? AND state IN (1, 2)", .text(line)
        ) { $0.isNull(0) ? nil : $0.integer(0) }
        guard let number = number ?? nil else { return nil }
        let isTaken = try connection.first("SELECT 1 FROM request WHERE sequence = ?", .integer(number)) { _ in true }
        return isTaken == nil ? number : nil
    }

    /// Makes the first waiting request of a line ready, and none while one is being sent, or written to be sent.
    func arrange(_ line: String, _ connection: Connection) throws(SQLiteFailure) {
        let isHeld = try connection.first(
            "SELECT 1 FROM request WHERE line = ? AND state IN (0, 3) LIMIT 1", .text(line), read: { _ in true })
        if isHeld != nil {
            return try connection.run("UPDATE request SET state = 2 WHERE line = ? AND state = 1", .text(line))
        }
        let first = try connection.first(
            """
            SELECT sequence FROM (
                SELECT * FROM (SELECT sequence, priority FROM request WHERE line = ?1 AND state = 1
                    ORDER BY priority DESC, sequence LIMIT 1)
                UNION ALL
                SELECT * FROM (SELECT sequence, priority FROM request WHERE line = ?1 AND state = 2
                    ORDER BY priority DESC, sequence LIMIT 1))
            ORDER BY priority DESC, sequence LIMIT 1
            """, .text(line)
        ) { $0.integer(0) }
        guard let first else { return }
        try connection.run(
            "UPDATE request SET state = 2 WHERE line = ? AND state = 1 AND sequence <> ?", .text(line), .integer(first))
        try connection.run("UPDATE request SET state = 1 WHERE sequence = ? AND state = 2", .integer(first))
    }

    /// Whether a line has requests that wait or are being sent.
    func isBusy(_ line: String, _ connection: Connection) throws(SQLiteFailure) -> Bool {
        try connection.first("SELECT 1 FROM request WHERE line = ? AND state IN (1, 2, 3) LIMIT 1", .text(line)) { _ in
            true
        } ?? false
    }

    /// Whether requests wait in a line that were queued before a time of the wall clock.
    private func hasWaiting(
        _ line: String, before time: Int64, _ connection: Connection
    ) throws(SQLiteFailure) -> Bool {
        try connection.first(
            "SELECT 1 FROM request WHERE line = ? AND state IN (1, 2) AND created < ? LIMIT 1", .text(line),
            .integer(time)
        ) { _ in true } ?? false
    }

    private func isSending(_ line: String, _ connection: Connection) throws(SQLiteFailure) -> Bool {
        try connection.first("SELECT 1 FROM request WHERE line = ? AND state = 3 LIMIT 1", .text(line)) { _ in true }
            ?? false
    }

    func line(of sequence: Int64, _ connection: Connection) throws(SQLiteFailure) -> String? {
        try connection.first("SELECT line FROM request WHERE sequence = ?", .integer(sequence)) {
            $0.isNull(0) ? nil : $0.text(0)
        } ?? nil
    }

    func sequence(of id: String, _ connection: Connection) throws(SQLiteFailure) -> Int64? {
        try connection.first("SELECT sequence FROM request WHERE id = ?", .text(id)) { $0.integer(0) }
    }

    func state(of id: String, _ connection: Connection) throws(SQLiteFailure) -> EntryState? {
        try connection.first("SELECT state FROM request WHERE id = ?", .text(id)) {
            EntryState(rawValue: $0.integer(0))
        }
            ?? nil
    }

    // MARK: Ending

    func finish(
        _ sequence: Int64, _ state: EntryState, _ error: PlugboardError?, _ response: DeliveredResponse?, _ now: Int64,
        _ connection: Connection
    ) throws(SQLiteFailure) {
        try connection.run(
            """
            UPDATE request SET state = ?, owner = NULL, lease = NULL, completed = ?, ended = (SELECT clock FROM total),
                code = ?, reason = ?, status = ?, fields = ?, content = ? WHERE sequence = ?
            """, .integer(state.rawValue), .integer(now), .optional(error?.code.name), .optional(error?.reason),
            response.map { .integer($0.status) } ?? .null, .optional(response?.fields),
            response.map { .bytes($0.body) } ?? .null, .integer(sequence))
        // The body of a dead request is needed when it is sent again.
        guard state == .done else { return }
        try connection.run("DELETE FROM piece WHERE request = ?", .integer(sequence))
        try connection.run(
            "INSERT OR IGNORE INTO gone SELECT body FROM request WHERE sequence = ? AND body IS NOT NULL",
            .integer(sequence))
        try connection.run(
            "UPDATE request SET length = -1, body = NULL WHERE sequence = ? AND length > 0", .integer(sequence))
    }
}

extension NewEntry {
    /// The same entry without its body, because it will not be sent.
    fileprivate var withoutBody: NewEntry {
        var copy = self
        (copy.length, copy.rest, copy.begun) = (-1, [], nil)
        return copy
    }
}
