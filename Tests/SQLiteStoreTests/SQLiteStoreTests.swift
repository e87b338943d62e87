import SQLiteStore
import TestSupport
import Testing

@Suite struct SQLiteStoreTests {
    @Test func `what was stored is there after the store is opened again`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()

        for number in 1...3 {
            let store = SQLiteStore.numbers(folder.file("new/folder/numbers.sqlite"), notices)
            try await store.performing { (connection) throws(SQLiteFailure) in
                try connection.run("INSERT INTO number VALUES (?, ?)", .integer(number), .text("number \(number)"))
            }
            #expect(store.close(within: .seconds(60)))
        }
        let store = SQLiteStore.numbers(folder.file("new/folder/numbers.sqlite"), notices)
        let names = try await store.performing { (connection) throws(SQLiteFailure) in
            try connection.rows("SELECT name FROM number ORDER BY value") { $0.text(0) }
        }

        #expect(names == ["number 1", "number 2", "number 3"])
        #expect(notices.lines == [])
    }
}

extension SQLiteStore {
    /// A store of one table, `number (value INTEGER PRIMARY KEY, name TEXT)`.
    static func numbers(_ path: String, _ notices: Record) -> SQLiteStore {
        let schema = Schema(
            applicationID: 0x504C_5547, migrations: ["CREATE TABLE number (value INTEGER PRIMARY KEY, name TEXT)"])
        return SQLiteStore(.file(path), schema: schema) { notices.add($0) }
    }
}
