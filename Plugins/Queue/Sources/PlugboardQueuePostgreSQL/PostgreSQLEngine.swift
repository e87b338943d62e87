import CPlugboardPostgreSQL
import PlugboardKit
@_spi(QueueStores) import PlugboardQueue
import PlugboardSQLite
import Synchronization

/// The queue in a database, on one connection with a thread of its own.
///
/// The connection is made with the first work, and again where it is lost: then the work is repeated once. While the
/// server cannot be reached, work fails at once, and one try after each pause shows whether it is back.
final class PostgreSQLEngine: QueueEngine {
    /// Used on the thread only.
    private struct Session {
        var connection: PostgreSQLConnection?
        var refusal: (failure: SQLiteFailure, until: ContinuousClock.Instant, pause: Duration)?
        /// Requests whose addition has failed with the connection: they may have been added.
        var doubtful: [String] = []
        /// Those additions.
        var additions: [String] = []
        var works = 0
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    let context: QueueEngineContext
    private let names: QueueNames
    private let owner = ProcessIdentity().text
    /// What its additions begin with; no other engine's do.
    private let name = String(UInt64.random(in: .min ... .max), radix: 36)
    private let clock: QueueClock
    private let session = Mutex(Session())
    private let thread: PostgreSQLThread

    init(_ context: QueueEngineContext, clock: QueueClock = .server) throws(PlugboardError) {
        (self.context, self.clock) = (context, clock)
        names = QueueNames(schema: context.schema)
        // Its message may have a part of the URL, and so the password.
        guard context.url.hasPrefix("postgres"), let parsed = PQconninfoParse(context.url, nil) else {
            throw PlugboardError(
                .configuration, "store of queue is not a URL such as postgresql://user@host/database.")
        }
        PQconninfoFree(parsed)
        // PostgreSQL cuts names, but not those of LISTEN.
        guard context.schema.utf8.count < 64 else {
            throw PlugboardError(.configuration, "schema of queue has more than 63 bytes.")
        }
        thread = PostgreSQLThread(changed: context.changed)
        thread.idle = { [weak self] in self?.look() }
    }

    var stamp: FileStamp? { nil }

    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        let isTaken = thread.add { [self] isOver in
            then(isOver ? .failure(.closedQueue) : session.withLock { performed(work, &$0) })
        }
        if !isTaken { then(.failure(.closedQueue)) }
    }

    private func performed<Value>(
        _ work: (any QueueSession) throws(SQLiteFailure) -> Value, _ state: inout Session
    ) -> Result<Value, SQLiteFailure> {
        var isAgain = false
        var begun: [String] = []
        state.works += 1
        let adder = "\(name) \(state.works)"
        while true {
            do throws(SQLiteFailure) {
                let connection = try connected(&state)
                let wasUsed = connection.isUsed
                let session = PostgreSQLSession(
                    connection, names, owner: owner, adder: adder, limits: context.limits, clock: clock,
                    isAgain: isAgain)
                do throws(SQLiteFailure) {
                    let value = try work(session)
                    try session.flush()
                    return .success(value)
                } catch {
                    guard connection.isLost else { throw error }
                    state.connection = nil
                    begun = session.added
                    if wasUsed, !isAgain {
                        isAgain = true
                        continue
                    }
                    throw error
                }
            } catch {
                if !begun.isEmpty { state.additions.append(adder) }
                state.doubtful += begun
                return .failure(error)
            }
        }
    }

    private func connected(_ state: inout Session) throws(SQLiteFailure) -> PostgreSQLConnection {
        if let connection = state.connection { return connection }
        if let refusal = state.refusal, refusal.until > .now { throw refusal.failure }
        do throws(SQLiteFailure) {
            let connection = try PostgreSQLConnection(context.url)
            try QueueSchemaVersion.check(connection, names)
            // A pooler may not deliver notices, or refuse to listen: then polling is all.
            do throws(SQLiteFailure) { _ = try connection.run([.init("LISTEN \(names.quoted)")]) } catch {
                if connection.isLost { throw error }
            }
            let session = PostgreSQLSession(
                connection, names, owner: owner, adder: name, limits: context.limits, clock: clock, isAgain: false)
            try session.forget(state.doubtful, of: state.additions)
            (state.connection, state.refusal, state.doubtful, state.additions) = (connection, nil, [], [])
            return connection
        } catch {
            let pause = min(
                state.refusal.map { $0.pause * 2 } ?? PostgreSQLEngine.firstPause, PostgreSQLEngine.longestPause)
            state.refusal = (error, .now + pause, pause)
            throw error
        }
    }

    /// Called between pieces of work: whether others have added something. Returns the descriptor to wait for.
    private func look() -> (descriptor: Int32, hasNews: Bool)? {
        session.withLock { state in
            guard let connection = state.connection else { return nil }
            let hasNews = connection.hasNews()
            if connection.isLost { state.connection = nil }
            return connection.isLost ? nil : (connection.descriptor, hasNews)
        }
    }

    func migrate(then: @escaping @Sendable (Result<String, SQLiteFailure>) -> Void) {
        let isTaken = thread.add { [self] isOver in
            if isOver { return then(.failure(.closedQueue)) }
            let result = Result { () throws(SQLiteFailure) in
                try QueueSchemaVersion.migrate(try PostgreSQLConnection(context.url), names)
            }
            session.withLock { $0.refusal = nil }
            then(result)
        }
        if !isTaken { then(.failure(.closedQueue)) }
    }

    func close(within limit: Duration) { thread.close(within: limit) }
}

extension SQLiteFailure {
    /// The store is closed: SQLITE_INTERRUPT.
    fileprivate static var closedQueue: SQLiteFailure { SQLiteFailure(code: 9, message: "The store is closed.") }
}

/// Whose time is used: the server's, or one that a test gives.
enum QueueClock: Sendable { case server, given }

/// The names of a queue's schema in statements.
struct QueueNames: Sendable {
    let quoted: String

    init(schema: String) {
        // It stands in literals and bodies of functions, too.
        let bytes = schema.utf8.map { "\"@'$\\".utf8.contains($0) ? UInt8(ascii: "_") : $0 }
        quoted = "\"\(String(decoding: bytes, as: UTF8.self))\""
    }

    /// The statement with the schema in place of `@`.
    func callAsFunction(_ sql: String) -> String { sql.replacing("@", with: "\(quoted).") }
}

/// What PlugboardQueue finds where this product is linked.
@c(plugboard_queue_engine)
public func queueEngine() -> UnsafeMutableRawPointer { postgreSQL.pointer }

private struct Linked: @unchecked Sendable {
    // Made once, never released, and its closure holds no state.
    let pointer = Unmanaged.passRetained(
        QueueEngineMaker { (context) throws(PlugboardError) in try PostgreSQLEngine(context) }
    ).toOpaque()
}

private let postgreSQL = Linked()
