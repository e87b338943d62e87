import CPlugboardSQLite

/// The error of work on a store. It does not contain stored values.
public struct SQLiteFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failures that callers may need to distinguish.
    public enum Kind: Sendable {
        /// The file is not a valid database of this schema. It has been moved aside; the next work uses a new file.
        case damaged
        /// The disk, the quota or the limit of the file is reached. The stored data is unchanged.
        case full
        /// The file must not be used, because it belongs to another program or user, or other users may write to it. It
        /// is not changed.
        case refused
        /// The file was written by a newer version of its program. It is not changed.
        case newer
        /// The file is read-only; the store has given notice of this.
        case readOnly
        /// Another process has locked the file for longer than the store waits.
        case busy
        /// The file cannot be opened, read or written.
        case inaccessible
        /// The store is closed.
        case closed
        /// A violated constraint, an error in SQL, or any other failure.
        case other
    }

    /// SQLite's extended result code.
    public let code: Int32
    /// The message of SQLite or of the store.
    public let message: String

    /// A failure with a code of SQLite.
    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of the code.
    public var kind: Kind {
        switch code & 0xff {
        // The index of the log has no room.
        case _ where code == shmSize: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_FULL: .full
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_PERM: .refused
        case SQLITE_FORMAT: .newer
        case SQLITE_READONLY: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_AUTH: .inaccessible
        case SQLITE_INTERRUPT: .closed
        default: .other
        }
    }

    /// The message and the code.
    public var description: String { "\(message) [SQLite \(code)]" }

    /// A failure of the kind `full` with the caller's message.
    public static func full(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_FULL, message: message) }

    /// A failure of the kind `inaccessible` with the caller's message.
    public static func inaccessible(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CANTOPEN, message: message)
    }

    static func refused(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_PERM, message: message) }

    static func newer(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_FORMAT, message: message) }

    static let closed = SQLiteFailure(code: SQLITE_INTERRUPT, message: "The store is closed.")

    /// The failure of the last call of an open connection.
    init(_ database: OpaquePointer?, _ code: Int32) {
        let message = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: message.map { String(cString: $0) } ?? "unknown error")
    }
}

/// SQLITE_IOERR_SHMSIZE, which Swift does not import.
private let shmSize = SQLITE_IOERR | 19 << 8
