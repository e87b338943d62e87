import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// Full files and full disks.
@Suite struct FullDiskTests {
    @Test func `a full file fails the work, and keeps the data stored before`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore.numbers(folder.file("numbers.sqlite"), opening: "PRAGMA max_page_count = 20")
        defer { store.close(within: .seconds(60)) }
        try await store.insert(1)

        for _ in 1...3 {
            let failure = await #expect(throws: SQLiteFailure.self) {
                try await store.insert(2, String(repeating: "x", count: 200_000))
            }
            #expect(failure?.kind == .full)
        }
        try await store.insert(3)

        #expect(try await store.values == [1, 3])
    }

    @Test(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_LIMIT") != nil))
    func `the writer to a limited disk`() async throws {
        let path = try #require(WriterProcess.variable("PLUGBOARD_TEST_FOLDER")) + "/numbers.sqlite"
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
        #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
        let store = SQLiteStore.numbers(path)
        var kinds: [SQLiteFailure.Kind] = []
        for value in 0..<40 {
            do throws(SQLiteFailure) {
                try await store.insert(value, String(repeating: "x", count: 20_000))
            } catch { kinds.append(error.kind) }
        }

        #expect(!kinds.isEmpty && kinds.count < 40)
        #expect(kinds.allSatisfy { [.inaccessible, .full].contains($0) })
        #expect(try await !store.values.isEmpty)
        store.close(within: .seconds(60))
    }

    @Test func `a full disk is a failure, and committed data is kept`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await WriterProcess.run(
            "the writer to a limited disk", ["PLUGBOARD_TEST_FOLDER": folder.path, "PLUGBOARD_TEST_LIMIT": "1"])

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        let store = SQLiteStore.numbers(folder.file("numbers.sqlite"))
        defer { store.close(within: .seconds(60)) }
        let values = try await store.values
        #expect(values.count > 3 && values.starts(with: [0, 1, 2]))
    }
}
