import Plugboard
import PluginLoader
import TestSupport
import Testing

/// C and Swift, loaded and linked, in one chain over real HTTP.
@Suite struct `A chain of loaded and linked plugins` {
    @Test func `visits requests by priority, responses in reverse, in any mix of languages`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("x-seen", request.values("x-order").joined(separator: " "))], body: "hello")
        }
        defer { server.stop() }
        let linked = ScriptedPlugin("linked", priority: 500)
        linked.onRequest = { exchange in
            exchange.request.append("x-order", "linked")
            return .next
        }
        linked.onResponse = { exchange in
            exchange.response?.append("x-order-back", "linked")
            return .next
        }
        let outer = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "outer"], options: ["-DPRIORITY=100"])
        let inner = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "inner"], options: ["-DPRIORITY=900"])
        let kernel = try Kernel(
            configuration: Configuration(
                plugins: [PluginEntry(inner), PluginEntry("linked"), PluginEntry(outer)]),
            catalog: Catalog([linked.descriptor]), loader: .dynamic, log: .silent)

        let response = try await kernel.send(Request(.get, server.url("/")))
        let text = try await response.body.text()
        await kernel.shutDown()

        #expect(text == "hello")
        #expect(response["x-seen"] == "outer linked inner")
        #expect(response.fields.values("x-order-back") == ["inner", "linked", "outer"])
        #expect(kernel.plugins.map(\.id) == ["outer", "linked", "inner"])
    }

    @Test func `a plugin in C++ takes part like any other`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("cplusplus", transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields["x-language"] == "from C++")
    }

    @Test func `many exchanges at once go through it without mixing`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: "\(request.path)") }
        defer { server.stop() }
        let tagger = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "tagger"], options: ["-DPRIORITY=100"])
        let kernel = try makeKernel([], nil, beside: [PluginEntry(tagger)])

        let texts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<100 {
                group.addTask {
                    (number, try await kernel.send(Request(.get, server.url("/\(number)"))).body.text())
                }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        await kernel.shutDown()

        #expect(texts.count == 100)
        #expect(texts.allSatisfy { $0.value == "/\($0.key)" })
    }
}
