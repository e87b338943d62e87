import PlugboardSQLite
import TestSupport

@_spi(QueueStores) @testable import PlugboardQueue
@testable import PlugboardQueuePostgreSQL

/// A store that two processes use, each on a connection of its own, with times that the test gives.
protocol ModelBench {
    /// Whether the store has a time of its own, and sees that a process of this machine has ended.
    var hasOwnTime: Bool { get }
    /// Where the totals are, and a condition for pieces that are still to be removed.
    var total: String { get }
    var remains: String { get }

    func perform<Value: Sendable>(
        _ process: ModelRun.Process, _ limits: QueueLimits, isGone: @escaping @Sendable (String) -> Bool,
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value
    ) throws -> Value

    /// The columns of the rows as texts. `@` stands before names of tables.
    func rows(_ sql: String) throws -> [[String]]
}

struct FileBench: ModelBench {
    private let folder: TemporaryFolder
    private let stores: [SQLiteStore]

    init() throws {
        let folder = try TemporaryFolder("queue-model")
        self.folder = folder
        stores = (0..<2).map { _ in
            SQLiteStore(.file(folder.file("queue.sqlite")), schema: QueueSchema.schema) { _ in }
        }
    }

    var hasOwnTime: Bool { true }
    var total: String { "total" }
    var remains: String { " AND p.request NOT IN (SELECT body FROM gone)" }

    func perform<Value: Sendable>(
        _ process: ModelRun.Process, _ limits: QueueLimits, isGone: @escaping @Sendable (String) -> Bool,
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value
    ) throws -> Value {
        let file = QueueFile(owner: process.owner, limits: limits, isGone: isGone)
        return try stores[process.index].performAndWait { (connection) throws(SQLiteFailure) in
            try work(SQLiteSession(file, connection))
        }
    }

    func rows(_ sql: String) throws -> [[String]] {
        let sql = sql.replacing("@", with: "")
        return try stores[0].performAndWait { (connection) throws(SQLiteFailure) in
            try connection.rows(sql) { row in (0..<5).map { row.text($0) } }
        }
    }
}

struct PostgreSQLBench: ModelBench {
    private let connections: [PostgreSQLConnection]
    private let names: QueueNames

    init(_ server: PostgreSQLProcess) throws {
        names = QueueNames(schema: try server.schema())
        connections = [try PostgreSQLConnection(server.url), try PostgreSQLConnection(server.url)]
    }

    var hasOwnTime: Bool { false }
    var total: String {
        """
        (SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(dead), 0) AS dead,
            coalesce(sum(outcomes), 0) AS outcomes, coalesce(sum(bytes), 0) AS bytes FROM @tally)
        """
    }
    var remains: String { "" }

    func perform<Value: Sendable>(
        _ process: ModelRun.Process, _ limits: QueueLimits, isGone: @escaping @Sendable (String) -> Bool,
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value
    ) throws -> Value {
        let session = PostgreSQLSession(
            connections[process.index], names, owner: process.owner, adder: "\(UInt64.random(in: 0 ... .max))",
            limits: limits,
            clock: .given, isAgain: false)
        let value = try work(session)
        try session.flush()
        return value
    }

    func rows(_ sql: String) throws -> [[String]] {
        try connections[0].run([.init(names(sql))])[0].map { row in (0..<row.count).map { row.text($0) ?? "" } }
    }
}
