import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardTransport
import PluginLoader
import TestSupport
import Testing

/// Plugins that were built from the frozen header load and run in today's kernel.
@Suite struct `Plugins built from the frozen header` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("frozen") }

    private func kernel(
        _ entries: [PluginEntry], _ transport: any Transport = MockTransport(body: "hello")
    ) throws -> Kernel {
        try Kernel(
            configuration: Configuration(plugins: entries), loader: .dynamic, transport: transport, log: .silent)
    }

    @Test func `in C, settings, fields, states, resends, bodies and counters work`() async throws {
        let object = try FrozenPlugin.buildInC(in: folder)
        let transport = MockTransport { _, number in .respond(number <= 2 ? 503 : 200, Fields(), ["hel", "lo"]) }
        let kernel = try kernel([PluginEntry(object, settings: ["value": "two", "limit": 2])], transport)

        let response = try await kernel.send(Request(.get, anywhere))
        let text = try await response.body.text()
        await kernel.shutDown()

        #expect(response.status == 200 && text == "HELLO")
        #expect(transport.requests.map { $0.fields["x-frozen"] } == ["two", "two", "two"])
        #expect(kernel.counters["com.example.frozen.closed"] == 1)
    }

    @Test func `in C, an attribute fails the exchange and a command replies`() async throws {
        let object = try FrozenPlugin.buildInC(in: folder)
        let kernel = try kernel([PluginEntry(object)])
        var request = Request(.get, anywhere)
        request.attributes["com.example.frozen.refuse"] = "true"

        let error = try await failure(of: kernel, request)
        let reply = try await kernel.command("com.example.frozen", "echo", #"{"a":1}"#)

        #expect(error.code.name == "frozen.refused" && error.plugin == "com.example.frozen")
        guard case .json(#"{"a":1}"#) = reply else {
            Issue.record("the reply is \(reply)")
            return
        }
    }

    @Test func `in Swift, its structs and the kernel's share a process`() async throws {
        let object = try FrozenPlugin.buildInSwift(in: folder)
        let transport = MockTransport(body: "hello")
        let kernel = try kernel([PluginEntry(object, settings: ["value": "two"])], transport)

        let response = try await kernel.send(Request(.get, anywhere))
        await kernel.shutDown()

        #expect(transport.requests.map { $0.fields["x-frozen-swift"] } == ["two"])
        #expect(response["x-turn-began-at"] != nil && response["x-turn-began-at"] != "99")
    }

    @Test func `both are described without being run, and work in one chain`() async throws {
        let c = try FrozenPlugin.buildInC(in: folder)
        let swift = try FrozenPlugin.buildInSwift(in: folder)
        let kernel = try kernel([PluginEntry(swift), PluginEntry(c)])

        let files = try [c, swift].map { try DynamicLoader.dynamic.inspect($0) }
        let response = try await kernel.send(Request(.get, anywhere))

        #expect(files.map(\.metadata?.id) == ["com.example.frozen", "com.example.frozen-swift"])
        #expect(files.map(\.metadata?.revision) == [1, 1])
        #expect(kernel.plugins.map(\.id) == ["com.example.frozen", "com.example.frozen-swift"])
        #expect(try await response.body.text() == "HELLO")
    }
}
