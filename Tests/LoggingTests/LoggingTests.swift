import JSON
import LoggingOptions
import LoggingPlugin
import Plugboard
import PluginLoader
import TestSupport
import Testing

struct LoggingTests {
    @Test(arguments: Linkage.allCases)
    func `an exchange is one line, printed when its body has ended`(linkage: Linkage) async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8))
            try connection.wait(for: gate)
            try connection.write(Array("lo".utf8))
        }
        let log = Record()
        let kernel = try kernel(linkage, log)
        let url = server.url("/path?key=secret")

        let response = try await kernel.send(Request(.get, url))
        let before = log.lines
        gate.admit()
        _ = try await response.body.text()

        #expect(before == [])
        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("info GET \(server.url("/path"))?key=… → 200 5 B in "))
        #expect(log.lines.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `attempts are counted`(linkage: Linkage) async throws {
        let again = ScriptedPlugin("again", priority: 800)
        again.onResponse = { $0.response?.status == 503 ? .resend() : .next }
        let log = Record()
        let kernel = try kernel(
            linkage, log, MockTransport { _, number in number < 3 ? .answer(503) : .answer(200, Fields(), nil) },
            beside: [again])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(log.lines.first?.contains(" → 200 ") == true)
        #expect(log.lines.first?.hasSuffix(" (3 attempts)") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `a failure is a warning with its reason`(linkage: Linkage) async throws {
        let log = Record()
        let kernel = try kernel(
            linkage, log, MockTransport { _, _ in .failure(PlugboardError(.dns, "Nobody knows\u{1B}[2J it.")) })

        _ = try? await kernel.send(Request(.get, "http://u:secret@a.test/"))

        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("warning GET http://a.test/ failed after "))
        #expect(line.hasSuffix(": transport.dns: Nobody knows\\u{1B}[2J it."))
    }

    @Test(arguments: Linkage.allCases)
    func `what was cancelled is no warning`(linkage: Linkage) async throws {
        let log = Record()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(linkage, log, transport)

        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened(for: 1)
        handle.cancel()
        _ = try? await handle.response

        #expect(log.lines.first?.hasPrefix("info GET http://a.test/ cancelled after ") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `heads are printed without what is secret and without what steers a terminal`(linkage: Linkage) async throws {
        let log = Record()
        let transport = MockTransport { _, _ in
            .answer(200, Fields(["Set-Cookie": "id=secret", "X-Note": "a\u{1B}[31mb"]), nil)
        }
        let kernel = try kernel(linkage, log, transport, settings: ["detail": "heads"])
        var fields = Fields(["Authorization": "Bearer secret", "X-Key": "secret", "Accept": "*/*"])
        fields.markSecret("X-Key")
        var request = Request(.post, "http://a.test/?q=secret", fields: fields)
        request.logging.label = "feed"

        _ = try await kernel.send(request)

        #expect(log.lines.count == 3)
        let heads = log.lines.prefix(2).map { $0.split(separator: "\n").map(String.init) }
        let number = try #require(heads[0].first?.split(separator: " ").dropFirst().first)
        #expect(number.hasPrefix("#"))
        #expect(
            heads[0] == [
                "info \(number) [feed] POST http://a.test/?q=…", "    Authorization: <redacted>",
                "    X-Key: <redacted>", "    Accept: */*",
            ])
        #expect(
            heads[1] == [
                "info \(number) [feed] → 200", "    Set-Cookie: <redacted>", "    X-Note: a\\u{1B}[31mb",
            ])
        #expect(log.lines[2].hasPrefix("info \(number) [feed] POST http://a.test/?q=… → 200 "))
    }

    @Test(arguments: Linkage.allCases)
    func `settings choose the level and whether queries are shown`(linkage: Linkage) async throws {
        let log = Record()
        let kernel = try kernel(
            linkage, log, MockTransport(), settings: ["level": "debug", "queries": "show"])

        _ = try await kernel.send(Request(.get, "http://u:secret@a.test/?page=2")).body.text()

        #expect(log.lines.first?.hasPrefix("debug GET http://a.test/?page=2 → 200 ") == true)
    }

    private func kernel(
        _ linkage: Linkage, _ log: Record, _ transport: MockTransport? = nil, settings: JSONObject = [:],
        beside scripted: [ScriptedPlugin] = []
    ) throws -> Kernel {
        try linkage.kernel(
            "logging", loggingPlugin(), loader: .dynamic, transport, settings: settings, beside: scripted,
            log: KernelLog(level: .debug) { level, source, text in
                if source == "logging" { log.add("\(level) \(text)") }
            })
    }
}
