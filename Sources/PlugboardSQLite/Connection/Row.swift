import CPlugboardSQLite

extension SQLiteStore {
    /// A row of a result. It is valid until the closure that gets it returns. Columns are numbered from 0.
    ///
    /// SQLite converts values of other types. A column that does not exist is null.
    public struct Row: ~Copyable {
        let statement: OpaquePointer

        /// Whether the column is null.
        public func isNull(_ column: Int) -> Bool {
            sqlite3_column_type(statement, Int32(clamping: column)) == SQLITE_NULL
        }

        /// The integer in the column; 0 for null.
        public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(clamping: column)) }

        /// The number in the column; 0 for null.
        public func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(clamping: column)) }

        /// The text in the column; empty for null. Invalid UTF-8 becomes U+FFFD.
        public func text(_ column: Int) -> String {
            guard let text = sqlite3_column_text(statement, Int32(clamping: column)) else { return "" }
            let count = sqlite3_column_bytes(statement, Int32(clamping: column))
            return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
        }

        /// The bytes of a blob or text, without a copy; empty for null. They are valid as long as the row.
        public func bytes(_ column: Int) -> UnsafeRawBufferPointer {
            let start = sqlite3_column_blob(statement, Int32(clamping: column))
            let count = sqlite3_column_bytes(statement, Int32(clamping: column))
            return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
        }
    }
}
