import Foundation
import Plugboard
import PlugboardCookiesOptions
import PlugboardJSON
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCookies

/// Files that are damaged, of a newer version, another program's, or removed in use.
struct CookieDamageTests {
    @Test(arguments: ["My notes, a text of some length.", "SQLite format 3\u{0}" + String(repeating: "x", count: 5000)])
    func `a path to another program's file is an error at the start, and the file is not changed`(
        content: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write("cookies.sqlite", content)

        let error = #expect(throws: PlugboardError.self) { try Setup.kernel(in: folder) }

        #expect(error?.reason.contains("\(folder.file("cookies.sqlite")) is not a database of this program") == true)
        #expect(try folder.entries() == ["cookies.sqlite"] && folder.read("cookies.sqlite") == Array(content.utf8))
    }

    @Test(arguments: ["", "no database any more"])
    func `a file with invalid content is moved aside, and requests continue`(content: String) async throws {
        let folder = try TemporaryFolder()
        let first = try Setup.kernel(in: folder)
        _ = try await first.cookies.all()
        await first.shutDown()
        try folder.write("cookies.sqlite", content)
        let log = Record()
        let transport = Setup.setting("a=1; Max-Age=60")
        let kernel = try Setup.kernel(
            in: folder, transport, log: KernelLog(level: .warning) { _, source, text in log.add("\(source): \(text)") })

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        let sent = try await Setup.sent(kernel, transport, Request(.get, "http://a.test/"))
        await kernel.shutDown()
        let next = try await Setup.kernel(in: folder).cookies.all()

        #expect(sent == "a=1" && next.map(\.name) == ["a"])
        // An empty file counts as new.
        #expect(log.lines.count == (content.isEmpty ? 0 : 1))
        #expect(try folder.entries().contains { $0.contains("damaged") } == !content.isEmpty)
    }

    @Test func `a file of a newer version is refused at the start, and stays`() async throws {
        let folder = try TemporaryFolder()
        let first = try Setup.kernel(in: folder)
        try await first.cookies.set("a=1; Max-Age=600", for: "http://a.test/")
        await first.shutDown()
        let newer = SQLiteStore(.file(folder.file("cookies.sqlite")), schema: CookieFile.schema) { _ in }
        try newer.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.script("PRAGMA user_version = 7")
        }
        newer.close(within: .seconds(10))

        let error = #expect(throws: PlugboardError.self) { try Setup.kernel(in: folder) }

        #expect(error?.reason.contains("newer version") == true)
        #expect(try !folder.entries().contains { $0.contains("damaged") })
    }

    @Test func `a read that fails loses no cookie, and leaves the file in its place`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await ReadFaults.run("the jar whose reads fail", in: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: ReadFaults.folder != nil))
    func `the jar whose reads fail`() async throws {
        let path = try #require(ReadFaults.folder)
        let folder = try TemporaryFolder()
        let settings: JSONObject = ["path": .string("\(path)/cookies.sqlite")]
        let first = try Setup.kernel(in: folder, settings: settings)
        for number in 0..<40 {
            let value = String(repeating: "v", count: 500)
            try await first.cookies.set("n\(number)=\(value); Max-Age=6000", for: "http://a.test/")
        }
        await first.shutDown()

        try await ReadFaults.atAllPositions {
            let kernel = try Setup.kernel(in: folder, settings: settings)
            _ = try await kernel.cookies.all()
            await kernel.shutDown()
        } check: {
            let kernel = try Setup.kernel(in: folder, settings: settings)
            #expect(try await kernel.cookies.all().count == 40)
            await kernel.shutDown()
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(!names.contains { $0.contains("damaged") })
        }
    }

    @Test func `a file that is damaged in use is moved aside, and its cookies are written again`() async throws {
        let folder = try TemporaryFolder()
        let log = Record()
        let kernel = try Setup.kernel(
            in: folder, settings: ["domainLimit": 10_000],
            log: KernelLog(level: .warning) { _, _, text in log.add(text) })
        try await kernel.cookies.set("kept=1; Max-Age=86400", for: "http://kept.test/")
        // More than SQLite caches, so that it must read the damaged part.
        let value = String(repeating: "v", count: 4000)
        let lines = (0..<1500).map { "a.test\tFALSE\t/\tFALSE\t2000000000\tn\($0)\t\(value)" }
        try await kernel.cookies.importFile(folder.write("import", lines.joined(separator: "\n")))

        for (name, start) in [("cookies.sqlite", 8192), ("cookies.sqlite-wal", 32)] {
            let bytes = try folder.read(name)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file(name)))
            try file.seek(toOffset: UInt64(start))
            try file.write(contentsOf: Data(repeating: 0xFF, count: max(bytes.count - start, 0)))
            try file.close()
        }
        try await kernel.cookies.delete(domain: "a.test")
        let here = try await kernel.cookies.all().map(\.name)
        await kernel.shutDown()

        #expect(here == ["kept"])
        #expect(try await Setup.kernel(in: folder).cookies.all().map(\.name) == ["kept"])
        #expect(try folder.entries().contains { $0.contains("damaged") })
        #expect(log.lines.count == 1)
    }

    // The new connection may be where the old one was in memory, with the same version of the data.
    @Test func `a file that is removed again and again is noticed each time`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(in: folder)
        for round in 0..<20 {
            try await kernel.cookies.set("kept\(round)=1; Max-Age=60", for: "http://a.test/")
            for name in try folder.entries() { try FileManager.default.removeItem(atPath: folder.file(name)) }
            try await kernel.cookies.set("next\(round)=1; Max-Age=60", for: "http://a.test/")

            #expect(try await kernel.cookies.all().map(\.name) == ["next\(round)"])

            try await kernel.cookies.clear()
        }
    }

    @Test func `removing the file removes the cookies, and the next ones are in a new file`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(in: folder)
        try await kernel.cookies.set("a=1; Max-Age=60", for: "http://a.test/")
        try await kernel.cookies.set("session=2", for: "http://a.test/")

        for name in try folder.entries() { try FileManager.default.removeItem(atPath: folder.file(name)) }
        try await kernel.cookies.set("b=3; Max-Age=60", for: "http://a.test/")
        let here = try await kernel.cookies.all().map(\.name)
        await kernel.shutDown()

        #expect(here == ["session", "b"])
        #expect(try await Setup.kernel(in: folder).cookies.all().map(\.name) == ["b"])
    }
}
