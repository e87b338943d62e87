import Plugboard
import PlugboardJSON
import PlugboardLogging
import TestSupport
import Testing

/// The formats and filters of the plugin.
struct LoggingFormatTests {
    private let log = Record()

    /// A login, whose request and response hold secrets.
    private var login: Request {
        Request(
            .post, "http://u:secret@a.test/login?key=secret",
            fields: Fields(["Content-Type": "application/json", "Authorization": "Bearer secret"]),
            body: .text(#"{"name": "Ada", "password": "secret"}"#))
    }

    private var granted: MockTransport {
        MockTransport { _, _ in
            .respond(
                200, Fields(["Content-Type": "application/json"]), [#"{"token": "secret", "#, #""lines": "a"}"#])
        }
    }

    @Test func `a beginning of bodies that is too long is refused`() throws {
        let error = #expect(throws: (any Error).self) {
            try Linkage.linked.logging(to: log, granted, settings: ["bodies": "1MiB"])
        }
        #expect("\(String(describing: error))".contains("256KiB"))
    }

    @Test(arguments: Linkage.allCases)
    func `full shows the beginning of bodies as they are read, without secrets`(linkage: Linkage) async throws {
        let kernel = try linkage.logging(to: log, granted, settings: ["format": "full", "bodies": "1KiB"])

        let body = try await kernel.send(login).body.text()

        #expect(body == #"{"token": "secret", "lines": "a"}"#, "the program gets all of it")
        let text = log.lines.joined(separator: "\n")
        #expect(text.contains("response body, 33 B:\n    {\"token\": \"…\", \"lines\": \"a\"}"), "\(text)")
        #expect(!text.contains("secret"))
    }

    @Test(arguments: Linkage.allCases)
    func `json is an object for each exchange, with heads and bodies`(linkage: Linkage) async throws {
        let kernel = try linkage.logging(to: log, granted, settings: ["format": "json", "bodies": "1KiB"])
        var request = login
        request.logging.label = "sign-in"

        _ = try await kernel.send(request).body.text()

        let line = try #require(log.lines.first)
        let object = try JSONParser.parse(String(line.dropFirst("info ".count)))
        #expect(log.lines.count == 1 && !line.contains("secret"))
        #expect(object["method"] == "POST" && object["url"] == "http://a.test/login?key=…" && object["status"] == 200)
        #expect(object["label"] == "sign-in" && object["outcome"] == "ended" && object["attempts"] == 1)
        #expect(object["request"]?["fields"]?.arrayValue?.contains(["Authorization", "…"]) == true)
        #expect(object["response"]?["body"] == #"{"token": "…", "lines": "a"}"#)
        #expect(object["time"]?.stringValue?.hasSuffix("Z") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `curl is a command line of the request`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let kernel = try linkage.kernel(
            loggingPlugin(), settings: ["format": "curl", "bodies": "1KiB"],
            log: KernelLog(level: .info) { [log] _, source, text in if source == "logging" { log.add(text) } })
        let body = Request(.post, server.url("/a"), fields: Fields(["X": "it's"]), body: .text("name=Ada"))
        var streamed = body
        streamed.logging.isEnabled = true
        streamed.body = .text(String(repeating: "a", count: 2000))

        _ = try await kernel.send(body).body.text()
        _ = try await kernel.send(streamed).body.text()

        #expect(
            log.lines.first
                == #"curl -H 'X: it'\''s' -H Content-Type: --data-raw name=Ada -g --url \#(server.url("/a"))"#)
        #expect(log.lines.last?.hasSuffix("  # its body is not shown") == true, "it is longer than wanted")
    }

    @Test(
        arguments: [
            (["methods": ["POST"]], ["/post"]), (["hosts": ["*.b.test"]], ["/b"]), (["statuses": ["5xx"]], ["/500"]),
            (["statuses": ["200", "400-404"]], ["/post", "/b", "/404"]), (["failures": true], ["/fail"]),
            (["slowerThan": "1h"], []),
        ] as [(JSONObject, [String])])
    func `a filter chooses what is logged`(settings: JSONObject, expected: [String]) async throws {
        let transport = MockTransport { attempt, _ in
            switch attempt.url.split(separator: "/").last {
            case "fail": .failure(PlugboardError(.transportDNS, "There is none."))
            case "500": .respond(500)
            case "404": .respond(404)
            default: .respond(200)
            }
        }
        let kernel = try Linkage.linked.logging(to: log, transport, settings: settings)

        for (method, url) in [
            (Method.post, "http://a.test/post"), (.get, "http://x.b.test/b"), (.get, "http://a.test/500"),
            (.get, "http://a.test/404"), (.get, "http://a.test/fail"),
        ] {
            _ = try? await kernel.send(Request(method, url)).body.text()
        }

        #expect(
            log.lines.map { line in ["/post", "/b", "/500", "/404", "/fail"].first { line.contains($0 + " ") } }
                == expected)
    }

    @Test func `a filter of the end holds heads back until then`() async throws {
        let transport = MockTransport { _, number in .respond(number == 1 ? 200 : 500) }
        let kernel = try Linkage.linked.logging(to: log, transport, settings: ["format": "full", "statuses": ["5xx"]])

        for path in ["first", "second"] {
            _ = try await kernel.send(Request(.get, "http://a.test/\(path)")).body.text()
        }

        #expect(log.lines.count == 3 && !log.lines.joined().contains("first"))
        #expect(log.lines.first?.contains("GET http://a.test/second") == true)
    }

    @Test func `a status that is none is refused`() throws {
        let error = #expect(throws: PlugboardError.self) {
            try Linkage.linked.logging(to: log, settings: ["statuses": ["6x"]])
        }

        #expect(error?.reason.contains("404, 5xx or 400-499") == true)
    }

    @Test func `an origin has a level of its own`() async throws {
        let configuration = try Configuration.text(
            #"{"plugins": ["logging"], "origins": {"http://a.test": {"logging": {"level": "debug"}}}}"#)
        let kernel = try Kernel(
            configuration: configuration, transport: MockTransport(),
            log: KernelLog(level: .debug) { [log] level, source, text in
                if source == "logging" { log.add("\(level) \(text)") }
            })

        for host in ["a", "b"] { _ = try await kernel.send(Request(.get, "http://\(host).test/")).body.text() }

        #expect(log.lines.map { $0.prefix(6) } == ["debug ", "info G"])
    }
}
