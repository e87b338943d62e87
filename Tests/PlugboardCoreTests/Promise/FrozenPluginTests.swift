import CPlugboard
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

    @Test func `in C, settings, fields, states, resends, bodies and counters work`() async throws {
        let object = try FrozenPlugin.buildInC(in: folder)
        let transport = MockTransport { _, number in .respond(number <= 2 ? 503 : 200, Fields(), ["hel", "lo"]) }
        let kernel = try makeKernel(
            [], transport, beside: [PluginEntry(object, settings: ["value": "two", "limit": 2])])

        let response = try await kernel.send(Request(.get, anywhere))
        let text = try await response.body.text()
        await kernel.shutDown()

        #expect(response.status == 200 && text == "HELLO")
        #expect(transport.requests.map { $0.fields["x-frozen"] } == ["two", "two", "two"])
        #expect(kernel.counters["com.example.frozen.closed"] == 1)
    }

    @Test func `in C, an attribute fails the exchange and a command replies`() async throws {
        let object = try FrozenPlugin.buildInC(in: folder)
        let kernel = try makeKernel([], MockTransport(body: "hello"), beside: [PluginEntry(object)])
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
        let kernel = try makeKernel([], transport, beside: [PluginEntry(object, settings: ["value": "two"])])

        let response = try await kernel.send(Request(.get, anywhere))
        await kernel.shutDown()

        #expect(transport.requests.map { $0.fields["x-frozen-swift"] } == ["two"])
        #expect(response["x-turn-began-at"] != nil && response["x-turn-began-at"] != "99")
    }

    @Test func `both are described without being run, and work in one chain`() async throws {
        let c = try FrozenPlugin.buildInC(in: folder)
        let swift = try FrozenPlugin.buildInSwift(in: folder)
        let kernel = try makeKernel([], MockTransport(body: "hello"), beside: [PluginEntry(swift), PluginEntry(c)])

        let files = try [c, swift].map { try DynamicLoader.dynamic.inspect($0) }
        let response = try await kernel.send(Request(.get, anywhere))

        #expect(files.map(\.metadata?.id) == ["com.example.frozen", "com.example.frozen-swift"])
        #expect(files.map(\.metadata?.revision) == [1, 1])
        #expect(kernel.plugins.map(\.id) == ["com.example.frozen", "com.example.frozen-swift"])
        #expect(try await response.body.text() == "HELLO")
    }

    @Test func `both pass the checks of plugins strictly`() async throws {
        for object in [try FrozenPlugin.buildInC(in: folder), try FrozenPlugin.buildInSwift(in: folder)] {
            let outcome = try await ProcessRunner.running([
                Products.executable("plugboard"), "plugins", "check", object, "--strict", "--seed", "1",
            ])

            #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        }
    }

    @Test func `in C, an extension of its own is found by its id, and none by another id`() throws {
        let plugin = try DynamicLoader.dynamic.load(try FrozenPlugin.buildInC(in: folder), sha256: nil).raw

        let found = withText("com.example.frozen.doubling/1") { plugin.pointee.extension?(plugin, $0) ?? nil }
        let other = withText("com.example.frozen.doubling/2") { plugin.pointee.extension?(plugin, $0) ?? nil }

        let twice = try #require(found).load(as: (@convention(c) (Int64) -> Int64).self)
        #expect(twice(21) == 42 && other == nil)
    }

    @Test func `in C, it works without an extension of the kernel, and uses the one that a later kernel has`()
        async throws
    {
        let object = try FrozenPlugin.buildInC(in: folder)
        let later = try LaterKernel.descriptor(of: try DynamicLoader.dynamic.load(object, sha256: nil).raw)
        let kernels = [
            try makeKernel([], MockTransport(body: "hello"), beside: [PluginEntry(object)]),
            try Kernel(
                configuration: Configuration(plugins: ["com.example.frozen"]), catalog: Catalog([later]),
                transport: MockTransport(), log: .silent),
        ]

        var replies: [String] = []
        for kernel in kernels {
            if case .json(let text) = try await kernel.command("com.example.frozen", "later") { replies.append(text) }
        }

        #expect(replies == ["null", "2"])
    }
}

/// Gives a plugin the host of a kernel after revision 1, which has the extension "plugboard.later/1".
private enum LaterKernel {
    typealias Number = @convention(c) (UnsafePointer<plug_host_v1>?) -> Int64

    private struct Table: @unchecked Sendable { let address = UnsafeMutablePointer<Number>.allocate(capacity: 1) }

    /// Never freed, as a table in C.
    private static let table: Table = {
        let table = Table()
        table.address.initialize(to: { host in host.map { Int64($0.pointee.abi_revision) + 1 } ?? 0 })
        return table
    }()
    // Written once, before a kernel is made.
    nonisolated(unsafe) private static var plugin: UnsafePointer<plug_plugin_v1>?

    static func descriptor(of plugin: UnsafePointer<plug_plugin_v1>) throws -> UnsafePointer<plug_plugin_v1> {
        self.plugin = plugin
        let descriptor = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 1)
        descriptor.initialize(to: plugin.pointee)
        descriptor.pointee.create = { host, settings in
            guard let host else { return nil }
            let own = UnsafeMutablePointer<plug_host_v1>.allocate(capacity: 1)
            own.initialize(to: host.pointee)
            own.pointee.extension = { _, id in
                id.string == "plugboard.later/1" ? UnsafeRawPointer(LaterKernel.table.address) : nil
            }
            return LaterKernel.plugin?.pointee.create(own, settings)
        }
        return UnsafePointer(descriptor)
    }
}
