import PlugboardSQLite
import TestSupport

extension SQLiteStore {
    /// A store of one table, `number (value INTEGER PRIMARY KEY, name TEXT)`.
    static func numbers(_ path: String, _ notices: Record = Record(), opening: String = "") -> SQLiteStore {
        SQLiteStore(.file(path), schema: .numbers(opening: opening)) { notices.add($0) }
    }

    func insert(_ value: Int, _ name: String = "") async throws(SQLiteFailure) {
        try await performing { (connection) throws(SQLiteFailure) in
            try connection.run("INSERT INTO number VALUES (?, ?)", .integer(value), .text(name))
        }
    }

    var values: [Int] {
        get async throws(SQLiteFailure) {
            try await performing { (connection) throws(SQLiteFailure) in
                try connection.rows("SELECT value FROM number ORDER BY value") { Int($0.integer(0)) }
            }
        }
    }
}

extension SQLiteStore.Schema {
    static let firstMigration = "CREATE TABLE number (value INTEGER PRIMARY KEY, name TEXT)"

    static func numbers(
        applicationID: Int32 = 0x504C_5547, migrations: [String] = [firstMigration], opening: String = ""
    ) -> SQLiteStore.Schema {
        SQLiteStore.Schema(applicationID: applicationID, migrations: migrations, opening: opening)
    }
}
