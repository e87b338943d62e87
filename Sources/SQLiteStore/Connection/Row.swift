import CSQLite

extension SQLiteStore {
    /// One row of a result, in place: good until the closure that got it returns. Columns count from zero.
    ///
    /// A value of another type is converted as SQLite does; a column that is not there is null.
    public struct Row: ~Copyable {
        let statement: OpaquePointer

        public func isNull(_ column: Int) -> Bool {
            sqlite3_column_type(statement, Int32(clamping: column)) == SQLITE_NULL
        }

        public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(clamping: column)) }

        public func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(clamping: column)) }

        /// Empty for null; U+FFFD stands for what is not UTF-8.
        public func text(_ column: Int) -> String {
            guard let text = sqlite3_column_text(statement, Int32(clamping: column)) else { return "" }
            let count = sqlite3_column_bytes(statement, Int32(clamping: column))
            return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
        }

        /// The bytes of a blob or text, in place; empty for null.
        public func bytes(_ column: Int) -> UnsafeRawBufferPointer {
            let start = sqlite3_column_blob(statement, Int32(clamping: column))
            let count = sqlite3_column_bytes(statement, Int32(clamping: column))
            return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
        }
    }
}
