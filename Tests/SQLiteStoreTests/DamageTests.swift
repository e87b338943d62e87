import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// Files that are damaged, old, or of another program.
@Suite struct DamageTests {
    @Test func `an own file that is not a database any more is moved aside with a notice`() async throws {
        let folder = try TemporaryFolder()
        for number in 1...3 {
            if number > 1 { try folder.write("numbers.sqlite", "This is file \(number) of another program.") }
            let notices = Record()
            let store = SQLiteStore.numbers(folder.file("numbers.sqlite"), notices)

            try await store.insert(1)

            #expect(try await store.values == [1])
            #expect(notices.lines.count == (number > 1 ? 1 : 0))
            store.close(within: .seconds(60))
            if number > 1 {
                let aside = try folder.read("numbers.sqlite.damaged-\(number - 1)")
                #expect(aside.starts(with: Array("This is file".utf8)))
            }
        }
    }

    @Test func `a database of another schema is moved aside, and unharmed`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        try await Self.makeOther(
            path, .numbers(migrations: ["CREATE TABLE another (value INTEGER PRIMARY KEY, name TEXT)"]))

        let store = SQLiteStore.numbers(path)
        try await store.insert(1)
        #expect(try await store.values == [1])
        store.close(within: .seconds(60))

        #expect(try await Self.value(in: "\(path).damaged-1") == 42)
    }

    @Test func `a database of a newer version is refused, and stays as it is`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        try await Self.makeOther(
            path, .numbers(migrations: [SQLiteStore.Schema.firstMigration, "CREATE TABLE other (a)"]))
        let notices = Record()

        let store = SQLiteStore.numbers(path, notices)
        let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1) }
        store.close(within: .seconds(60))
        let checked = #expect(throws: SQLiteFailure.self) { try SQLiteStore.check(path, schema: .numbers()) }

        #expect(failure?.kind == .newer && checked?.kind == .newer)
        #expect(checked?.message.contains("Update the program") == true)
        #expect(notices.lines.count == 1 && notices.lines.allSatisfy { $0.contains("newer version") })
        #expect(try !folder.entries().contains { $0.contains("damaged") })
        #expect(try await Self.value(in: path) == 42)
    }

    @Test func `another program's database, or other file, is refused with one notice, and not changed`() async throws {
        let folder = try TemporaryFolder()
        try await Self.makeOther(folder.file("other.sqlite"), .numbers(applicationID: 7))
        try FileManager.default.removeItem(atPath: folder.file("other.sqlite-reserve"))
        try folder.write("notes.txt", "My notes.")
        let before = try folder.entries()

        for name in ["other.sqlite", "notes.txt"] {
            let notices = Record()
            let path = folder.file(name)
            let store = SQLiteStore.numbers(path, notices)
            for _ in 1...3 {
                let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1) }
                #expect(failure?.kind == .refused)
            }
            let checked = #expect(throws: SQLiteFailure.self) { try SQLiteStore.check(path, schema: .numbers()) }
            store.close(within: .seconds(60))
            #expect(notices.lines.count == 1 && notices.lines.allSatisfy { $0.contains(path) })
            #expect(checked?.kind == .refused && checked?.message.contains("ive another path") == true)
        }

        #expect(try folder.entries().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == before)
        #expect(try folder.read("notes.txt") == Array("My notes.".utf8))
        #expect(try await Self.value(in: folder.file("other.sqlite")) == 42)
    }

    @Test func `a foreign file with the name of a deleted database is refused, although the reserve is still there`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let first = SQLiteStore.numbers(path)
        try await first.insert(1)
        first.close(within: .seconds(60))
        // Made before the database is removed, so that it is certainly another file.
        try folder.write("notes.txt", "My notes.")
        #expect(rename(folder.file("notes.txt"), path) == 0)

        let store = SQLiteStore.numbers(path)
        let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1) }
        store.close(within: .seconds(60))

        #expect(failure?.kind == .refused)
        #expect(try folder.read("numbers.sqlite") == Array("My notes.".utf8))
        #expect(try !folder.entries().contains { $0.contains("damaged") })
    }

    /// A file with a table of its own.
    private static func makeOther(_ path: String, _ schema: SQLiteStore.Schema) async throws {
        let other = SQLiteStore(.file(path), schema: schema) { _ in }
        try await other.performing { (connection) throws(SQLiteFailure) in
            try connection.script("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (42)")
        }
        other.close(within: .seconds(60))
    }

    /// The rows of that table.
    private static func value(in path: String) async throws -> Int64? {
        let aside = SQLiteStore(.memory, schema: .numbers()) { _ in }
        defer { aside.close(within: .seconds(60)) }
        return try await aside.performing { (connection) throws(SQLiteFailure) in
            try connection.run("ATTACH ? AS aside", .text(path))
            return try connection.first("SELECT a FROM aside.theirs") { $0.integer(0) }
        }
    }

    @Test func `an older file is brought to the new layout, and keeps what it has`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        let first = SQLiteStore.numbers(folder.file("numbers.sqlite"), notices)
        try await first.insert(1, "one")
        first.close(within: .seconds(60))
        let schema = SQLiteStore.Schema.numbers(migrations: [
            SQLiteStore.Schema.firstMigration, "ALTER TABLE number ADD COLUMN roman TEXT DEFAULT 'I'",
            "CREATE INDEX number_roman ON number (roman)",
        ])

        for _ in 1...2 {
            let store = SQLiteStore(.file(folder.file("numbers.sqlite")), schema: schema) { notices.add($0) }
            let roman = try await store.performing { (connection) throws(SQLiteFailure) in
                try connection.first("SELECT roman FROM number WHERE name = 'one'") { $0.text(0) }
            }
            #expect(roman == "I")
            store.close(within: .seconds(60))
        }

        #expect(notices.lines == [])
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `bytes flipped anywhere never crash, and the store is usable afterwards`(_ seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        var generator = SeededRandom(seed: seed)
        let first = SQLiteStore.numbers(path)
        try await first.performing { (connection) throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                for value in 0..<2000 {
                    try connection.run("INSERT INTO number VALUES (?, ?)", .integer(value), .text("number \(value)"))
                }
            }
        }
        // Every other time while the file is open, so that it is met by work; then the handle stays open, for closing
        // it would end SQLite's locks.
        let isOpen = seed % 2 == 0
        if !isOpen { first.close(within: .seconds(60)) }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try handle.seekToEnd()
        for _ in 0..<(1 << (seed % 7)) {
            // The head of the file, where the damage is worst, more often than by chance.
            let end = seed % 3 == 0 ? min(size, 4096) : size
            try handle.seek(toOffset: .random(in: 0..<end, using: &generator))
            try handle.write(contentsOf: Data([.random(in: 0...255, using: &generator)]))
        }
        if !isOpen { try handle.close() }

        let store = isOpen ? first : SQLiteStore.numbers(path)
        defer { store.close(within: .seconds(60)) }
        for _ in 1...3 { _ = try? await store.values }
        for _ in 1...3 {
            _ = try? await store.performing { (connection) throws(SQLiteFailure) in
                try connection.run("UPDATE number SET name = name || '!'")
                try connection.run("DELETE FROM number WHERE value = -1")
            }
        }

        try await store.insert(-1)
        #expect(try await store.values.contains(-1))
        withExtendedLifetime(handle) {}
    }

    @Test func `a file that is cut is moved aside when the cut is met`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let first = SQLiteStore.numbers(path)
        for value in 0..<300 { try await first.insert(value, String(repeating: "x", count: 1000)) }
        first.close(within: .seconds(60))
        #expect(truncate(path, 20_000) == 0)
        let notices = Record()

        let store = SQLiteStore.numbers(path, notices)
        defer { store.close(within: .seconds(60)) }
        _ = try? await store.values

        #expect(try await store.values == [])
        #expect(notices.lines.count == 1)
    }

    @Test func `a file that another moved aside, or removed, is found again by its name`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let (one, two) = (SQLiteStore.numbers(path), SQLiteStore.numbers(path))
        defer {
            one.close(within: .seconds(60))
            two.close(within: .seconds(60))
        }
        try await one.insert(1)
        #expect(try await two.values == [1])

        for suffix in ["", "-wal", "-shm"] { rename(path + suffix, folder.file("aside") + suffix) }
        try await one.insert(2)
        try await two.insert(3)

        #expect(try await one.values == [2, 3])
    }
}
