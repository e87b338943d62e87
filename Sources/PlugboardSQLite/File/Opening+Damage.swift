import CPlugboardSQLite

/// Handles a damaged file.
///
/// A failed read is not damage, although SQLite reports some failed reads as damage, especially in the texts of
/// `integrity_check` and while it reads the schema. A file is moved aside only if all of it can be read, a fresh
/// connection then finds damage once more, and no other connection has it open, in this process or another.
extension Opening {
    /// Opens the file, which is moved aside and replaced by a new one if it is damaged.
    func whole(_ file: StoreFile, _ number: Int, isLocked: Bool) throws(SQLiteFailure) -> SQLiteStore.Connection {
        let isChecked = file.size <= Opening.checkedSize
        do throws(SQLiteFailure) {
            return try prepared(file.path, number, isChecked: isChecked)
        } catch {
            if [.refused, .newer, .full, .busy].contains(error.kind) { throw error }
            let sound = try soundOrMovedAside(file, number, isChecked: isChecked, error.message, isLocked: isLocked)
            if let sound { return sound }
            return try prepared(file.path, number, isChecked: false)
        }
    }

    /// Called after work has found damage and the file was closed. Returns whether the file was moved aside.
    func moveAside(_ cause: String) -> Bool {
        guard case .file(let path) = location, let file = try? StoreFile(path), !file.isReadOnly else { return false }
        let lock = FolderLock(file.folder)
        defer { withExtendedLifetime(lock) {} }
        do throws(SQLiteFailure) {
            // Another process may have moved it already: then the file that has its name now is checked.
            return try soundOrMovedAside(file, 0, isChecked: true, cause, isLocked: lock.isHeld) == nil
        } catch {
            notice("\(error)")
            return false
        }
    }

    /// A fresh connection; nil if the file was damaged and has been moved aside.
    private func soundOrMovedAside(
        _ file: StoreFile, _ number: Int, isChecked: Bool, _ cause: String, isLocked: Bool
    ) throws(SQLiteFailure) -> SQLiteStore.Connection? {
        let connection = try connected(file.path, number)
        try connection.check(plugboard_sqlite3_read_all(connection.database))
        do throws(SQLiteFailure) {
            try prepare(connection, isChecked: isChecked)
            return connection
        } catch {
            guard error.kind == .damaged else { throw error }
            guard reserve(of: file).isMarked || isOurs(file) else { throw noDatabase(file, error) }
            guard isLocked, plugboard_sqlite3_lock_alone(connection.database) == SQLITE_OK, !connection.hasMoved else {
                throw SQLiteFailure(
                    code: SQLITE_BUSY,
                    message: "\(file.path) cannot be used: \(cause). It stays in its place, because it is open "
                        + "elsewhere.")
            }
            let other = try file.moveAside()
            notice("\(file.path) cannot be used: \(cause). It was renamed to \(other), and a new file is used.")
        }
        try file.secure()
        // The mark belongs to the file that was moved.
        reserve(of: file).fill()
        return nil
    }
}
