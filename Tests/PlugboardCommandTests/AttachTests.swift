import CPlugboardControl
import Foundation
import Plugboard
import PlugboardControl
import PlugboardJSON
import TestSupport
import Testing

/// `plugboard attach`, as a process at the socket of a kernel of the test.
struct AttachTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("control") }

    init() throws { folder = try TemporaryFolder("attach") }

    private func kernel(_ transport: MockTransport, _ plugins: [PluginEntry] = []) throws -> Kernel {
        var configuration = Configuration()
        configuration.kernel.control = path
        return try Kernel(configuration: configuration, plugins: plugins, transport: transport, log: .silent)
    }

    /// What an action prints, which must succeed.
    private func attach(_ words: String...) async throws -> String {
        let outcome = try await Command.running(["attach", path] + words)
        #expect(outcome.status == 0, "\(words): \(outcome.stderr)")
        return outcome.stdout
    }

    @Test func `a program is seen: what it is, its metrics and what is under way`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(transport, [.retry])
        var request = Request(.get, "http://u:t0p@a.test/?key=t0p")
        request.tag = "sync"
        let handle = kernel.begin(request)
        try await transport.began.opened()

        let status = try await attach()
        let metrics = try await attach("metrics")
        let prometheus = try await attach("metrics", "--prometheus")
        let exchanges = try await attach("exchanges")
        let json = try await attach("exchanges", "--json")
        handle.cancel()
        await kernel.shutDown()

        #expect(status.contains("1 exchange under way\nplugins: retry\n") && status.hasSuffix(metrics))
        #expect(metrics.hasPrefix("retry.") && prometheus.contains("# TYPE retry_"))
        #expect(exchanges.contains(" GET http://a.test/?key=… in ") && exchanges.hasSuffix("ms (tag sync)\n"))
        #expect(try JSONParser.parse(json)[0]?["tag"] == "sync")
        #expect(![status, metrics, prometheus, exchanges, json].joined().contains("t0p"))
    }

    @Test func `requests are suspended, resumed and cancelled, by tag, number or all`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(transport)
        let handles = ["a", "a", "b", "c"].map { tag in
            var request = Request(.get, "http://a.test/\(tag)")
            request.tag = tag
            return kernel.begin(request)
        }
        try await transport.began.opened(for: 4)

        #expect(try await attach("suspend", "--tag", "a") == "2 exchanges\n")
        #expect(try await attach("exchanges").split(separator: "\n").filter { $0.contains("suspended") }.count == 2)
        #expect(try await attach("resume", "--all") == "2 exchanges\n")
        let list = try JSONParser.parse(try await attach("exchanges", "--json")).arrayValue ?? []
        let number = try #require(list.first { $0["tag"] == "c" }?["id"]?.numberValue?.text)
        #expect(try await attach("cancel", "--exchange", number) == "1 exchange\n")
        #expect(try await attach("cancel", "--all") == "3 exchanges\n")

        for handle in handles {
            let error = await #expect(throws: PlugboardError.self) { try await handle.response }
            #expect(error?.code == .cancelled)
        }
        await kernel.shutDown()
    }

    @Test func `a plugin's command is given, and a plugin is switched off and on`() async throws {
        let kernel = try kernel(MockTransport(), [.recorder])
        func send(_ word: String) async throws {
            _ = try await kernel.send(Request(.get, "http://a.test/\(word)")).body.text()
        }

        try await send("seen")
        #expect(try await attach("disable", "recorder") == "")
        try await send("unseen")
        #expect(try await attach("enable", "recorder") == "")
        try await send("later")
        let list = try await attach("command", "recorder", "list")
        let unknown = try await Command.run("attach", path, "command", "recorder", "fly")
        let missing = try await Command.run("attach", path, "disable", "nothing")
        await kernel.shutDown()

        #expect(list.contains("/seen") && list.contains("/later") && !list.contains("/unseen"))
        #expect(unknown.status != 0 && unknown.stderr.contains("recorder knows list"))
        #expect(missing.status != 0 && missing.stderr.contains("No plugin nothing is enabled"))
    }

    @Test func `a watch has a line for each end, draws nothing without a terminal, and ends with the program`()
        async throws
    {
        let kernel = try kernel(MockTransport(), [.recorder])
        let (program, path, heard) = (try Products.executable("plugboard"), path, Record())
        async let watched = ProcessRunner.running(
            [program, "attach", path, "watch"], onOutput: { _ in heard.add("lines") })
        async let followed = ProcessRunner.running(
            [program, "attach", path, "watch", "--json"], onOutput: { _ in heard.add("json") })

        // A watcher hears of what begins after it has come, so requests are sent until both have heard of one.
        while Set(heard.lines).count < 2 {
            _ = try await kernel.send(Request(.get, "http://a.test/?key=t0p")).body.text()
        }
        #expect(try await attach("shutdown", "--within", "10s") == "")
        let (lines, json) = try await (watched, followed)

        #expect(lines.status == 0 && lines.stderr.contains("The program has closed the socket."))
        #expect(lines.stdout.contains(" GET http://a.test/?key=… → 200 in ") && !lines.stdout.contains("\u{1B}"))
        let events = try json.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(events.contains { $0["event"] == "created" } && events.contains { $0["event"] == "completed" })
        #expect(!lines.stdout.contains("t0p") && !json.stdout.contains("t0p"))
    }

    @Test func `the list on a terminal drops rows whose end was lost`() async throws {
        let listener = ccontrol_open(1)
        defer { close(listener) }
        try #require(ccontrol_listen(listener, path, 1) == 0)
        let terminal = try PseudoTerminal(columns: 120)
        let variables = ["path": path, "terminal": terminal.path, "TERM": "xterm"]
        async let running = Command.shell(
            #"exec "$plugboard" attach "$path" watch >"$terminal" 2>"$terminal""#, variables)
        let peer = try await offTasks { try Peer(listener) }

        try peer.write(#"{"plugboard": "0.1.0", "control": 1, "pid": 1}"#)
        #expect(try await offTasks { try peer.line() }["do"] == "watch")
        try peer.write(#"{"id": 1, "result": null}"#)
        try peer.write(AttachTests.event("created", 1, "/one"))
        try peer.write(AttachTests.event("created", 2, "/two"))
        _ = try await terminal.reading(until: "/two")
        try peer.write(#"{"lost": 7}"#)
        let asked = try await offTasks { try peer.line() }
        let id = asked["id"]?.numberValue?.text ?? ""
        try peer.write(AttachTests.event("created", 4, "/four"))
        try peer.write(#"{"lost": 1}"#)
        try peer.write(#"{"id": \#(id), "result": [{"id": 2, "method": "GET", "url": "http://a.test/two"}]}"#)
        let askedAgain = try await offTasks { try peer.line() }
        let second = askedAgain["id"]?.numberValue?.text ?? ""
        try peer.write(#"{"id": \#(second), "result": [{"id": 2, "method": "GET", "url": "http://a.test/two"}]}"#)
        try peer.write(AttachTests.event("completed", 3, "/three"))
        let text = try await terminal.reading(until: "/three")
        let rows = try await terminal.reading(until: "/two")
        peer.end()
        _ = try await running

        #expect(asked["do"] == "exchanges" && text.contains("7 events were lost"))
        #expect(askedAgain["do"] == "exchanges")
        #expect(!rows.contains("/one") && !rows.contains("/four"), "\(rows)")
    }

    private static func event(_ name: String, _ id: Int, _ target: String) -> String {
        #"{"event": "\#(name)", "exchange": {"id": \#(id), "method": "GET", "url": "http://a.test\#(target)"}}"#
    }

    /// The program's end of a socket, in the hands of the test.
    private final class Peer: Sendable {
        private let file: Int32

        init(_ listener: Int32) throws {
            file = accept(listener, nil, nil)
            guard file >= 0 else { throw SystemError.failed("accept", errno) }
        }

        deinit { close(file) }

        func end() { shutdown(file, Int32(SHUT_RDWR)) }

        func write(_ line: String) throws {
            let bytes = Array("\(line)\n".utf8)
            guard send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw SystemError.failed("send", errno)
            }
        }

        func line() throws -> JSONValue {
            var (line, byte) = ([UInt8](), UInt8(0))
            while read(file, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
            return try JSONParser.parse(line)
        }
    }

    private static let canBeAnother =
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test(.enabled(if: canBeAnother, "only root can become another user, by python3"))
    func `another user's process gets nothing, even where the file lets it in`() async throws {
        let kernel = try kernel(MockTransport())
        let script = """
            import os, socket, sys
            os.chdir(sys.argv[1])
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
            peer = socket.socket(socket.AF_UNIX)
            try:
                peer.connect("control")
                print(peer.recv(100))
            except OSError as error:
                print(type(error).__name__)
            """
        func ask() async throws -> String {
            try await ProcessRunner.running(["/usr/bin/python3", "-c", script, folder.path]).stdout
        }

        chmod(folder.path, 0o755)
        let refused = try await ask()
        chmod(path, 0o666)
        let unheard = try await ask()
        let own = try await attach()
        await kernel.shutDown()

        #expect(refused == "PermissionError\n")
        #expect(unheard == "b''\n" || unheard == "ConnectionResetError\n", "\(unheard)")
        #expect(own.hasPrefix("plugboard "))
    }

    @Test func `a socket that nobody listens at, and actions that do not exist, are told`() async throws {
        let absent = try await Command.run("attach", folder.file("absent"))
        let unknown = try await Command.run("attach", path, "wach")
        let without = try await Command.run("attach", path, "cancel")

        #expect(absent.status != 0 && absent.stderr.contains("kernel.control"))
        #expect(unknown.status == 2 && unknown.stderr.contains("Did you mean watch?"))
        #expect(without.status == 2 && without.stderr.contains("one of --tag, --exchange and --all"))
    }
}
