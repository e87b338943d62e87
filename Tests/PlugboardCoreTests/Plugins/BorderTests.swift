import CPlugboard
import Foundation
import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardTransport
import PluginLoader
import Synchronization
import TestSupport
import Testing

/// What plugins hand in is checked where it comes in, as a plugin in C finds: `Fixtures/Plugins/border.c`.
@Suite struct `The border` {
    private let id = "com.example.border"

    private func request(_ what: String) -> Request { Request(.get, anywhere, fields: ["x-do": what]) }

    private func ask(_ kernel: Kernel, _ command: String) async throws -> JSONValue {
        guard case .json(let text) = try await kernel.command(id, command) else { return .null }
        return try JSONParser.parse(text)
    }

    private func waitForReleases(_ count: Int, _ kernel: Kernel) async throws {
        while try await ask(kernel, "released").intValue != Int64(count) { await Task.yield() }
    }

    @Test(arguments: [
        ("respond-value", "the field x-a has a line break or NUL in its value"),
        ("respond-name", "a field has a name that is not a token"),
        ("respond-hollow", "a field has NULL for the bytes of its name or value"),
        ("respond-count", "3 fields are counted, and the pointer to them is NULL"),
    ])
    func `a response with fields that cannot be sent is a fault`(what: String, says: String) async throws {
        let kernel = try FixturePlugin.kernel("border")

        let error = try await failure(of: kernel, request(what))

        #expect(error.code == .pluginFault && error.reason.contains(says), "\(error)")
        #expect(!error.reason.contains("x-b"))
    }

    @Test func `a count beside NULL is a bad argument wherever it is handed in, and is taken over`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("border", transport)

        _ = try await kernel.send(request("hollow"))

        #expect(transport.requests.map { $0.fields["x-told"] } == ["3 3 3 3 3; 3 3 3 3 3; 1"])
        #expect(transport.requests.first?.fields["x-a"] == nil)
        // Two of them in `create`.
        #expect(try await ask(kernel, "released") == 3)
    }

    @Test func `no function of the host crashes on NULL`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("border", transport)

        _ = try await kernel.send(request("nothing"))

        let first = try #require(MemoryLayout<plug_host_v1>.offset(of: \.respond))
        let count = (MemoryLayout<plug_host_v1>.size - first) / MemoryLayout<UnsafeRawPointer>.size
        #expect(transport.requests.map { $0.fields["x-told"] } == ["\(count)"])
    }

    @Test func `names of events and counters are UTF-8 without control characters`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("border", transport)

        _ = try await kernel.send(request("name"))

        #expect(transport.requests.first?.fields["x-told"] == "3 3 3 0; 1 1 1 0")
        #expect(kernel.counters.keys.filter { $0.hasPrefix(id) } == ["\(id).grüße"])
    }

    @Test(arguments: [
        ("respond-short", "made a body of 7 bytes, and ended it 2 bytes early"),
        ("respond-long", "made a body of 3 bytes, and gave 2 bytes more"),
        ("respond-bytes", "passed NULL for 5 bytes of a body"),
        ("send-short", "made a body of 7 bytes, and ended it 2 bytes early"),
        ("send-long", "made a body of 3 bytes, and gave 2 bytes more"),
    ])
    func `a body that is not as long as its plugin says is the plugin's fault`(
        what: String, says: String
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        defer { server.stop() }
        let kernel = try FixturePlugin.kernel("border", nil)

        let error = await #expect(throws: PlugboardError.self) {
            _ = try await kernel.send(Request(.post, server.url("/"), fields: ["x-do": what])).body.text()
        }

        #expect(error?.code == .pluginFault && error?.plugin == id)
        #expect(error?.reason.contains("The plugin \(id) \(says)") == true)
    }

    @Test func `a body that is as long as its plugin says flows`() async throws {
        let kernel = try FixturePlugin.kernel("border")

        #expect(try await kernel.send(request("respond-right")).body.text() == "hello")
    }

    @Test func `a program's body with a wrong length is not the fault of a plugin that wraps it`() async throws {
        final class Short: BodySource {
            let pulls = Atomic(0)
            var length: Int? { 7 }
            func pull(_ pull: Pull) {
                let isFirst = pulls.wrappingAdd(1, ordering: .relaxed).oldValue == 0
                if isFirst { pull.give(Bytes("hello")) } else { pull.end() }
            }
        }
        let plugin = ScriptedPlugin("wrapper")
        plugin.onRequest = { exchange in
            exchange.wrapRequestBody { $0 }
            return .next
        }
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        defer { server.stop() }
        let kernel = try makeKernel([plugin], nil)

        let error = try await failure(of: kernel, Request(.post, server.url("/"), body: Body(Short())))

        #expect(error.code == .bodyRead, "\(error)")
        #expect(error.reason.contains("announced 7 bytes, and its source ended it 2 bytes early"), "\(error)")
    }

    @Test func `a body that is handed in a second time is refused, and the first place has it`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        defer { server.stop() }
        let kernel = try FixturePlugin.kernel("border", nil)

        _ = try await kernel.send(Request(.post, server.url("/"), fields: ["x-do": "twice"]))

        #expect(server.requests.map { $0["x-told"] } == ["0 3 3"])
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["hello"])
    }

    @Test func `a response with a body that was handed in before is a fault`() async throws {
        let error = try await failure(of: FixturePlugin.kernel("border"), request("respond-twice"))

        #expect(error.code == .pluginFault && error.reason.contains("its body was handed in before"), "\(error)")
    }

    @Test func `trailers that cannot be sent break the body, and none of them is sent`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        defer { server.stop() }
        let kernel = try FixturePlugin.kernel("border", nil)

        let error = try await failure(
            of: kernel, Request(.post, server.url("/first"), fields: ["x-do": "upload"]))

        #expect(error.code == .pluginFault && error.reason.contains("the field x-sum has a line break"), "\(error)")
        #expect(kernel.counters["\(id).end"] == 3)
        #expect(server.requests.allSatisfy { $0.path != "/second" && $0.trailers.isEmpty })
    }

    @Test func `before start the host refuses what needs other plugins, and releases what was handed in`()
        async throws
    {
        let kernel = try FixturePlugin.kernel("border")

        #expect(try await ask(kernel, "early") == [2, 2, 1, 1, 1])
        #expect(try await ask(kernel, "released") == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a sub-request that is refused has taken its body over`() async throws {
        let kernel = try FixturePlugin.kernel("border")

        #expect(try await ask(kernel, "deaf") == 3)
        try await waitForReleases(3, kernel)
    }

    @Test(.timeLimit(.minutes(1)))
    func `after the loop's end, what is handed in is released, and so is what the plugin kept`() async throws {
        final class Silent: BodySource {
            let released = Gate()
            var length: Int? { nil }
            func pull(_ pull: Pull) {}
            func release() { released.admit() }
        }
        let folder = try TemporaryFolder()
        let report = folder.file("report")
        let source = Silent()
        let kernel = try FixturePlugin.kernel(
            "border", MockTransport { _, _ in .source(200, Fields(), source) }, settings: ["report": .string(report)])
        _ = try await kernel.send(request("keep")).body.text()
        let early = source.released.admitted
        await kernel.shutDown()

        // PLUG_STALE, one release of each body, and one break of the open pull.
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "1 1 1 1")
        #expect(early == 0 && source.released.admitted == 1)
    }

    @Test func `a sub-request that is cancelled completes once, with the error cancelled`() async throws {
        let transport = MockTransport { request, _ in request.url == anywhere ? .respond(200) : .silence }
        let kernel = try FixturePlugin.kernel("border", transport)

        _ = try await kernel.send(request("cancel"))

        #expect(transport.requests.last?.fields["x-told"] == "0 1 cancelled")
    }

    @Test(arguments: [3, 200, 600])
    func `texts of the host stay until the hook returns, however many and long they are`(length: Int) async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("border", transport)
        let url = anywhere + String(repeating: "a", count: length)

        // Twice, because the second exchange gets the memory that the first one had.
        for _ in 0..<2 { _ = try await kernel.send(Request(.get, url, fields: ["x-do": "hoard"])) }

        #expect(transport.requests.map { $0.fields["x-same"] } == ["101 of 101", "101 of 101"])
        #expect(transport.requests.map { $0.fields["x-first"] } == [url, url])
    }

    @Test func `attributes are listed by name, the origin's too`() async throws {
        let transport = MockTransport()
        var configuration = Configuration(plugins: ["redirect", PluginEntry(try FixturePlugin.build("border"))])
        configuration.origins = ["http://origin.test": ["redirect.limit": "3", "redirect.follow": "true"]]
        let kernel = try Kernel(
            configuration: configuration, loader: .dynamic, transport: transport, log: .silent)
        var request = request("list")
        request.attributes = ["redirect.limit": "2", "com.example.border.enabled": "true"]

        _ = try await kernel.send(request)

        #expect(
            transport.requests.last?.fields["x-attributes"]
                == "com.example.border.enabled=true;redirect.follow=true;redirect.limit=2;")
    }

    @Test func `code that throws while it holds a body is reported as that`() async throws {
        let error = try await failure(of: FixturePlugin.kernel("border"), request("break"))

        #expect(error.reason.contains("it panicked: with a body in its hands"), "\(error)")
    }

    @Test func `a body that broken code has released flows on if the plugin is skipped`() async throws {
        let kernel = try FixturePlugin.kernel("border", MockTransport(body: "whole"), onFault: .skip)

        let text = try await kernel.send(request("break")).body.text()

        #expect(text == "whole")
    }

    @Test(arguments: ["request", "response"])
    func `a body that is wrapped in a hook that cannot wrap it is a fault`(whose: String) async throws {
        let plugin = ScriptedPlugin("wrapper")
        plugin.onRequest = { exchange in
            if whose == "response" { exchange.wrapResponseBody { $0 } }
            return .next
        }
        plugin.onResponse = { exchange in
            if whose == "request" { exchange.wrapRequestBody { $0 } }
            return .next
        }
        let kernel = try makeKernel([plugin])

        let error = try await failure(of: kernel, Request(.post, anywhere, body: .text("x")))

        #expect(error.code == .pluginFault)
        #expect(error.reason.contains("it wrapped the \(whose)'s body outside on"), "\(error)")
    }

    @Test func `a body that broken code has wrapped flows on if the plugin is skipped`() async throws {
        let plugin = ScriptedPlugin("wrapper")
        plugin.onResponse = { exchange in
            exchange.wrapResponseBody { $0 }
            throw PlugboardError("test", "It broke.")
        }
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .respond(200, [:], ["one ", "two"]) }) {
            $0.plugins[0].onFault = .skip
        }

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(text == "one two")
    }
}
