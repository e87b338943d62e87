import CPlugboardSQLite

extension SQLiteStore {
    /// The open file. It is valid during one `perform` and on the store's thread only.
    ///
    /// Statements are compiled once and kept under their text, so that values must be passed through `?`.
    public final class Connection {
        let database: OpaquePointer
        /// How many times the store has opened a file, including this time. If the number changes, anything remembered
        /// about the file may be wrong.
        public let opening: Int
        /// The first damage that a statement found. The file is then moved aside, even if the work ignores the failure.
        private(set) var damage: SQLiteFailure?
        /// Whether a statement could not be compiled: either it is wrong, or the schema in the file is damaged.
        private(set) var isSuspect = false

        /// The path; nil in memory.
        let path: String?
        let reserve: ReserveFile?
        /// Whether the file is read-only.
        public let isReadOnly: Bool

        private var statements: [SQLText: Statement] = [:]
        private static let statementLimit = 128

        /// Takes ownership of the database.
        init(_ database: OpaquePointer, opening: Int, path: String?, reserve: ReserveFile?, isReadOnly: Bool) {
            self.database = database
            self.opening = opening
            self.path = path
            self.reserve = reserve
            self.isReadOnly = isReadOnly
        }

        deinit {
            statements.removeAll()
            sqlite3_close_v2(database)
        }

        // MARK: Statements

        /// Runs one statement; its rows are ignored.
        public func run(_ sql: String, _ values: Value...) throws(SQLiteFailure) {
            try each(sql, values) { (_) throws(SQLiteFailure) in true }
        }

        /// The result of `read` for the first row; nil if there is no row.
        public func first<Result>(
            _ sql: String, _ values: Value..., read: (borrowing Row) throws(SQLiteFailure) -> Result
        ) throws(SQLiteFailure) -> Result? {
            var found: Result?
            try each(sql, values) { (row) throws(SQLiteFailure) in
                found = try read(row)
                return false
            }
            return found
        }

        /// The results of `read` for all rows.
        public func rows<Result>(
            _ sql: String, _ values: Value..., read: (borrowing Row) throws(SQLiteFailure) -> Result
        ) throws(SQLiteFailure) -> [Result] {
            var found: [Result] = []
            try each(sql, values) { (row) throws(SQLiteFailure) in
                let value = try read(row)
                found.append(value)
                return true
            }
            return found
        }

        /// Calls `visit` for the rows in their order until it returns false.
        public func each(
            _ sql: String, _ values: [Value] = [], visit: (borrowing Row) throws(SQLiteFailure) -> Bool
        ) throws(SQLiteFailure) {
            let statement = try taken(sql)
            defer { statement.end() }
            try bind(values, to: statement.pointer)
            while true {
                let code = sqlite3_step(statement.pointer)
                if code == SQLITE_DONE { return }
                guard code == SQLITE_ROW else { throw failure(code) }
                guard try visit(Row(statement: statement.pointer)) else { return }
            }
        }

        /// Runs several statements without values, such as those that create tables.
        public func script(_ sql: String) throws(SQLiteFailure) {
            try check(sqlite3_exec(database, sql, nil, nil, nil))
        }

        /// Performs work in a transaction, which is rolled back if the work throws. Inside another transaction, it is a
        /// part of that one.
        public func transaction<Result>(
            _ work: () throws(SQLiteFailure) -> Result
        ) throws(SQLiteFailure) -> Result {
            guard !isInTransaction else { return try work() }
            // IMMEDIATE: a transaction that begins with reading fails, without waiting, if another process writes
            // before it does.
            try run("BEGIN IMMEDIATE")
            do throws(SQLiteFailure) {
                let result = try work()
                try run("COMMIT")
                return result
            } catch {
                rollBack()
                throw error
            }
        }

        // MARK: Information

        /// The number of rows that the last statement inserted, changed or removed.
        public var changes: Int { Int(sqlite3_changes64(database)) }

        /// The row id of the last inserted row.
        public var lastInsertedID: Int64 { sqlite3_last_insert_rowid(database) }

        /// A number that changes when another process, or another store, has written to the file since the last call.
        public func dataVersion() throws(SQLiteFailure) -> Int64 {
            try first("PRAGMA data_version") { $0.integer(0) } ?? 0
        }

        var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

        /// Whether the path names another file now, or none.
        var hasMoved: Bool { plugboard_sqlite3_has_moved(database) != 0 }

        func rollBack() {
            // After some failures SQLite has already rolled back; then this statement fails, without harm.
            if isInTransaction { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
        }

        /// Makes closing keep the log, without writing it to the file.
        func leaveLog() { _ = plugboard_sqlite3_leave_log(database) }

        func check(_ code: Int32) throws(SQLiteFailure) {
            if code != SQLITE_OK { throw failure(code) }
        }

        // MARK: Compiling and binding

        /// A compiled statement that was not running, marked as running.
        private func taken(_ sql: String) throws(SQLiteFailure) -> Statement {
            let known = statements[SQLText(text: sql)]
            if let known, !known.isRunning {
                known.isRunning = true
                return known
            }
            let statement = Statement(try compile(sql))
            statement.isRunning = true
            if known == nil {
                if statements.count >= Connection.statementLimit { statements.removeAll() }
                statements[SQLText(text: sql)] = statement
            }
            return statement
        }

        private func compile(_ sql: String) throws(SQLiteFailure) -> OpaquePointer {
            var sql = sql
            var statement: OpaquePointer?
            let code = sql.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) {
                    sqlite3_prepare_v3(
                        database, $0.baseAddress, Int32(clamping: $0.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                        &statement, nil)
                }
            }
            guard code == SQLITE_OK, let statement else {
                isSuspect = isSuspect || code & 0xff == SQLITE_ERROR
                throw code == SQLITE_OK
                    ? SQLiteFailure(code: SQLITE_MISUSE, message: "The statement is empty.") : failure(code)
            }
            return statement
        }

        private func bind(_ values: [Value], to statement: OpaquePointer) throws(SQLiteFailure) {
            let wanted = sqlite3_bind_parameter_count(statement)
            guard values.count == wanted else {
                throw SQLiteFailure(
                    code: SQLITE_MISUSE,
                    message: "The statement has \(wanted) parameters, and got \(values.count) values.")
            }
            for (index, value) in zip(Int32(1)..., values) {
                let code =
                    switch value {
                    case .null: sqlite3_bind_null(statement, index)
                    case .integer(let number): sqlite3_bind_int64(statement, index, number)
                    case .real(let number): sqlite3_bind_double(statement, index, number)
                    case .text(var text): text.withUTF8 { Connection.bindText(statement, index, $0) }
                    case .bytes(let bytes): bytes.withUnsafeBytes { Connection.bindBytes(statement, index, $0) }
                    case .view(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
                    case .view(let bytes):
                        sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
                    }
                try check(code)
            }
        }

        private static func bindText(_ statement: OpaquePointer, _ index: Int32, _ text: UnsafeBufferPointer<UInt8>)
            -> Int32
        {
            guard let count = Int32(exactly: text.count) else { return SQLITE_TOOBIG }
            guard let start = text.baseAddress, count > 0 else {
                return plugboard_sqlite3_bind_text(statement, index, "", 0)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: text.count) {
                plugboard_sqlite3_bind_text(statement, index, $0, count)
            }
        }

        private static func bindBytes(_ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawBufferPointer)
            -> Int32
        {
            guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
            return count == 0
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : plugboard_sqlite3_bind_blob(statement, index, bytes.baseAddress, count)
        }

        private func failure(_ code: Int32) -> SQLiteFailure {
            let failure = SQLiteFailure(database, code)
            if failure.kind == .damaged && damage == nil { damage = failure }
            return failure
        }
    }
}
