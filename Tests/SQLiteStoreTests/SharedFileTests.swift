import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// Several stores and processes with one file, and killed ones.
@Suite struct SharedFileTests {
    @Test(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_DELAY") != nil))
    func `the writer that is killed`() async throws {
        let path = try #require(WriterProcess.variable("PLUGBOARD_TEST_FOLDER")) + "/numbers.sqlite"
        let delay = try #require(WriterProcess.variable("PLUGBOARD_TEST_DELAY").flatMap { UInt32($0) })
        let store = SQLiteStore.numbers(path)
        var next = (try await store.values.last ?? -1) + 1
        WriterProcess.killSelf(afterMicroseconds: delay)
        while true {
            let value = next
            try await store.performing { (connection) throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in
                    for offset in 0..<10 {
                        try connection.run(
                            "INSERT INTO number VALUES (?, ?)", .integer(value + offset),
                            .text(String(repeating: "x", count: 500 * offset)))
                    }
                }
            }
            next += 10
        }
    }

    @Test func `after kill -9 at any time, committed data is complete`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        var last = 0
        for round in 0..<8 {
            let outcome = try await WriterProcess.run(
                "the writer that is killed",
                ["PLUGBOARD_TEST_FOLDER": folder.path, "PLUGBOARD_TEST_DELAY": "\(3000 + 7001 * round)"])
            #expect(outcome.status == 128 + 9, "\(outcome.stdout) \(outcome.stderr)")

            let store = SQLiteStore.numbers(folder.file("numbers.sqlite"), notices)
            let values = try await store.values
            let check = try await store.performing { (connection) throws(SQLiteFailure) in
                try connection.first("PRAGMA integrity_check") { $0.text(0) }
            }
            store.close(within: .seconds(60))
            #expect(values == Array(0..<values.count) && values.count % 10 == 0)
            #expect(values.count >= last)
            #expect(check == "ok")
            last = values.count
        }

        #expect(last > 0)
        #expect(notices.lines == [])
    }

    @Test func `two processes, or stores, write to one file in turn`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")

        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = SQLiteStore.numbers(path)
                    for number in 0..<100 { try await store.insert(number * 4 + writer) }
                    #expect(store.close(within: .seconds(60)))
                }
            }
            try await group.waitForAll()
        }
        let store = SQLiteStore.numbers(path)
        defer { store.close(within: .seconds(60)) }

        #expect(try await store.values == Array(0..<400))
    }

    @Test func `a file is opened and read while another store writes`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let writer = SQLiteStore.numbers(path)
        try await writer.insert(1)
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        writer.perform { (connection) throws(SQLiteFailure) in
            try connection.transaction {
                hasBegun.admit()
                mayEnd.wait()
            }
        }
        try await hasBegun.opened()

        let reader = SQLiteStore(.file(path), schema: .numbers(), patience: .milliseconds(100)) { _ in }
        let values = try? await reader.values
        mayEnd.signal()
        reader.close(within: .seconds(60))
        writer.close(within: .seconds(60))

        #expect(values == [1])
    }

    @Test func `what another store writes shows in the data version`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("numbers.sqlite")
        let (one, two) = (SQLiteStore.numbers(path), SQLiteStore.numbers(path))
        defer {
            one.close(within: .seconds(60))
            two.close(within: .seconds(60))
        }
        @Sendable func version() async throws -> Int64 {
            try await one.performing { (connection) throws(SQLiteFailure) in try connection.dataVersion() }
        }

        let before = try await version()
        try await one.insert(1)
        #expect(try await version() == before)
        try await two.insert(2)

        #expect(try await version() != before)
    }
}
