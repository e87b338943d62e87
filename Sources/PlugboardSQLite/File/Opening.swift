import CPlugboardSQLite

/// Opens a store's file: finds or makes it, checks it, migrates it to the schema, and moves it aside if it cannot be
/// used.
struct Opening: Sendable {
    let location: SQLiteStore.Location
    let schema: SQLiteStore.Schema
    let patience: Duration
    let notice: @Sendable (String) -> Void

    /// The largest file, in bytes, that is read completely when it is opened. Larger files would take too long, and
    /// SQLite finds most damage when it is used.
    static let checkedSize = 4 << 20

    /// The location in messages.
    var name: String {
        switch location {
        case .file(let path): path
        case .memory: "in memory"
        }
    }

    /// - Parameter number: How many times the store has opened a file, including this time.
    func open(_ number: Int) throws(SQLiteFailure) -> SQLiteStore.Connection {
        guard case .file(let path) = location else { return try prepared(":memory:", number, isChecked: false) }
        let file = try StoreFile(path)
        let lock = FolderLock(file.folder)
        defer { withExtendedLifetime(lock) {} }
        try file.secure()
        let reserve = reserve(of: file)
        // Before the first transaction: a process that is killed during it leaves a file without a mark of its own.
        if file.size == 0 { reserve.fill() }
        if file.isReadOnly { return try readable(file, number) }
        let connection: SQLiteStore.Connection
        do throws(SQLiteFailure) {
            connection = try whole(file, number, isLocked: lock.isHeld)
        } catch {
            guard error.kind == .full, reserve.release() else { throw error }
            connection = try whole(file, number, isLocked: lock.isHeld)
        }
        reserve.fill()
        return connection
    }

    /// Throws if the file must not be used, and changes nothing.
    func check() throws(SQLiteFailure) {
        guard case .file(let path) = location else { return }
        do throws(SQLiteFailure) {
            let file = try StoreFile(path, makesFolders: false)
            try file.check()
            if file.size == 0 { return }
            let isMarked = reserve(of: file).isMarked
            let connection = try connected(file.path, 0, access: .readingUnchanged)
            do throws(SQLiteFailure) { try identify(connection) } catch {
                if error.kind == .damaged && !isMarked && !isOurs(file, access: .readingUnchanged) {
                    throw noDatabase(file, error)
                }
                throw error
            }
        } catch {
            if [.refused, .newer].contains(error.kind) { throw error }
        }
    }

    func noDatabase(_ file: StoreFile, _ cause: SQLiteFailure) -> SQLiteFailure {
        .refused(
            "\(file.path) is not a database of this program (\(cause.message)). Give another path.")
    }

    func reserve(of file: StoreFile) -> ReserveFile {
        ReserveFile(beside: file.path, applicationID: schema.applicationID)
    }

    /// Whether a damaged file is still recognized as one of this schema.
    func isOurs(_ file: StoreFile, access: Access = .writing) -> Bool {
        guard let connection = try? connected(file.path, 0, access: access) else { return false }
        defer { connection.leaveLog() }
        return (try? identity(of: connection)) == Int64(schema.applicationID)
    }

    // MARK: One file

    /// - Parameter isChecked: Whether the whole file is read.
    func prepared(_ path: String, _ number: Int, isChecked: Bool) throws(SQLiteFailure) -> SQLiteStore.Connection {
        let connection = try connected(path, number)
        try prepare(connection, isChecked: isChecked)
        return connection
    }

    func prepare(_ connection: SQLiteStore.Connection, isChecked: Bool) throws(SQLiteFailure) {
        do throws(SQLiteFailure) {
            try identify(connection)
            if isChecked { try examine(connection) }
            try configure(connection)
            try migrate(connection)
        } catch {
            // Closing must not change a file that cannot be used.
            connection.leaveLog()
            throw error
        }
    }

    /// A connection to a file that is read-only, on a read-only file system or without the permission to write.
    private func readable(_ file: StoreFile, _ number: Int) throws(SQLiteFailure) -> SQLiteStore.Connection {
        // SQLite cannot make the index of a log. A file without a log is not open in any process that writes.
        let connection = try connected(
            file.path, number, access: file.hasLog ? .reading : .readingUnchanged)
        try identify(connection)
        guard try version(of: connection) == schema.migrations.count else {
            throw .inaccessible("\(name) has an older layout, and cannot be written to.")
        }
        try connection.script("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        try compare(connection)
        return connection
    }

    /// How a file is opened.
    enum Access {
        case writing
        case reading
        /// Only the file is read, without its log and without locks, so that no file is made or written.
        case readingUnchanged
    }

    func connected(
        _ path: String, _ number: Int, access: Access = .writing
    ) throws(SQLiteFailure) -> SQLiteStore.Connection {
        var database: OpaquePointer?
        let mode =
            switch access {
            case .writing: SQLITE_OPEN_READWRITE
            case .reading: SQLITE_OPEN_READONLY
            case .readingUnchanged: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let flags =
            mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let name = access == .readingUnchanged ? Opening.immutableURI(path) : path
        let code = sqlite3_open_v2(name, &database, flags, nil)
        guard code == SQLITE_OK, let database else {
            defer { sqlite3_close_v2(database) }
            throw SQLiteFailure(database, code)
        }
        // Limited to a week, which fits in 32 bits.
        let milliseconds = Int32(min(max(patience / .milliseconds(1), 0), 604_800_000))
        sqlite3_busy_timeout(database, milliseconds)
        _ = plugboard_sqlite3_defend(database)
        let isFile = path != ":memory:"
        return SQLiteStore.Connection(
            database, opening: number, path: isFile ? path : nil,
            reserve: isFile && access == .writing
                ? ReserveFile(beside: path, applicationID: schema.applicationID) : nil,
            isReadOnly: access != .writing)
    }

    /// The URI of an absolute path that tells SQLite that the file does not change: it then uses no locks and makes no
    /// files.
    private static func immutableURI(_ path: String) -> String {
        let special = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file://" + path.map { special[String($0)] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Refuses a file of another program or of a newer version before anything is written to it.
    private func identify(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        // Read first, because it is in the first page, and can be read even if the rest is damaged.
        let identity = try identity(of: connection)
        guard identity == Int64(schema.applicationID) || identity == 0 else {
            throw otherProgram
        }
        let isEmpty = try connection.first("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in false } ?? true
        let version = try version(of: connection)
        guard identity != 0 || isEmpty && version == 0 else {
            throw otherProgram
        }
        guard version <= schema.migrations.count else {
            throw .newer(
                "\(name) was written by a newer version of this program (its version is \(version), here it is "
                    + "\(schema.migrations.count)). Update the program, or give another path.")
        }
        guard version >= 0 else {
            throw SQLiteFailure(code: SQLITE_NOTADB, message: "its version is \(version)")
        }
    }

    private func version(of connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int {
        try connection.first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
    }

    private var otherProgram: SQLiteFailure {
        .refused("\(name) is a database of another program. Give another path, or move the file away.")
    }

    private func identity(of connection: SQLiteStore.Connection) throws(SQLiteFailure) -> Int64 {
        try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
    }

    private func examine(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let finding = try connection.first("PRAGMA integrity_check(1)") { $0.text(0) }
        // The message is not quoted, because it may contain stored data.
        guard finding == "ok" else { throw SQLiteFailure(code: SQLITE_CORRUPT, message: "it is damaged") }
    }

    private func configure(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        // Set before the first table and the log, because they cannot be changed later. It writes, and would wait for
        // another process that writes.
        if try version(of: connection) == 0 {
            try connection.script("PRAGMA page_size = \(schema.pageSize); PRAGMA auto_vacuum = INCREMENTAL")
        }
        let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
        // The log is written to the file before it exceeds the disk space that is kept free for it.
        let room = connection.diskSpace?.reserve ?? .max
        let pages = min(max(room / 8 / schema.pageSize, 16), 1000)
        // Without a shared log (on a network file system, in memory), each commit must be synchronized.
        try connection.script(
            """
            PRAGMA synchronous = \(mode == "wal" ? "NORMAL" : "FULL");
            PRAGMA journal_size_limit = \(min(room / 8, 4 << 20)); PRAGMA wal_autocheckpoint = \(pages);
            PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
            """)
        try connection.script(schema.opening)
    }

    private func migrate(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        do throws(SQLiteFailure) {
            // Outside of a transaction, so that a process that only reads does not wait for one that writes.
            if try version(of: connection) < schema.migrations.count {
                try connection.transaction { () throws(SQLiteFailure) in
                    let version = try version(of: connection)
                    guard version < schema.migrations.count else { return }
                    for script in schema.migrations[max(version, 0)...] { try connection.script(script) }
                    try connection.script(
                        """
                        PRAGMA application_id = \(schema.applicationID);
                        PRAGMA user_version = \(schema.migrations.count)
                        """)
                }
            }
            try compare(connection)
        } catch {
            // The SQL is correct, so the tables must be wrong.
            guard error.code & 0xff == SQLITE_ERROR else { throw error }
            throw SQLiteFailure(code: SQLITE_CORRUPT, message: "its tables are not those of its version")
        }
    }

    /// Refuses a file whose tables differ from those of the schema: a damaged name would cause failures much later, in
    /// all work.
    private func compare(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) {
        let model = try connected(":memory:", 0)
        for script in schema.migrations { try model.script(script) }
        // Tables are compared by their columns: their SQL text depends on the version of SQLite that altered them.
        let sql = """
            SELECT m.type, m.name, m.tbl_name, CASE m.type WHEN 'table' THEN '' ELSE m.sql END, x.name, x.type, x.pk
            FROM sqlite_schema m LEFT JOIN pragma_table_xinfo(m.name) x ON m.type = 'table'
            WHERE m.name NOT LIKE 'sqlite|_%' ESCAPE '|' ORDER BY m.name, x.cid
            """
        func rows(_ connection: SQLiteStore.Connection) throws(SQLiteFailure) -> [[String]] {
            try connection.rows(sql) { row in (0..<7).map { row.text($0) } }
        }
        guard try rows(connection) == rows(model) else {
            throw SQLiteFailure(code: SQLITE_CORRUPT, message: "its tables are not those of its version")
        }
    }
}
