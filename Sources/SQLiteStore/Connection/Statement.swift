import CSQLite

extension SQLiteStore.Connection {
    /// A compiled statement. Its memory goes with the last reference.
    final class Statement {
        let pointer: OpaquePointer
        /// Whether somebody steps through it: who needs the same meanwhile gets another.
        var isRunning = false

        /// Takes over the statement.
        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { sqlite3_finalize(pointer) }

        /// Ready for the next who takes it. The values go too: some of them are views, good only until now.
        func end() {
            sqlite3_reset(pointer)
            sqlite3_clear_bindings(pointer)
            isRunning = false
        }
    }

    /// A statement's text as a key. Hashing all of it would cost more than many a statement; lengths differ, and what is the same literal
    /// is compared by its address.
    struct SQLText: Hashable {
        let text: String

        func hash(into hasher: inout Hasher) { hasher.combine(text.utf8.count) }
    }
}
