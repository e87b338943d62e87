import Foundation
import Plugboard
import PlugboardCookiesOptions
import PlugboardEventLoop
import PlugboardJSON
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCookies

/// The file: several processes, killed processes, and damage.
struct CookiePersistenceTests {
    @Test(arguments: Linkage.allCases)
    func `persistent cookies outlive the kernel, in a file that only its owner can read`(linkage: Linkage) async throws
    {
        let folder = try TemporaryFolder()
        let path: JSONObject = ["path": .string(folder.file("sub/cookies.sqlite"))]
        let transport = Setup.setting("kept=\u{1F36A}; Max-Age=600; Path=/x; SameSite=Strict; HttpOnly", "session=2")
        let first = try Setup.kernel(linkage, transport, settings: path)
        _ = try await first.send(Request(.get, "http://a.test/"))
        let before = try await first.cookies.all()
        await first.shutDown()

        let quiet = MockTransport()
        let second = try Setup.kernel(linkage, quiet, settings: path)
        let sent = try await Setup.sent(second, quiet, Request(.get, "http://a.test/x"))
        let after = try await second.cookies.all()

        #expect(sent == "kept=\u{1F36A}")
        #expect(after == before.filter { $0.name == "kept" } && after.count == 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("sub")) {
            #expect(try permissions(of: folder.file("sub/\(name)")) == 0o600)
        }
        #expect(try permissions(of: folder.file("sub")) == 0o700)
    }

    @Test(arguments: Linkage.allCases)
    func `cookies of the session outlive the kernel where the settings keep them`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder()
        let path = JSONValue.string(folder.file("cookies.sqlite"))
        let first = try Setup.kernel(
            linkage, Setup.setting("session=2"), settings: ["path": path, "sessionCookies": "keep"])
        _ = try await first.send(Request(.get, "http://a.test/"))
        await first.shutDown()

        let (keeping, forgetting) = (MockTransport(), MockTransport())
        let second = try Setup.kernel(linkage, keeping, settings: ["path": path, "sessionCookies": "keep"])
        let other = try Setup.kernel(linkage, forgetting, settings: ["path": path])

        let request = Request(.get, "http://a.test/")
        #expect(try await Setup.sent(second, keeping, request) == "session=2")
        #expect(try await second.cookies.all().map(\.expires) == [nil])
        #expect(try await Setup.sent(other, forgetting, request) == nil)
    }

    @Test func `a kernel sees the changes of another one in the same file after a second`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let transport = MockTransport()
        let reader = try Setup.kernel(in: folder, transport, clock: clock)
        let writer = try Setup.kernel(in: folder, clock: clock)
        let request = Request(.get, "http://a.test/")
        _ = try await reader.send(request)

        try await writer.cookies.set("a=1; Max-Age=60", for: "http://a.test/")
        clock.advance(by: .milliseconds(1001))
        let added = try await Setup.sent(reader, transport, request)
        try await writer.cookies.set("a=2; Max-Age=60", for: "http://a.test/")
        clock.advance(by: .milliseconds(1001))
        let changed = try await Setup.sent(reader, transport, request)
        try await writer.cookies.delete(name: "a")
        clock.advance(by: .milliseconds(1001))
        let removed = try await Setup.sent(reader, transport, request)

        #expect([added, changed, removed] == ["a=1", "a=2", nil])
    }

    @Test func `a file that cannot be read in time delays one request, and not the next`() async throws {
        let folder = try TemporaryFolder()
        // Locks the file as another process would that does not finish its transaction.
        let lock = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let clock = ManualClock()
        let waits = Gate()
        let kernel = try Setup.kernel(in: folder, MockTransport(), clock: clock)
        let request = Request(.get, "http://a.test/")

        let first = kernel.begin(request, trace: { if $0.call?.verdict == "wait" { waits.admit() } })
        try await waits.opened()
        clock.advance(by: .seconds(5))
        _ = try await first.response
        let second = kernel.begin(request, trace: { if $0.call?.verdict == "wait" { waits.admit() } })
        _ = try await second.response
        flock(lock, LOCK_UN)

        #expect(waits.admitted == 1)
    }

    @Test func `the last writer of a cookie wins, and other cookies stay`() async throws {
        let folder = try TemporaryFolder()
        let kernels = try [Setup.kernel(in: folder), Setup.kernel(in: folder)]

        for round in 0..<10 {
            for (index, kernel) in kernels.enumerated() {
                try await kernel.cookies.set("shared=\(round)-\(index); Max-Age=60", for: "http://a.test/")
                try await kernel.cookies.set("own\(index)=\(round); Max-Age=60", for: "http://a.test/")
            }
        }

        for kernel in kernels {
            #expect(try await kernel.cookies.get("http://a.test/") == "shared=9-1; own0=9; own1=9")
        }
    }

    @Test func `a cookie that another process removed stays removed after it was sent here`() async throws {
        let folder = try TemporaryFolder()
        let sender = try Setup.kernel(in: folder, MockTransport())
        let remover = try Setup.kernel(in: folder)
        try await sender.cookies.set("a=1; Max-Age=60", for: "http://a.test/")
        _ = try await sender.send(Request(.get, "http://a.test/"))

        try await remover.cookies.delete(name: "a")
        await sender.shutDown()

        #expect(try await remover.cookies.all() == [])
    }

    @Test func `two processes share a file`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(in: folder)
        try await kernel.cookies.set("here=1; Max-Age=3600", for: "http://a.test/")

        let set = try await plugboard(["set", "url=http://a.test/", "cookie=there=2; Max-Age=3600"], folder)
        let got = try await plugboard(["get", "url=http://a.test/"], folder)

        #expect(set == #"{"stored":true}"# && got == #"{"cookie":"here=1; there=2"}"#)
        #expect(try await kernel.cookies.get("http://a.test/") == "here=1; there=2")
    }

    @Test(arguments: [20, 75, 200])
    func `a killed process leaves a file with all but its last cookies`(replies: Int) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { request in
            let number = request.path.dropFirst()
            return ServerResponse(fields: [("Set-Cookie", "c\(number)=v\(number); Max-Age=600; Path=/")])
        }
        defer { server.stop() }
        let lines = (0..<2000).map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# }
        try folder.write("input", lines.joined(separator: "\n"))
        try folder.write("config.json", configuration(folder))
        let script = """
            exec 3< <(echo $BASHPID > "$folder/pid"; exec "$plugboard" exec --config "$folder/config.json" < "$folder/input")
            head -n \(replies) <&3 > "$folder/replies"
            kill -9 $(cat "$folder/pid")
            """

        let outcome = try await ProcessRunner.running(
            ["/bin/bash", "-c", script],
            environment: ["folder": folder.path, "plugboard": Products.executable("plugboard")])
        let kernel = try Setup.kernel(in: folder, settings: ["domainLimit": 10_000])
        let cookies = try await kernel.cookies.all()

        #expect(outcome.status == 0, "\(outcome.stderr)")
        // The requests under way, and at most one batch that was not written yet.
        #expect(cookies.count >= replies / 2)
        #expect(cookies.allSatisfy { $0.value == "v\($0.name.dropFirst())" })
        #expect(try !folder.entries().contains { $0.contains("damaged") })
    }

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

    @Test(
        .enabled(if: SmallDisk.isAvailable, "only who may mount file systems has a small one"))
    func `on a full disk stored cookies are read, also by the next process`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await SmallDisk.run("the writer of the small-disk test", mebibytes: 4, at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout) \(outcome.stderr)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the writer of the small-disk test`() async throws {
        let path = try #require(SmallDisk.folder)
        let clock = ManualClock()
        let settings: JSONObject = ["path": .string("\(path)/cookies.sqlite")]
        let folder = try TemporaryFolder()
        let first = try Setup.kernel(in: folder, clock: clock, settings: settings)
        try await first.cookies.set("a=1; Max-Age=600", for: "http://a.test/")
        try SmallDisk.fill("\(path)/filler")
        try await first.cookies.set("b=\(String(repeating: "v", count: 3000)); Max-Age=600", for: "http://a.test/")
        #expect(try await first.cookies.all().map(\.name) == ["a", "b"])
        await first.shutDown()
        try SmallDisk.fill("\(path)/filler")

        let second = try Setup.kernel(in: folder, clock: clock, settings: settings)
        #expect(try await second.cookies.all().map(\.name).first == "a")
        try await second.cookies.set("c=\(String(repeating: "v", count: 3000)); Max-Age=600", for: "http://a.test/")
        try FileManager.default.removeItem(atPath: "\(path)/filler")
        try await second.cookies.set("d=4; Max-Age=600", for: "http://a.test/")
        await second.shutDown()

        let third = try Setup.kernel(in: folder, clock: clock, settings: settings)
        #expect(Set(try await third.cookies.all().map(\.name)).isSuperset(of: ["a", "c", "d"]))
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

    @Test(.enabled(if: SmallDisk.isAvailable, "only who may mount file systems has one that is read-only"))
    func `from a read-only file system stored cookies are sent, with one warning`() async throws {
        let folder = try TemporaryFolder()
        let first = try Setup.kernel(in: folder)
        try await first.cookies.set("a=1; Max-Age=6000", for: "http://a.test/")
        await first.shutDown()

        let outcome = try await SmallDisk.runReadOnly("the jar on a read-only file system", at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the jar on a read-only file system`() async throws {
        let path = try #require(SmallDisk.folder)
        let log = Record()
        let transport = Setup.setting("b=2; Max-Age=600")
        let kernel = try Setup.kernel(
            in: TemporaryFolder(), transport, settings: ["path": .string("\(path)/cookies.sqlite")],
            log: KernelLog(level: .warning) { _, _, text in log.add(text) })

        #expect(try await Setup.sent(kernel, transport, Request(.get, "http://a.test/")) == "a=1")
        #expect(try await Setup.sent(kernel, transport, Request(.get, "http://a.test/")) == "a=1; b=2")
        _ = try await kernel.cookies.all()
        await kernel.shutDown()

        #expect(log.lines.count == 1 && log.lines.allSatisfy { $0.contains("can be read only") }, "\(log.lines)")
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

    @Test func `on a full disk cookies stay in memory, and are written when there is room`() async {
        // In a process of its own, because the limit applies to all its threads.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let clock = ManualClock()
            let log = Record()
            let transport = MockTransport { _, number in
                .respond(200, Fields(["Set-Cookie": "n\(number)=\(String(repeating: "v", count: 4000)); Max-Age=600"]))
            }
            let kernel = try Setup.kernel(
                in: folder, transport, clock: clock, log: KernelLog(level: .warning) { _, _, text in log.add(text) })
            try await kernel.cookies.set("first=1; Max-Age=600", for: "http://a.test/")
            signal(SIGXFSZ, SIG_IGN)
            var room = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
            let enough = room.rlim_cur

            room.rlim_cur = 100_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
            // No cookie is sent, because that would be written too, and the file would not only grow.
            var request = Request(.get, "http://a.test/")
            request.cookies.send = false
            for _ in 0..<50 {
                _ = try await kernel.send(request)
                clock.advance(by: .milliseconds(1001))
            }
            let inMemory = try await kernel.cookies.all().count
            room.rlim_cur = enough
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
            clock.advance(by: .milliseconds(1001))
            // A request without a new cookie is enough.
            request.cookies.store = false
            _ = try await kernel.send(request)
            let saved = try await Setup.kernel(in: folder, clock: clock).cookies.all().count

            #expect(inMemory == 51 && saved == 51)
            #expect(log.lines.count == 1)
        }
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

    @Test func `without a writable folder cookies are in memory, and one warning is logged`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        let log = Record()
        let transport = Setup.setting("a=1; Max-Age=60")
        let kernel = try Setup.kernel(
            in: folder, transport, settings: ["path": .string(folder.file("file/cookies.sqlite"))],
            log: KernelLog(level: .warning) { _, _, text in log.add(text) })

        for _ in 0..<3 { _ = try await kernel.send(Request(.get, "http://a.test/")) }

        #expect(transport.requests.last?.fields[.cookie] == "a=1")
        #expect(try await kernel.cookies.all().map(\.name) == ["a"])
        #expect(log.lines.filter { $0.contains("cookies.sqlite") }.count == 1, "\(log.lines)")
    }

    private func configuration(_ folder: TemporaryFolder) -> String {
        let path = folder.file("cookies.sqlite")
        return #"{"plugins": [{"id": "cookies", "settings": {"path": "\#(path)", "domainLimit": 10000}}]}"#
    }

    private func plugboard(_ arguments: [String], _ folder: TemporaryFolder) async throws -> String {
        try folder.write("config.json", configuration(folder))
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "cookies"] + arguments + ["--config", folder.file("config.json")])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return String(outcome.stdout.dropLast())
    }
}
