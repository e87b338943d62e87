import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// The store's thread: order, results, the end.
@Suite struct SQLiteStoreTests {
    @Test func `what was stored is there after the store is opened again`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()

        for number in 1...3 {
            let store = SQLiteStore.numbers(folder.file("new/folder/numbers.sqlite"), notices)
            try await store.insert(number)
            #expect(store.close(within: .seconds(60)))
        }
        let store = SQLiteStore.numbers(folder.file("new/folder/numbers.sqlite"), notices)
        defer { store.close(within: .seconds(60)) }

        #expect(try await store.values == [1, 2, 3])
        #expect(notices.lines == [])
    }

    @Test func `work is done in the order in which it was given`() async throws {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        let done = Record()

        for number in 0..<500 {
            store.perform({ (connection) throws(SQLiteFailure) in
                try connection.run("INSERT INTO number VALUES (?, NULL)", .integer(number))
                return connection.lastInsertedID
            }) { result in done.add("\((try? result.get()) ?? -1)") }
        }
        #expect(store.close(within: .seconds(60)))

        #expect(done.lines == (0..<500).map(String.init))
        #expect(store.pending == 0)
    }

    @Test func `work that can wait is done with the next that cannot, and before it`() throws {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        defer { store.close(within: .seconds(60)) }
        let done = Record()

        for number in 1...3 {
            store.perform(when: .soon, { (_) throws(SQLiteFailure) in number }) { _ in done.add("\(number)") }
        }
        try store.performAndWait { (_) throws(SQLiteFailure) in done.add("now") }

        #expect(done.lines == ["1", "2", "3", "now"])
    }

    @Test func `work that can wait is done also when no other comes`() async {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        defer { store.close(within: .seconds(60)) }

        let result = await withCheckedContinuation { continuation in
            store.perform(when: .soon, { (_) throws(SQLiteFailure) in 7 }) { continuation.resume(returning: $0) }
        }

        #expect((try? result.get()) == 7)
    }

    @Test func `a store that is closed still does the work that could wait`() {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        let done = Record()

        store.perform(when: .soon, { (_) throws(SQLiteFailure) in }) { _ in done.add("done") }

        #expect(store.close(within: .seconds(60)))
        #expect(done.lines == ["done"])
    }

    @Test func `nothing is opened before there is work`() throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore.numbers(folder.file("numbers.sqlite"))

        #expect(store.close(within: .zero))

        #expect(try folder.entries() == [])
    }

    @Test func `a store that is closed refuses work, at once`() async throws {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        try await store.insert(1)
        store.close(within: .seconds(60))

        let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(2) }

        #expect(failure?.kind == .closed)
    }

    @Test func `a close that reaches its limit interrupts the work, and later work fails`() async throws {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        let (begun, ended) = (Gate(), Gate())
        let results = Record()
        store.perform({ (connection) throws(SQLiteFailure) in
            begun.admit()
            let forEver = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            return try connection.first(forEver) { $0.integer(0) }
        }) { result in if case .failure(let failure) = result { results.add("\(failure.kind)") } }
        store.perform({ (_) throws(SQLiteFailure) in }) { result in
            if case .failure(let failure) = result { results.add("\(failure.kind)") }
            ended.admit()
        }
        try await begun.opened()

        #expect(!store.close(within: .milliseconds(1)))
        try await ended.opened()

        #expect(results.lines == ["closed", "closed"])
    }

    @Test func `a store that is released does the work it has`() async throws {
        let folder = try TemporaryFolder()
        let done = Gate()
        var store: SQLiteStore? = SQLiteStore.numbers(folder.file("numbers.sqlite"))
        store?.perform({ (connection) throws(SQLiteFailure) in
            try connection.run("INSERT INTO number VALUES (1, NULL)")
        }) { _ in done.admit() }
        store = nil
        try await done.opened()

        let other = SQLiteStore.numbers(folder.file("numbers.sqlite"))
        defer { other.close(within: .seconds(60)) }
        #expect(try await other.values == [1])
    }

    @Test func `blocking work gives its result`() throws {
        let store = SQLiteStore(.memory, schema: .numbers()) { _ in }
        defer { store.close(within: .seconds(60)) }

        let sum = try store.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.first("SELECT 1 + ?", 2) { $0.integer(0) }
        }

        #expect(sum == 3)
    }

    @Test func `the file, its log and a folder that is made are the owner's only`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore.numbers(folder.file("new/numbers.sqlite"))
        defer { store.close(within: .seconds(60)) }
        try await store.insert(1)

        for (name, mode) in [
            ("new", 0o700), ("new/numbers.sqlite", 0o600), ("new/numbers.sqlite-wal", 0o600),
            ("new/numbers.sqlite-shm", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
    }

    @Test func `a file that others could read is closed to them`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        try folder.write("numbers.sqlite", "")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)

        let store = SQLiteStore.numbers(path)
        defer { store.close(within: .seconds(60)) }
        try await store.insert(1)

        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["link", "folder", "", "dir/", "."])
    func `a file that is not a regular one is refused with one notice, and not changed`(_ name: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("target", "precious")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("target"))
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: true)
        let notices = Record()
        let store = SQLiteStore.numbers(folder.file(name), notices)
        defer { store.close(within: .seconds(60)) }

        for _ in 1...3 {
            let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1) }
            #expect(failure?.kind == .refused)
        }

        #expect(throws: SQLiteFailure.self) { try SQLiteStore.check(folder.file(name), schema: .numbers()) }
        #expect(notices.lines.count == 1)
        #expect(try folder.read("target") == Array("precious".utf8))
    }

    @Test func `a folder that is a symbolic link is followed`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("real"))
        let store = SQLiteStore.numbers(folder.file("link/numbers.sqlite"))
        defer { store.close(within: .seconds(60)) }

        try await store.insert(1)

        #expect(FileManager.default.fileExists(atPath: folder.file("real/numbers.sqlite")))
    }
}
