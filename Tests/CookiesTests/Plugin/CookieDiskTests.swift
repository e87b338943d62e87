import Foundation
import Plugboard
import PlugboardCookiesOptions
import PlugboardEventLoop
import PlugboardJSON
import TestSupport
import Testing

@testable import PlugboardCookies

/// Full disks, and file systems and folders that cannot be written.
struct CookieDiskTests {
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
}
