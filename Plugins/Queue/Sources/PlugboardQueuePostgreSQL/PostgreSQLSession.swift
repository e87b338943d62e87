import PlugboardJSON
import PlugboardKit
@_spi(QueueStores) import PlugboardQueue
import PlugboardSQLite

/// Calls the functions of the schema, each in one round trip. Times go to the server as differences.
final class PostgreSQLSession: QueueSession {
    typealias Statement = PostgreSQLConnection.Statement

    private let connection: PostgreSQLConnection
    private let names: QueueNames
    private let owner: String
    /// What its additions are called, and no others.
    let adder: String
    let limits: QueueLimits
    private let clock: QueueClock
    /// Whether the work is repeated because the connection was lost, perhaps after its commit.
    let isAgain: Bool
    /// What is sent with the next statement.
    private var deferred: [Statement] = []
    /// The requests whose addition was begun.
    private(set) var added: [String] = []
    private var begun: Int64?

    init(
        _ connection: PostgreSQLConnection, _ names: QueueNames, owner: String, adder: String, limits: QueueLimits,
        clock: QueueClock, isAgain: Bool
    ) {
        (self.connection, self.names, self.owner, self.adder) = (connection, names, owner, adder)
        (self.limits, self.clock, self.isAgain) = (limits, clock, isAgain)
    }

    func together<Value>(
        removes: Bool, _ work: () throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        do throws(SQLiteFailure) { return try work() } catch {
            // Without its first piece, its caller does not know it, and it would hold its line.
            if let begun, !connection.isLost { try? discard(begun) }
            throw error
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: PostgreSQLValue...) throws(SQLiteFailure) -> [PostgreSQLRow] {
        try run([Statement(names(sql), values)]).last ?? []
    }

    private func run(_ statements: [Statement]) throws(SQLiteFailure) -> [[PostgreSQLRow]] {
        defer { deferred = [] }
        return Array(try connection.run(deferred + statements).dropFirst(deferred.count))
    }

    /// Whether the length of the queue is read now: each second, because it costs a round trip.
    func mustSurvey() -> Bool { connection.isDue(every: .seconds(1)) }

    func flush() throws(SQLiteFailure) { if !deferred.isEmpty { _ = try run([]) } }

    func given(_ time: Int64) -> PostgreSQLValue { clock == .given ? .integer(time) : .null }

    // MARK: Adding

    func begin(_ id: String, holding line: String?, now: Int64, time: Int64) throws(SQLiteFailure) -> Int64 {
        added.append("\(id) \(owner)")
        let sequence = try run(
            "SELECT @begin($1, $2, $3, $4, $5, $6)", .text(id), .text(owner), .optional(line), .integer(limits.lease),
            given(now), given(time)
        ).first?.integer(0)
        begun = sequence
        return sequence ?? 0
    }

    func append(_ bytes: [UInt8], _ number: Int, to sequence: Int64) throws(SQLiteFailure) -> Bool {
        try run("SELECT @append($1, $2, $3)", .integer(sequence), .integer(number), .bytes(bytes)).first?.bool(0)
            ?? false
    }

    func discard(_ sequence: Int64) throws(SQLiteFailure) {
        try run("SELECT @discard($1, $2)", .integer(sequence), .text(owner))
    }

    func add(_ entries: [NewEntry], now: Int64, time: Int64) throws(SQLiteFailure) -> Added {
        added += entries.map(\.id)
        if let result = try addTogether(entries, now) {
            added = []
            return result
        }
        let locks = Statement(names("SELECT @lock($1)"), [.texts(entries.compactMap(\.line))])
        let all = entries.map { Statement(names(PostgreSQLSession.adding), values(of: $0, now, time)) }
        let limit = Statement(names("SELECT @limit_outcomes($1)"), [.integer(limits.requests)])
        let results = try run([locks] + all + [limit]).dropFirst().dropLast()
        added = []
        var result = Added()
        for row in results.compactMap(\.first) {
            result.placements.append(PostgreSQLSession.placements[row.text(0) ?? ""] ?? .full)
            guard let dropped = row.text(1), dropped != "[]", let list = try? JSONParser.parse(dropped) else {
                continue
            }
            result.dropped += (list.arrayValue ?? []).map {
                DroppedEntry(
                    id: $0["id"]?.stringValue ?? "", category: $0["category"]?.stringValue, tag: $0["tag"]?.stringValue)
            }
        }
        return result
    }

    private static let adding =
        "SELECT placement, dropped FROM @add(\((1...29).map { "$\($0)" }.joined(separator: ", ")))"
    private static let placements: [String: Placement] = [
        "queued": .queued, "behind": .behind, "known": .known, "cancelled": .cancelled, "full": .full,
    ]

    private func values(of entry: NewEntry, _ now: Int64, _ time: Int64) -> [PostgreSQLValue] {
        [
            .text(entry.id), .optional(entry.category), .optional(entry.tag), .optional(entry.context),
            .optional(entry.collapse?.key), .bool(entry.collapse?.rule == .cancel), .integer(entry.priority),
            .text(entry.method), .text(entry.url), .text(entry.origin), .text(entry.head), .integer(entry.length),
            .bytes(entry.rest), .optional(entry.begun?.sequence), .integer(entry.begun?.pieces ?? 0),
            .optional(entry.code), .bool(entry.isTouched), .bool(entry.isJournal), .bool(entry.isFirst),
            .optional(entry.since.map { max(now - $0, 0) }), .bool(isAgain), .text(owner), .integer(limits.lease),
            .integer(limits.requests), .integer(limits.bytes), .bool(limits.dropsOldest), given(now), given(time),
            .text(adder),
        ]
    }

    /// Removes requests whose callers were told that they were not added, unless another addition has found them: its
    /// caller was told that they are queued.
    func forget(_ ids: [String], of additions: [String]) throws(SQLiteFailure) {
        if ids.isEmpty { return }
        try run(
            """
            SELECT @drop(id, NULL, NULL, '{1,2}')
            FROM (SELECT id FROM @request WHERE id = ANY ($1) AND adder = ANY ($2) FOR UPDATE) r
            """, .texts(ids), .texts(additions))
        try run("SELECT @discard(sequence, $2) FROM @request WHERE id = ANY ($1)", .texts(ids), .text(owner))
    }

    // MARK: Sending

    func takeBack(running: Set<Int64>?, now: Int64, time: Int64) throws(SQLiteFailure) {
        deferred.append(
            Statement(
                names("SELECT @take_back($1, $2, $3)"),
                [.text(owner), running.map { .integers(Array($0)) } ?? .null, given(time)]))
        deferred.append(
            Statement(
                names("SELECT @take_in($1, $2, $3, $4)"),
                [.text(owner), .integer(limits.requests), .integer(limits.bytes), .bool(limits.dropsOldest)]))
    }

    func expire(now: Int64, time: Int64, isStart: Bool) throws(SQLiteFailure) -> [String] {
        try run("SELECT @expire($1, $2, $3)", .integer(limits.age), .integer(limits.resultAge), given(now))
            .compactMap { $0.text(0) }
    }

    func claim(_ order: QueueClaim, now: Int64, time: Int64) throws(SQLiteFailure) -> Claimed {
        var line: String?
        var selected: PostgreSQLValue = .null
        switch order.choice {
        case .due: break
        case .line(let one): line = one
        case .selected(let selections):
            selected = .text(
                JSONWriter.write(
                    .array(
                        selections.map {
                            .object([
                                "id": $0.id.map { .string($0) } ?? .null, "tag": $0.tag.map { .string($0) } ?? .null,
                                "category": $0.category.map { .string($0) } ?? .null,
                            ])
                        })))
        }
        let claim = Statement(
            names("SELECT * FROM @claim($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9, $10, $11)"),
            [
                .text(owner), .integer(limits.lease), .integer(order.count), .optional(line), selected,
                .texts(order.paused.sorted()), order.proven.map { .texts($0.sorted()) } ?? .null,
                .texts(order.held.sorted()), .integer(limits.longestWait), given(now), given(time),
            ])
        let held = Statement(
            names("SELECT DISTINCT line FROM @request WHERE state = 1 AND line = ANY ($1)"),
            [.texts(order.held.sorted())])
        let results = try run(order.held.isEmpty ? [claim] : [claim, held])
        return Claimed(
            entries: results[0].map { row in
                ClaimedEntry(
                    sequence: row.integer(0) ?? 0, id: row.text(1) ?? "", line: row.text(2), origin: row.text(3) ?? "",
                    category: row.text(4), tag: row.text(5), method: row.text(6) ?? "", url: row.text(7) ?? "",
                    head: row.text(8) ?? "", length: Int(row.integer(9) ?? -1), body: row.bytes(13),
                    attempts: Int(row.integer(10) ?? 0), rejections: Int(row.integer(11) ?? 0),
                    failures: Int(row.integer(12) ?? 0))
            }, heldBack: Set(results.dropFirst().first?.compactMap { $0.text(0) } ?? []))
    }

    func putBack(_ sequences: [Int64]) throws(SQLiteFailure) {
        if !sequences.isEmpty { try run("SELECT @put_back($1, $2)", .integers(sequences), .text(owner)) }
    }

    func nextDue(except paused: Set<String>, after earliest: Int64, now: Int64) throws(SQLiteFailure) -> Int64? {
        let rows = try run(
            """
            SELECT min(due), @now($1) FROM @request WHERE state = 1 AND ($2 OR due > @now($1)) AND origin <> ALL ($3)
            """, given(now), .bool(earliest == .min), .texts(paused.sorted()))
        // Any time of a row that somebody else wrote.
        return rows.first.flatMap { row in
            row.integer(0).map { now + min(max($0, 0) - (row.integer(1) ?? now), 1 << 60) }
        }
    }

    func renew(time: Int64) throws(SQLiteFailure) -> Set<Int64> {
        Set(
            try run(
                "UPDATE @request SET lease = @now($1) + $2 WHERE owner = $3 RETURNING sequence", given(time),
                .integer(limits.lease), .text(owner)
            ).compactMap { $0.integer(0) })
    }

    func settle(_ sequence: Int64, _ settlement: Settlement, now: Int64) throws(SQLiteFailure) -> Bool {
        var (state, wait, isTouched, counted) = (EntryState.done, Int64(0), false, "")
        var (error, response): (PlugboardError?, DeliveredResponse?)
        switch settlement {
        case .done(let delivered): response = delivered
        case .dead(let why, let delivered): (state, error, response) = (.dead, why, delivered)
        case .waiting(let why, let until, let counts, let touched):
            (state, error, wait, isTouched) = (
                .ready, why, clock == .given ? until - now : max(until - now, 0), touched
            )
            counted = "\(counts)"
        }
        return try run(
            "SELECT @settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)", .integer(sequence), .text(owner),
            .integer(state.rawValue), .optional(error?.code.name), .optional(error?.reason),
            .optional(response.map { Int64($0.status) }), .optional(response?.fields),
            response.map { .bytes($0.body) } ?? .null, .integer(wait), .text(counted), .bool(isTouched), given(now)
        ).first?.bool(0) ?? false
    }

    func leave() throws(SQLiteFailure) { try run("SELECT @release($1, NULL)", .text(owner)) }
}
