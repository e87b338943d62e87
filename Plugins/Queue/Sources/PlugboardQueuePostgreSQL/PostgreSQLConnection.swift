import CPlugboardPostgreSQL
import PlugboardKit
import PlugboardSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection to a server. Used on its engine's thread, where it may block, but never longer than its limits.
final class PostgreSQLConnection {
    /// A statement, and the values of `$1`, `$2` and so on.
    struct Statement {
        let sql: String
        let values: [PostgreSQLValue]

        init(_ sql: String, _ values: [PostgreSQLValue] = []) { (self.sql, self.values) = (sql, values) }
    }

    private let raw: OpaquePointer
    /// Whether the server cannot be reached over it any more.
    private(set) var isLost = false
    /// Whether a statement has succeeded.
    private(set) var isUsed = false

    private var due: ContinuousClock.Instant?

    /// How long the server may take for a statement of a round trip.
    private static let patience = Duration.seconds(10)

    /// Connects. The URL may set another `connect_timeout`, in seconds, for each host.
    init(_ url: String) throws(SQLiteFailure) {
        let settings = [
            ("connect_timeout", "3"), ("dbname", url), ("client_encoding", "UTF8"),
            ("fallback_application_name", "plugboard queue"),
        ]
        let texts = settings.map { (strdup($0.0), strdup($0.1)) }
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        let names = texts.map { UnsafePointer<CChar>($0.0) } + [nil]
        let values = texts.map { UnsafePointer<CChar>($0.1) } + [nil]
        guard let raw = PQconnectdbParams(names, values, 1) else { throw .inaccessible("There is no memory.") }
        self.raw = raw
        // Otherwise they are printed.
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
        guard PQstatus(raw) == CONNECTION_OK, PQsetnonblocking(raw, 1) == 0 else { throw lost() }
        guard PQserverVersion(raw) >= 130_000 else {
            throw .inaccessible(
                "The server is PostgreSQL \(PQserverVersion(raw) / 10_000); the queue needs 13 or newer.")
        }
    }

    deinit {
        if isLost {
            // What is still on its way must not arrive later: it knows nothing of what is done on another connection.
            var none = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
        }
        PQfinish(raw)
    }

    /// Whether the time has passed since this was true before.
    func isDue(every period: Duration) -> Bool {
        if let due, due > .now { return false }
        due = .now + period
        return true
    }

    var descriptor: Int32 { PQsocket(raw) }

    /// Performs the statements in one round trip and one transaction. Returns the rows of each.
    func run(_ statements: [Statement]) throws(SQLiteFailure) -> [[PostgreSQLRow]] {
        guard PQenterPipelineMode(raw) == 1 else { throw lost() }
        for statement in statements where !send(statement) { throw lost() }
        guard PQpipelineSync(raw) == 1 else { throw lost() }
        var found: [[PostgreSQLRow]] = []
        var failure: SQLiteFailure?
        var end = ContinuousClock.now + PostgreSQLConnection.patience
        while true {
            guard let result = try next(before: end) else { continue }
            defer { PQclear(result) }
            end = .now + PostgreSQLConnection.patience
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                guard PQexitPipelineMode(raw) == 1 else { throw lost() }
                if let failure { throw failure }
                isUsed = true
                return found
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: found.append(PostgreSQLRow.rows(result))
            case PGRES_PIPELINE_ABORTED: break
            default: failure = failure ?? self.failure(result)
            }
            if isLost, let failure { throw failure }
        }
    }

    /// Runs several statements without values in one transaction.
    func script(_ sql: String) throws(SQLiteFailure) {
        guard PQsendQuery(raw, sql) == 1 else { throw lost() }
        let end = ContinuousClock.now + .seconds(300)
        var failure: SQLiteFailure?
        while let result = try next(before: end) {
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_FATAL_ERROR { failure = failure ?? self.failure(result) }
        }
        if let failure { throw failure }
    }

    /// Whether other sessions have notified this one since the last call. Does not block.
    func hasNews() -> Bool {
        if PQconsumeInput(raw) == 0 { isLost = true }
        var hasNews = false
        while let notice = PQnotifies(raw) {
            hasNews = hasNews || notice.pointee.be_pid != PQbackendPID(raw)
            PQfreemem(notice)
        }
        return hasNews
    }

    private func send(_ statement: Statement) -> Bool {
        let values = statement.values.map(\.bytes)
        let copies = values.map { bytes -> UnsafeMutablePointer<CChar>? in
            guard let bytes else { return nil }
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
            copy[bytes.count] = 0
            return copy
        }
        defer { for copy in copies { copy?.deallocate() } }
        return PQsendQueryParams(
            raw, statement.sql, Int32(values.count), nil, copies.map { UnsafePointer($0) },
            values.map { Int32($0?.count ?? 0) }, statement.values.map { $0.isBinary ? 1 : 0 }, 0) == 1
    }

    /// The next result; nil at the end of those of a statement.
    private func next(before end: ContinuousClock.Instant) throws(SQLiteFailure) -> OpaquePointer? {
        while true {
            let flushed = PQflush(raw)
            if flushed < 0 { throw lost() }
            if flushed == 0, PQisBusy(raw) == 0 { return PQgetResult(raw) }
            var watched = pollfd(
                fd: descriptor, events: Int16(POLLIN) | (flushed > 0 ? Int16(POLLOUT) : 0), revents: 0)
            let left = (end - .now).components.seconds
            guard left >= 0, poll(&watched, 1, Int32(clamping: (left + 1) * 1000)) != 0 else {
                isLost = true
                throw .inaccessible("PostgreSQL has not responded in time.")
            }
            if PQconsumeInput(raw) == 0 { throw lost() }
        }
    }

    // MARK: Failures

    private func lost() -> SQLiteFailure {
        isLost = true
        return .inaccessible(PostgreSQLConnection.line(PQerrorMessage(raw)))
    }

    private func failure(_ result: OpaquePointer) -> SQLiteFailure {
        if PQstatus(raw) == CONNECTION_BAD { isLost = true }
        let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
        // Without the details, which may have values.
        let message = PostgreSQLConnection.line(PQresultErrorField(result, 77) ?? PQresultErrorMessage(result))
        switch state {
        // A serialization failure, a deadlock, or a lock that was not given in time.
        case "40001", "40P01", "55P03": return SQLiteFailure(code: 5, message: message)
        case "53100", "53200": return .full(message)
        // A server that has become a standby: another may be the primary now.
        case "25006", "57P01", "57P02", "57P03":
            isLost = true
            return .inaccessible(message)
        case "42P01", "3F000", "42883":
            return .inaccessible("The database has no queue of this version (\(message)). Run plugboard queue migrate.")
        default: return SQLiteFailure(code: 1, message: "PostgreSQL: \(message) [\(state)]")
        }
    }

    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        let lines = text.map { String(cString: $0) }?.split(separator: "\n") ?? []
        return lines.isEmpty ? "The connection to PostgreSQL was lost." : Printable.text(lines.joined(separator: " "))
    }
}
