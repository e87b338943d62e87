import PlugboardKit
import PlugboardSQLite

/// The queue in a file.
final class SQLiteEngine: QueueEngine {
    private let file: QueueFile
    private let logPath: String
    private let store: SQLiteStore

    /// How long SQLite waits for another process that writes. Then other work comes first.
    private static let lockPatience = Duration.milliseconds(250)

    init(_ path: String, limits: QueueLimits, host: PluginHost) {
        logPath = "\(path)-wal"
        file = QueueFile(owner: ProcessIdentity().text, limits: limits) { ProcessIdentity($0).map(\.isGone) ?? true }
        store = SQLiteStore(.file(path), schema: QueueSchema.schema, patience: SQLiteEngine.lockPatience) {
            host.log(.warning, $0)
        }
    }

    /// The stamp of the file's log, which shows writes without opening the file. From any thread.
    var stamp: FileStamp? { FileStamp(logPath) }

    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        store.perform(
            { [file] (connection) throws(SQLiteFailure) in try work(SQLiteSession(file, connection)) }, then: then)
    }

    func migrate(then: @escaping @Sendable (Result<String, SQLiteFailure>) -> Void) {
        store.perform({ (_) throws(SQLiteFailure) in "A file is migrated when it is opened." }, then: then)
    }

    func close(within limit: Duration) { store.close(within: limit) }
}
