import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

/// What `kernel.baseURL` and `kernel.headers` make of the program's requests.
struct RequestDefaultsTests {
    @Test(arguments: [
        ("topics", "https://origin.test/v1/topics"), ("/topics?a=%2f", "https://origin.test/topics?a=%2f"),
        ("../b", "https://origin.test/b"), ("?q=1", "https://origin.test/v1/?q=1"), ("", "https://origin.test/v1/"),
        ("//other.test/x", "https://other.test/x"), ("http://other.test/x", "http://other.test/x"),
    ])
    func `a relative URL begins at the base, and an absolute one stays`(url: String, sent: String) async throws {
        let transport = MockTransport()
        let kernel = try makeKernel([], transport) { $0.kernel.baseURL = "https://origin.test/v1/" }

        let response = try await kernel.send(Request(.get, url))

        #expect(transport.requests.map(\.url) == [sent])
        #expect(response.url == sent)
        await kernel.shutDown()
    }

    @Test func `plugins and the section of its origin see the whole URL`() async throws {
        var configuration = try Configuration.text(
            #"{ "kernel": { "baseURL": "https://origin.test/" }, "origins": { "https://origin.test": { "look": { "enabled": false } } } }"#
        )
        configuration.plugins = [
            .hooks("look", priority: 1, onRequest: { _ in .fail(PlugboardError("look", "Seen.")) })
        ]
        let kernel = try Kernel(configuration: configuration, transport: MockTransport(), log: .silent)

        #expect(try await kernel.send(Request(.get, "x")).status == 200)
        #expect(configuration.absent(from: Request(.get, "x"), of: kernel.plugins).map(\.id) == ["look"])
        await kernel.shutDown()
    }

    @Test func `without a base a relative URL is still an error`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }
        let kernel = try Kernel(log: .silent)

        let error = try await failure(of: kernel, Request(.get, "/x"))

        #expect(error.code.kind == "request")
        await kernel.shutDown()
    }

    @Test func `headers are added in time that grows with their number`() {
        expectLinearTime("headers", size: 2000) { count in
            var settings = KernelSettings()
            for number in 0..<count { settings.headers["X-\(number)"] = "value" }
            var request = Request(.get, "https://origin.test/")
            for number in 0..<count / 2 { request.fields.append(FieldName("x-\(number)"), "own") }
            return (RequestDefaults(settings), request)
        } read: { defaults, request in
            _ = defaults?.complete(request)
        }
    }

    @Test func `headers are added to requests that do not have them`() async throws {
        let transport = MockTransport()
        let kernel = try makeKernel([], transport) {
            $0.kernel.headers = ["User-Agent": "acme/2", "Accept": "text/plain"]
        }

        _ = try await kernel.send(Request(.get, anywhere, fields: ["accept": "*/*"]))

        let fields = try #require(transport.requests.first).fields
        #expect(fields.values(.accept) == ["*/*"])
        #expect(fields["user-agent"] == "acme/2")
        await kernel.shutDown()
    }

    @Test func `a secret header does not follow a redirect to another origin, and others do`() async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .respond(302, ["Location": "https://other.test/"]) : .respond(200)
        }
        let kernel = try makeKernel([], transport, beside: [.redirect]) {
            $0.kernel.headers = ["Authorization": "Bearer token", "User-Agent": "acme/2"]
        }

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.map { $0.fields["authorization"] } == ["Bearer token", nil])
        #expect(transport.requests.map { $0.fields["user-agent"] } == ["acme/2", "acme/2"])
        await kernel.shutDown()
    }

    @Test func `a plugin's sub-request does not have them`() async throws {
        let transport = MockTransport()
        let asks = ScriptedPlugin("asks", priority: 100)
        asks.onRequest = { [unowned asks] exchange in
            guard let host = asks.host, exchange.visit == .first else { return .next }
            let id = exchange.id
            return .wait {
                _ = try await host.send(Request(.get, anywhere + "token"), for: id)
                return { _ in .next }
            }
        }
        var configuration = Configuration(plugins: ["asks"])
        configuration.kernel.headers = ["X-Default": "1"]
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([asks.descriptor]), transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.map { $0.fields["x-default"] } == [nil, "1"])
        await kernel.shutDown()
    }

    @Test func `printed settings hold no secret header`() {
        var settings = KernelSettings()
        settings.headers = ["Authorization": "Bearer hidden-token", "User-Agent": "acme/2"]
        var text = ""
        dump(settings, to: &text)

        #expect(text.contains("acme/2"))
        #expect(!text.contains("hidden-token"))
        #expect(!"\(settings)".contains("hidden-token"))
    }

    @Test(arguments: [
        (#"{ "baseURL": "/v1" }"#, "kernel.baseURL"), (#"{ "baseURL": "ftp://a.test/" }"#, "kernel.baseURL"),
        (#"{ "baseURL": "https://me:pw@a.test/" }"#, "kernel.baseURL"), (#"{ "baseURL": 1 }"#, "kernel.baseURL"),
        (#"{ "headers": { "Host": "a" } }"#, "kernel.headers"), (#"{ "headers": { "a b": "c" } }"#, "kernel.headers"),
        (#"{ "headers": { "content-length": "1" } }"#, "kernel.headers"),
        (#"{ "headers": { "A": "b\nc" } }"#, "kernel.headers.A"), (#"{ "headers": { "A": 1 } }"#, "kernel.headers.A"),
        (#"{ "headers": { "A": "1", "a": "2" } }"#, "kernel.headers.a"),
        (#"{ "unixSocket": "" }"#, "kernel.unixSocket"),
    ])
    func `what cannot be sent is an error of the configuration`(kernel: String, path: String) {
        let check = Configuration.check("{ \"kernel\": \(kernel) }".utf8)

        let errors = check.readable?.errors(catalog: Catalog()) ?? []

        #expect(errors.map(\.path) == [path])
        #expect(!errors.contains { $0.reason.contains("pw") })
    }

    @Test func `what is set in code is checked as a text is`() {
        var configuration = Configuration()
        configuration.kernel.baseURL = "relative"
        configuration.kernel.headers = ["Host": "a", "X": "b\r\nc", "Y": "1", "y": "2"]
        configuration.kernel.unixSocket = String(repeating: "s", count: 108)

        let paths = configuration.errors(catalog: Catalog()).map(\.path)

        #expect(
            Set(paths) == [
                "kernel.baseURL", "kernel.headers.Host", "kernel.headers.X", "kernel.headers.y", "kernel.unixSocket",
            ])
    }
}
