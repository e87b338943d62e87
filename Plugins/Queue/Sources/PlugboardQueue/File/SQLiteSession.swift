import PlugboardJSON
import PlugboardSQLite

/// The transitions of `QueueFile` on a connection.
struct SQLiteSession: QueueSession {
    let file: QueueFile
    let connection: SQLiteStore.Connection

    init(_ file: QueueFile, _ connection: SQLiteStore.Connection) { (self.file, self.connection) = (file, connection) }

    func together<Value>(
        removes: Bool, _ work: () throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        guard removes else { return try connection.transaction(work) }
        return try connection.removing { () throws(SQLiteFailure) in try connection.transaction(work) }
    }

    func begin(_ id: String, holding line: String?, now: Int64, time: Int64) throws(SQLiteFailure) -> Int64 {
        try file.begin(id, holding: line, now: now, time: time, connection)
    }
    func append(_ bytes: [UInt8], _ number: Int, to sequence: Int64) throws(SQLiteFailure) -> Bool {
        try file.append(bytes, number, to: sequence, connection)
        return connection.changes == 1
    }
    func discard(_ sequence: Int64) throws(SQLiteFailure) { try file.discard(sequence, connection) }
    func add(_ entries: [NewEntry], now: Int64, time: Int64) throws(SQLiteFailure) -> Added {
        try file.add(entries, now: now, time: time, connection)
    }

    func takeBack(running: Set<Int64>?, now: Int64, time: Int64) throws(SQLiteFailure) {
        try file.takeBack(time: time, connection)
    }
    func expire(now: Int64, time: Int64, isStart: Bool) throws(SQLiteFailure) -> [String] {
        try file.expire(now: now, time: time, isStart: isStart, connection)
    }
    func claim(_ order: QueueClaim, now: Int64, time: Int64) throws(SQLiteFailure) -> Claimed {
        var heldBack: Set<String> = []
        let entries = try file.claim(
            order.count, order.choice, except: order.paused, proven: order.proven,
            isHeld: { line in
                guard order.held.contains(line) else { return false }
                heldBack.insert(line)
                return true
            }, now: now, time: time, connection)
        return Claimed(entries: entries, heldBack: heldBack)
    }
    func putBack(_ sequences: [Int64]) throws(SQLiteFailure) { try file.putBack(sequences, connection) }
    func nextDue(except paused: Set<String>, after earliest: Int64, now: Int64) throws(SQLiteFailure) -> Int64? {
        try file.nextDue(except: paused, after: earliest, connection)
    }
    func renew(time: Int64) throws(SQLiteFailure) -> Set<Int64> { try file.renew(time: time, connection) }
    func settle(_ sequence: Int64, _ settlement: Settlement, now: Int64) throws(SQLiteFailure) -> Bool {
        try file.settle(sequence, settlement, now: now, connection)
    }
    func leave() throws(SQLiteFailure) {
        // The file is locked only if this process holds something.
        if try file.isOwner(connection) { try file.leave(connection) }
    }

    func isBusy(_ line: String) throws(SQLiteFailure) -> Bool { try file.isBusy(line, connection) }
    func sequence(of id: String) throws(SQLiteFailure) -> Int64? { try file.sequence(of: id, connection) }
    func piece(_ number: Int, of id: String) throws(SQLiteFailure) -> [UInt8]? {
        guard let sequence = try file.sequence(of: id, connection) else { return nil }
        return try file.piece(number, of: sequence, connection)
    }

    func list(
        _ selection: Selection, limit: Int, isWhole: Bool, isUnacknowledged: Bool
    ) throws(SQLiteFailure) -> [JSONValue] {
        try file.list(selection, limit: limit, isWhole: isWhole, isUnacknowledged: isUnacknowledged, connection)
    }
    func drop(_ selection: Selection) throws(SQLiteFailure) -> [String] { try file.drop(selection, connection) }
    func revive(_ selection: Selection, now: Int64) throws(SQLiteFailure) -> Int {
        try file.revive(selection, now: now, connection)
    }
    func acknowledge(_ ids: [String]) throws(SQLiteFailure) -> Int { try file.acknowledge(ids, connection) }
    func statistics() throws(SQLiteFailure) -> JSONObject { try file.statistics(connection) }
    func sweep() throws(SQLiteFailure) {
        try connection.removing { () throws(SQLiteFailure) in try file.sweep(connection) }
    }
    func survey() throws(SQLiteFailure) -> QueueSurvey? {
        try file.survey(connection).map { survey in
            var survey = survey
            if connection.isReadOnly { survey.hasRemains = false }
            return survey
        }
    }
}
