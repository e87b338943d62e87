import PlugboardSQLite

/// Removes remaining pieces of bodies, and finds what this process holds.
extension QueueFile {
    /// Takes the same time for any number of requests.
    func survey(_ connection: Connection) throws(SQLiteFailure) -> QueueSurvey? {
        try connection.first("SELECT requests - dead, dead, EXISTS (SELECT 1 FROM gone) FROM total") { row in
            QueueSurvey(
                pending: Int(row.integer(0)), dead: Int(row.integer(1)), hasRemains: row.integer(2) != 0)
        }
    }

    /// Removes some pieces of a body that is not needed any more, each in its own transaction, because overwriting a
    /// large body takes long.
    func sweep(_ connection: Connection) throws(SQLiteFailure) {
        guard let body = try connection.first("SELECT body FROM gone LIMIT 1", read: { $0.integer(0) }) else { return }
        for _ in 0..<8 {
            try connection.run(
                """
                DELETE FROM piece WHERE request = ?1 AND number = (SELECT max(number) FROM piece WHERE request = ?1)
                """, .integer(body))
            if connection.changes > 0 { continue }
            return try connection.run("DELETE FROM gone WHERE body = ?", .integer(body))
        }
    }

    /// Whether this process writes or sends requests of the file.
    func isOwner(_ connection: Connection) throws(SQLiteFailure) -> Bool {
        try connection.first("SELECT 1 FROM request WHERE owner = ? LIMIT 1", .text(owner)) { _ in true } ?? false
    }
}
