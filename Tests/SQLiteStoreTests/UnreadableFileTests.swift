import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// Files that cannot be read for a while, that others use, or that can be read only.
@Suite struct UnreadableFileTests {
    @Test func `a read that fails loses nothing, and leaves the file in its place`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await ReadFaults.run("the store whose reads fail", in: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: ReadFaults.folder != nil))
    func `the store whose reads fail`() async throws {
        let folder = try #require(ReadFaults.folder)
        let path = "\(folder)/numbers.sqlite"
        let first = SQLiteStore.numbers(path)
        var stored: [Int] = []
        for value in 0..<40 {
            try await first.insert(value, String(repeating: "x", count: 1000))
            stored.append(value)
        }
        first.close(within: .seconds(60))

        try await ReadFaults.atAllPositions {
            let store = SQLiteStore.numbers(path)
            defer { store.close(within: .seconds(60)) }
            _ = try? await store.values
            do throws(SQLiteFailure) {
                try await store.insert(stored.count)
                stored.append(stored.count)
            } catch {}
        } check: {
            let store = SQLiteStore.numbers(path)
            #expect(try await store.values == stored)
            store.close(within: .seconds(60))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.contains("damaged") })
        }
    }

    @Test func `a damaged file stays as long as another connection has it open`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let notices = Record()
        let owner = SQLiteStore.numbers(path)
        for value in 0..<300 { try await owner.insert(value, String(repeating: "x", count: 1000)) }
        try await owner.performing { (connection) throws(SQLiteFailure) in try connection.checkpoint() }
        // Kept open, for closing it would end SQLite's locks.
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 40_000)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 20_000))

        let other = SQLiteStore.numbers(path, notices)
        let failure = await #expect(throws: SQLiteFailure.self) { try await other.values }
        other.close(within: .seconds(60))
        #expect(failure?.kind == .busy)
        #expect(try !folder.entries().contains { $0.contains("damaged") })
        owner.close(within: .seconds(60))

        let last = SQLiteStore.numbers(path, notices)
        #expect(try await last.values == [])
        last.close(within: .seconds(60))
        #expect(try folder.entries().contains("numbers.sqlite.damaged-1"))
        #expect(notices.lines.count == 1 && !notices.lines.contains { $0.lowercased().contains("remove") })
        withExtendedLifetime(handle) {}
    }

    @Test(
        .enabled(if: SmallDisk.isAvailable, "only who may mount file systems has one that is read-only"),
        arguments: [false, true])
    func `a file on a read-only file system is read, with one notice`(_ isKilled: Bool) async throws {
        let folder = try TemporaryFolder()
        if isKilled {
            let outcome = try await WriterProcess.run(
                "the writer that is killed", ["PLUGBOARD_TEST_FOLDER": folder.path, "PLUGBOARD_TEST_DELAY": "60000"])
            #expect(outcome.status == 128 + 9, "\(outcome.stdout) \(outcome.stderr)")
        } else {
            let store = SQLiteStore.numbers(folder.file("numbers.sqlite"))
            for value in 0..<10 { try await store.insert(value) }
            store.close(within: .seconds(60))
        }

        let outcome = try await SmallDisk.runReadOnly("the reader of the read-only file", at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the reader of the read-only file`() async throws {
        let path = try #require(SmallDisk.folder) + "/numbers.sqlite"
        let notices = Record()
        let store = SQLiteStore.numbers(path, notices)
        defer { store.close(within: .seconds(60)) }

        for _ in 1...3 {
            #expect(try await store.values.count >= 5)
            let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1_000_000) }
            #expect(failure?.kind == .readOnly)
        }

        #expect(notices.lines.count == 1 && notices.lines.allSatisfy { $0.contains("can be read only") })
    }
}
