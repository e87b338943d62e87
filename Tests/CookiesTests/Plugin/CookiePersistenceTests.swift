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

    @Test func `while another process writes, stored cookies are sent, and the end does not wait`() async throws {
        let folder = try TemporaryFolder()
        let before = try Setup.kernel(in: folder)
        try await before.cookies.set("a=1; Max-Age=600", for: "http://a.test/")
        await before.shutDown()
        let writer = SQLiteStore(.file(folder.file("cookies.sqlite")), schema: CookieFile.schema) { _ in }
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        writer.perform { (connection) throws(SQLiteFailure) in
            try connection.transaction {
                hasBegun.admit()
                mayEnd.wait()
            }
        }
        try await hasBegun.opened()
        let transport = MockTransport()
        let kernel = try Setup.kernel(in: folder, transport)

        let sent = try await Setup.sent(kernel, transport, Request(.get, "http://a.test/"))
        let time = await ContinuousClock().measure { await kernel.shutDown(within: .seconds(30)) }
        mayEnd.signal()
        writer.close(within: .seconds(60))

        #expect(sent == "a=1")
        #expect(time < .seconds(2))
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
