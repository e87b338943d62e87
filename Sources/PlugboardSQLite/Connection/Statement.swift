import CPlugboardSQLite

extension SQLiteStore.Connection {
    /// A compiled statement. Its memory is freed with the last reference.
    final class Statement {
        let pointer: OpaquePointer
        /// Whether its rows are being read. The same text then gets a second statement.
        var isRunning = false

        /// Takes ownership of the statement.
        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { sqlite3_finalize(pointer) }

        /// Resets the statement and its values for the next use. Some values are views that are no longer valid.
        func end() {
            sqlite3_reset(pointer)
            sqlite3_clear_bindings(pointer)
            isRunning = false
        }
    }

    /// The text of a statement as a key. Only its length is hashed, because hashing the text would take longer than
    /// some statements; equal literals are compared by their addresses.
    struct SQLText: Hashable {
        let text: String

        func hash(into hasher: inout Hasher) { hasher.combine(text.utf8.count) }
    }
}
