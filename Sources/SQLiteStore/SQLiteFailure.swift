import CSQLite

/// Why work on a store could not be done. Holds no value that was stored or looked for.
public struct SQLiteFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Kind: Sendable {
        /// The file is no database of this schema. It has been moved aside; the next work finds a fresh one.
        case damaged
        /// The disk, the quota or the file's own limit is full. What was there before is unharmed.
        case full
        /// The path leads to what must not be used: it belongs to another program or user, or others may write it. It is
        /// left as it is.
        case refused
        /// Another process held the file for longer than the store waits.
        case busy
        /// The file cannot be opened, read or written.
        case inaccessible
        /// The store is closed.
        case closed
        /// A constraint, a mistake in SQL, or anything else.
        case other
    }

    /// SQLite's extended result code.
    public let code: Int32
    /// In SQLite's words, or the store's own.
    public let message: String

    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    public var kind: Kind {
        switch code & 0xff {
        // The index of the log has no room.
        case _ where code == shmSize: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_FULL: .full
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_PERM: .refused
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_AUTH: .inaccessible
        case SQLITE_INTERRUPT: .closed
        default: .other
        }
    }

    public var description: String { "\(message) [SQLite \(code)]" }

    /// A failure of the kind `full` in the caller's words.
    public static func full(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_FULL, message: message) }

    static func refused(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_PERM, message: message) }

    static let closed = SQLiteFailure(code: SQLITE_INTERRUPT, message: "The store is closed.")

    /// What an open connection says of its last call.
    init(_ database: OpaquePointer?, _ code: Int32) {
        let message = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: message.map { String(cString: $0) } ?? "unknown error")
    }
}

/// SQLITE_IOERR_SHMSIZE, which Swift does not import.
private let shmSize = SQLITE_IOERR | 19 << 8
