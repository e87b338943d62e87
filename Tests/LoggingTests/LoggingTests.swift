import Plugboard
import PlugboardJSON
import PlugboardLogging
import PlugboardLoggingOptions
import TestSupport
import Testing

struct LoggingTests {
    @Test(arguments: Linkage.allCases)
    func `an exchange is one line, logged when its body has ended`(linkage: Linkage) async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8))
            try connection.wait(for: gate)
            try connection.write(Array("lo".utf8))
        }
        let log = Record()
        let kernel = try linkage.logging(to: log, nil)
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
    func `a request that leaves the plugin out is not logged`(linkage: Linkage) async throws {
        let log = Record()
        let kernel = try linkage.logging(to: log, MockTransport { _, _ in .respond(200, Fields(), nil) })
        var (silent, shown) = (Request(.get, "http://a.test/silent"), Request(.get, "http://a.test/shown"))
        silent.logging.isEnabled = false
        shown.logging.isEnabled = true

        _ = try await kernel.send(silent)
        _ = try await kernel.send(shown)

        #expect(!silent.logging.isEnabled && shown.logging.isEnabled && Request(.get, "").logging.isEnabled)
        #expect(log.lines.count == 1 && log.lines.first?.contains("/shown") == true)
    }

    @Test func `a request that uses the plugin counts before its origin, which does not`() async throws {
        let log = Record()
        let configuration = try Configuration.text(
            #"{"plugins": ["logging"], "origins": {"http://a.test": {"logging": {"enabled": false}}}}"#)
        let kernel = try Kernel(
            configuration: configuration, transport: MockTransport { _, _ in .respond(200, Fields(), nil) },
            log: KernelLog(level: .info) { _, source, text in if source == "logging" { log.add(text) } })
        var own = Request(.get, "http://a.test/own")
        own.logging.isEnabled = true

        _ = try await kernel.send(Request(.get, "http://a.test/other"))
        _ = try await kernel.send(own)

        #expect(log.lines.count == 1 && log.lines.first?.contains("/own") == true)
    }

    @Test func `each bundled plugin has the attribute that leaves it out of a request`() {
        var request = Request(.get, "http://a.test/")
        request.authentication.isEnabled = false
        request.cache.isEnabled = false
        request.cookies.isEnabled = false
        request.decode.isEnabled = false
        request.indicator.isEnabled = false
        request.limit.isEnabled = false
        request.logging.isEnabled = false
        request.mock.isEnabled = false
        request.queue.isEnabled = false
        request.recorder.isEnabled = false
        request.redirect.isEnabled = false
        request.resume.isEnabled = false
        request.retry.isEnabled = false
        request.telemetry.isEnabled = false
        request.validator.isEnabled = false

        let expected = Catalog.bundled.ids.map { ("\($0).enabled", "false") }
        #expect(request.attributes.values == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test(arguments: Linkage.allCases)
    func `attempts are counted`(linkage: Linkage) async throws {
        let again = ScriptedPlugin("again", priority: 800)
        again.onResponse = { $0.response?.status == 503 ? .resend() : .next }
        let log = Record()
        let kernel = try linkage.logging(
            to: log, MockTransport { _, number in number < 3 ? .respond(503) : .respond(200, Fields(), nil) },
            beside: [again])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(log.lines.first?.contains(" → 200 ") == true)
        #expect(log.lines.first?.hasSuffix(" (3 attempts)") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `a failure is a warning with its reason`(linkage: Linkage) async throws {
        let log = Record()
        let kernel = try linkage.logging(
            to: log, MockTransport { _, _ in .failure(PlugboardError(.transportDNS, "Nobody knows\u{1B}[2J it.")) }
        )

        _ = try? await kernel.send(Request(.get, "http://u:secret@a.test/"))

        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("warning GET http://a.test/ failed after "))
        #expect(line.hasSuffix(": transport.dns: Nobody knows\\u{1B}[2J it."))
    }

    @Test(arguments: Linkage.allCases)
    func `a cancelled exchange is not a warning`(linkage: Linkage) async throws {
        let log = Record()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try linkage.logging(to: log, transport)

        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened(for: 1)
        handle.cancel()
        _ = try? await handle.response

        #expect(log.lines.first?.hasPrefix("info GET http://a.test/ cancelled after ") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `heads are logged without secrets and control characters`(linkage: Linkage) async throws {
        let log = Record()
        let transport = MockTransport { _, _ in
            .respond(200, Fields(["Set-Cookie": "id=secret", "X-Note": "a\u{1B}[31mb"]), nil)
        }
        let kernel = try linkage.logging(to: log, transport, settings: ["format": "full"])
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
        let kernel = try linkage.logging(
            to: log, settings: ["level": "debug", "queries": "show"])

        _ = try await kernel.send(Request(.get, "http://u:secret@a.test/?page=2")).body.text()

        #expect(log.lines.first?.hasPrefix("debug GET http://a.test/?page=2 → 200 ") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `a line names the plugin that responded, and whether by a sub-request`(
        linkage: Linkage
    ) async throws {
        let stored = ScriptedPlugin("stored", priority: 600)
        stored.onRequest = { $0.request.url.hasSuffix("/stored") ? .respond(ResponseHead(status: 203)) : .next }
        let hedge = ScriptedPlugin("hedge", priority: 700)
        hedge.onRequest = { [unowned hedge] exchange in
            guard exchange.request.url.hasSuffix("/hedged"), let host = hedge.host else { return .next }
            let id = exchange.id
            return .wait {
                let response = try await host.send(Request(.get, "http://b.test/"), for: id)
                return { _ in .respond(with: response) }
            }
        }
        let log = Record()
        let kernel = try linkage.logging(to: log, beside: [stored, hedge])

        for path in ["stored", "hedged", "sent"] {
            _ = try await kernel.send(Request(.get, "http://a.test/\(path)")).body.text()
        }

        #expect(log.lines.count == 3, "a sub-request inside has no line of its own")
        #expect(log.lines.first?.hasSuffix(" (not sent, response of stored)") == true, "\(log.lines)")
        #expect(
            log.lines.dropFirst().first?.hasSuffix(" (not sent, response of a sub-request of hedge)") == true,
            "\(log.lines)")
        #expect(log.lines.last?.hasSuffix(" ms") == true, "\(log.lines)")
    }

    @Test(arguments: Linkage.allCases)
    func `a response of the network after one of a plugin names no plugin`(linkage: Linkage) async throws {
        let stored = ScriptedPlugin("stored", priority: 600)
        stored.onRequest = {
            $0.attempt == 0 && $0.request["X-Again"] == nil ? .respond(ResponseHead(status: 503)) : .next
        }
        let again = ScriptedPlugin("again", priority: 500)
        again.onResponse = { exchange in
            guard exchange.response?.status == 503 else { return .next }
            exchange.request["X-Again"] = "yes"
            return .resend()
        }
        let log = Record()
        let kernel = try linkage.logging(to: log, beside: [stored, again])

        _ = try await kernel.send(Request(.get, "http://a.test/")).body.text()

        #expect(
            log.lines.first?.contains(" → 200 ") == true && log.lines.first?.hasSuffix(" ms") == true, "\(log.lines)")
    }

    @Test(arguments: Linkage.allCases)
    func `an outermost sub-request has a line that names its plugin`(linkage: Linkage) async throws {
        let refresh = ScriptedPlugin("refresh", priority: 450)
        refresh.onRequest = { [unowned refresh] exchange in
            guard let host = refresh.host else { return .next }
            let id = exchange.id
            return .wait {
                _ = try await host.send(Request(.get, "http://tokens.test/"), for: id, from: .outermost).collect(
                    upTo: .kibibytes(1))
                return { _ in .next }
            }
        }
        let log = Record()
        let kernel = try linkage.logging(to: log, beside: [refresh])

        _ = try await kernel.send(Request(.get, "http://a.test/")).body.text()

        #expect(log.lines.count == 2)
        #expect(log.lines.first?.contains("GET http://tokens.test/ → 200 ") == true)
        #expect(log.lines.first?.hasSuffix(" (sub-request of refresh)") == true, "\(log.lines)")
        #expect(log.lines.last?.contains("GET http://a.test/ → 200 ") == true)
        #expect(log.lines.last?.hasSuffix(")") == false)
    }
}
