import Foundation
import Plugboard
import PlugboardEndpoints
import PlugboardTesting
import TestSupport
import Testing

/// Presets of configurations.
@Suite struct SessionKindTests {
    /// The files that a kernel of this kind leaves behind after a response that is cached and sets a cookie.
    private func files(_ kind: SessionKind) async throws -> [String] {
        let folder = try TemporaryFolder("session")
        var configuration = Configuration(plugins: ["cache", "cookies"])
        configuration.kernel.dataDirectory = folder.path
        let transport = ScriptedTransport { _, _ in
            .respond(
                200, ["Cache-Control": "max-age=600", "Set-Cookie": "a=b; Max-Age=600"], body: .text("stored"))
        }
        let kernel = try Kernel(configuration: configuration.session(kind), transport: transport)
        let client = Client(kernel: kernel, settings: ClientSettings(base: "https://a.test/"))
        for _ in 0..<2 { _ = try await client.send(Item("a")) }
        #expect(transport.requests.count == 1)
        await kernel.shutDown()
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".sqlite") }
    }

    @Test func `an ephemeral session works like another, and stores nothing in files`() async throws {
        #expect(try await files(.ephemeral) == [])
        #expect(try await files(.standard).count == 2)
    }

    @Test func `an ephemeral session ignores the file that its configuration names`() {
        let configuration = Configuration(plugins: [
            PluginEntry("cache", settings: ["path": "a.sqlite", "memory": "1MiB"]), PluginEntry("redirect"),
        ])

        let ephemeral = configuration.session(.ephemeral)

        #expect(ephemeral.plugins[0].settings["persistence"] == .string("memory"))
        #expect(ephemeral.plugins[0].settings["path"] == nil)
        #expect(ephemeral.plugins[0].settings["memory"] == .string("1MiB"))
        #expect(ephemeral.plugins[1].settings["persistence"] == nil)
        #expect(ephemeral.errors() == [])
    }

    @Test func `a session for long transfers has no limit of the whole time`() {
        var configuration = Configuration()
        configuration.kernel.defaults.timeout = .seconds(30)
        configuration.kernel.defaults.attemptTimeout = .seconds(10)

        let long = configuration.session(.longTransfers).kernel

        #expect(long.defaults.timeout == nil && long.defaults.attemptTimeout == nil)
        #expect(long.defaults.idleTimeout == .seconds(600) && long.bufferLimit == .mebibytes(4))
        #expect(configuration.session(.standard).kernel.defaults.timeout == .seconds(30))
    }
}
