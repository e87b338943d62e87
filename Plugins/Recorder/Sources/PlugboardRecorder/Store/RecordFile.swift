import PlugboardKit
import PlugboardObserving
import PlugboardRecorderOptions
import PlugboardSQLite
import Synchronization

/// Records in a SQLite file, for one or several processes. They are written on the store's thread, together, within 20
/// ms. A killed process loses only those that are not written yet.
final class RecordFile: RecordStore {
    let mark: String? = nil
    private let store: SQLiteStore
    private let bounds: RecordBounds
    private let redaction: Redaction
    private let host: PluginHost
    private let path: String
    private let dropped: PluginHost.Counter
    private let added = Atomic(0)
    /// The bytes of recordings that wait to be written.
    private let waiting = Atomic(0)

    /// The most records that wait to be written; more are dropped, and counted.
    private static let pendingLimit = 1000

    static let schema = SQLiteStore.Schema(
        applicationID: 0x506C_6772,  // "Plgr"
        migrations: [
            """
            CREATE TABLE records (
                id INTEGER PRIMARY KEY AUTOINCREMENT, added INTEGER NOT NULL, date INTEGER NOT NULL, took INTEGER NOT NULL,
                method TEXT NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, status INTEGER, failure TEXT, label TEXT,
                size INTEGER NOT NULL, entries BLOB NOT NULL
            );
            CREATE INDEX recordsByAge ON records (added);
            """
        ],
        opening: "PRAGMA secure_delete = ON")

    /// Throws `recorder.store` if the file must not be used.
    init(
        _ settings: RecorderSettings, _ bounds: RecordBounds, _ redaction: Redaction, _ host: PluginHost
    ) throws(PlugboardError) {
        guard
            let path = settings.path.map({ host.configuredPath($0) })
                ?? host.dataPath.map({ "\($0)/recorder.sqlite" })
        else {
            throw PlugboardError(
                .recorderStore,
                "There is no data directory for the recorder's file. Set path, or persistence to memory.")
        }
        do throws(SQLiteFailure) {
            try SQLiteStore.check(path, schema: RecordFile.schema)
        } catch {
            if error.kind == .refused { throw RecordFile.failure(path, error) }
        }
        (self.bounds, self.redaction, self.host, self.path) = (bounds, redaction, host, path)
        dropped = host.counter("dropped")
        store = SQLiteStore(.file(path), schema: RecordFile.schema) { host.log(.warning, $0) }
    }

    func begin(_ recording: Recording) {}

    func add(_ recording: Recording) {
        let size = recording.size
        guard store.pending < RecordFile.pendingLimit, waiting.load(ordering: .relaxed) < bounds.size else {
            return dropped.add()
        }
        waiting.add(size, ordering: .relaxed)
        let (bounds, redaction, host) = (bounds, redaction, host)
        // Not checked each time, because computing the sum of sizes reads all records.
        let isChecked = added.wrappingAdd(1, ordering: .relaxed).oldValue % 32 == 0
        store.perform(when: .soon) { (connection) throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                try RecordFile.insert(recording.record(0, redaction), at: host.wallClock, connection)
                if isChecked { try RecordFile.keep(within: bounds, now: host.wallClock, connection) }
            }
        } then: { [dropped, self] result in
            waiting.subtract(size, ordering: .relaxed)
            if case .failure = result { dropped.add() }
        }
    }

    func add(_ records: [Record]) throws(PlugboardError) -> Int {
        let (bounds, host) = (bounds, host)
        try perform { (connection) throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                for record in records { try RecordFile.insert(record, at: host.wallClock, connection) }
                try RecordFile.keep(within: bounds, now: host.wallClock, connection)
            }
        }
        return records.count
    }

    func each(_ filter: RecordFilter, _ visit: (Record) -> Bool) throws(PlugboardError) {
        try each(filter, addedSince: host.wallClock - bounds.age, visit)
    }

    private func each(
        _ filter: RecordFilter, addedSince oldest: Duration, _ visit: (Record) -> Bool
    ) throws(PlugboardError) {
        var last = filter.before
        // Reads portions, so that a file of any size needs only the memory of one.
        while true {
            let before = last
            let records = try perform { (connection) throws(SQLiteFailure) in
                try connection.rows(
                    "SELECT \(RecordFile.columns) FROM records WHERE id < ? AND id > ? AND added >= ? ORDER BY id DESC LIMIT 64",
                    .integer(before), .integer(filter.after), .integer(oldest.milliseconds)
                ) { (row) throws(SQLiteFailure) in Record(row) }
            }
            for record in records where filter.selects(record) { if !visit(record) { return } }
            guard let least = records.last?.id else { return }
            last = least
        }
    }

    func record(_ id: Int64) throws(PlugboardError) -> Record? {
        let oldest = host.wallClock - bounds.age
        return try perform { (connection) throws(SQLiteFailure) in
            try connection.first(
                "SELECT \(RecordFile.columns) FROM records WHERE id = ? AND added >= ?", .integer(id),
                .integer(oldest.milliseconds)
            ) { (row) throws(SQLiteFailure) in Record(row) }
        }
    }

    func remove(_ filter: RecordFilter) throws(PlugboardError) -> Int {
        var selected: [Int64] = []
        // Includes records that are too old to be shown.
        try each(filter, addedSince: .zero) {
            selected.append($0.id)
            return true
        }
        let ids = selected
        try perform { (connection) throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                for id in ids { try connection.run("DELETE FROM records WHERE id = ?", .integer(id)) }
            }
        }
        return ids.count
    }

    func close(within limit: Duration) { store.close(within: limit) }

    private static let columns = "id, date, took, method, url, host, status, failure, label, entries"

    private static func insert(
        _ record: Record, at now: Duration, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        let entries: [UInt8] = JSONWriter.write(.array(record.entries))
        try connection.run(
            """
            INSERT INTO records (added, date, took, method, url, host, status, failure, label, size, entries)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(now.milliseconds), .integer(record.date.milliseconds), .integer(record.took.microseconds),
            .text(record.method),
            .text(record.url), .text(record.host), .optional(record.status.map { Int64($0) }),
            .optional(record.failure), .optional(record.label), .integer(entries.count + 256), .bytes(entries))
    }

    /// Removes the oldest records until the bounds are kept.
    private static func keep(
        within bounds: RecordBounds, now: Duration, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        try connection.run("DELETE FROM records WHERE added < ?", .integer((now - bounds.age).milliseconds))
        try connection.run(
            "DELETE FROM records WHERE id <= (SELECT id FROM records ORDER BY id DESC LIMIT 1 OFFSET ?)",
            .integer(bounds.count))
        let size = try connection.first("SELECT coalesce(sum(size), 0) FROM records") { $0.integer(0) } ?? 0
        guard size > bounds.size else { return }
        // Removes more than needed, so that the next records fit without removing others.
        var excess = size - Int64(bounds.size) + Int64(bounds.size / 16)
        var last: Int64 = 0
        try connection.each("SELECT id, size FROM records ORDER BY id") { (row) throws(SQLiteFailure) in
            (last, excess) = (row.integer(0), excess - row.integer(1))
            return excess > 0
        }
        try connection.run("DELETE FROM records WHERE id <= ?", .integer(last))
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) throws(PlugboardError) -> Value {
        do throws(SQLiteFailure) { return try store.performAndWait(work) } catch {
            throw RecordFile.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ failure: SQLiteFailure) -> PlugboardError {
        PlugboardError(.recorderStore, "The recorder's file \(path) cannot be used. \(failure.message)")
    }
}

extension Record {
    fileprivate init(_ row: borrowing SQLiteStore.Row) {
        self.init(
            id: row.integer(0), date: .milliseconds(row.integer(1)), took: .microseconds(row.integer(2)),
            method: row.text(3), url: row.text(4), host: row.text(5),
            status: row.isNull(6) ? nil : Int(row.integer(6)), failure: row.isNull(7) ? nil : row.text(7),
            label: row.isNull(8) ? nil : row.text(8),
            entries: Record.entries(row.bytes(9)))
    }
}

extension Record {
    /// The entries in the stored text; none if it is damaged.
    private static func entries(_ text: UnsafeRawBufferPointer) -> [JSONValue] {
        var options = JSONParser.Options()
        options.sizeLimit = .max
        return (try? JSONParser.parse(text, options: options).arrayValue) ?? []
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { whole(.milliseconds(1)) }
    fileprivate var microseconds: Int64 { whole(.microseconds(1)) }

    /// Clamped, so that the conversion cannot overflow.
    private func whole(_ unit: Duration) -> Int64 { Int64(min(max(self / unit, -1e15), 1e15)) }
}
