import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Services that plugins provide for one another.
struct PluginServicesTests {
    private let tokens = "com.acme.tokens/1"
    private let record = Record()

    /// Never freed, as a table in C.
    private static let table = Table()

    private struct Table: @unchecked Sendable {
        let address = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() { address.initialize(to: 42) }
    }

    private func plugin(
        _ id: String, _ priority: Int, provides: [String] = [], needs: [String] = []
    ) -> ScriptedPlugin {
        let plugin = ScriptedPlugin(id, priority: priority)
        (plugin.provides, plugin.needs) = (provides, needs)
        plugin.onCreate = { [record] _ in record.add("create \(id)") }
        plugin.onStart = { [record, unowned plugin, needs] in
            let found = needs.compactMap { need in
                let name = need.hasSuffix("?") ? String(need.dropLast()) : need
                return plugin.host?.service(name, as: Int.self)?.pointee
            }
            record.add("start \(id) \(found)")
        }
        plugin.onStop = { [record] in record.add("stop \(id)") }
        plugin.onService = { [record] service in
            record.add("\(id) gives \(service)")
            return UnsafeRawPointer(PluginServicesTests.table.address)
        }
        return plugin
    }

    @Test func `the plugin that provides a service is started before those that need it, and stopped after them`()
        async throws
    {
        let kernel = try makeKernel([
            plugin("signer", 100, needs: [tokens]), plugin("idle", 200), plugin("tokens", 500, provides: [tokens]),
        ])

        await kernel.shutDown()

        #expect(kernel.plugins.map(\.id) == ["signer", "idle", "tokens"])
        #expect(
            record.lines.prefix(7) == [
                "create idle", "create tokens", "create signer", "start idle []", "start tokens []",
                "tokens gives com.acme.tokens/1", "start signer [42]",
            ])
        #expect(record.lines.suffix(3) == ["stop signer", "stop tokens", "stop idle"])
    }

    @Test func `a service that is needed and not there is an error that names who provides it`() {
        let signer = plugin("signer", 100, needs: [tokens])

        let unknown = #expect(throws: PlugboardError.self) { try makeKernel([signer]) }
        let known = #expect(throws: PlugboardError.self) {
            // Linked, and not enabled.
            try makeKernel([signer, plugin("tokens", 500, provides: [tokens])]) { $0.plugins.removeLast() }
        }

        #expect(unknown?.code == .pluginStart)
        #expect(
            unknown?.reason.contains("needs com.acme.tokens/1, which neither an enabled plugin nor this kernel has")
                == true)
        #expect(known?.reason.contains("Enable tokens, which provides it") == true)
        #expect(record.lines == [])
    }

    @Test func `a service that is optional may be missing, and only those are found that are listed`() throws {
        let user = plugin("user", 100, needs: ["\(tokens)?"])
        let kernel = try makeKernel([user, plugin("clock", 500, provides: ["com.acme.clock/1"])])

        #expect(record.lines.contains("start user []"))
        #expect(user.host?.service("com.acme.clock/1", as: Int.self) == nil)
        withExtendedLifetime(kernel) {}
    }

    @Test func `an optional service is found where it is there`() throws {
        let kernel = try makeKernel([plugin("user", 100, needs: ["\(tokens)?"]), plugin("t", 500, provides: [tokens])])

        #expect(record.lines.contains("start user [42]"))
        withExtendedLifetime(kernel) {}
    }

    @Test func `two plugins that provide one service, and a circle of needs, are errors`() {
        let twice = #expect(throws: PlugboardError.self) {
            try makeKernel([plugin("a", 100, provides: [tokens]), plugin("b", 200, provides: [tokens])])
        }
        let circle = #expect(throws: PlugboardError.self) {
            try makeKernel([
                plugin("a", 100, provides: ["a/1"], needs: ["c/1"]),
                plugin("b", 200, provides: ["b/1"], needs: ["a/1"]),
                plugin("c", 300, provides: ["c/1"], needs: ["b/1"]),
            ])
        }

        #expect(twice?.reason.contains("provides the service com.acme.tokens/1, which a provides already") == true)
        #expect(circle?.code == .pluginOrder && circle?.reason.contains("a → c → b → a") == true)
        #expect(!record.lines.contains { $0.hasPrefix("start") })
    }

    @Test func `a plugin cannot need the service that it provides itself`() {
        let error = #expect(throws: PlugboardError.self) {
            try makeKernel([plugin("a", 100, provides: [tokens], needs: [tokens])])
        }

        #expect(error?.reason.contains("needs com.acme.tokens/1, which") == true)
    }

    @Test func `a plugin that does not give the service that it lists ends the start`() {
        let broken = plugin("tokens", 500, provides: [tokens])
        broken.onService = { _ in nil }

        let error = #expect(throws: PlugboardError.self) { try makeKernel([plugin("idle", 100), broken]) }

        #expect(error?.code == .pluginStart && error?.plugin == "tokens")
        #expect(error?.reason.contains("its service function returned NULL") == true)
        #expect(record.lines.last == "stop idle" && record.lines.contains("stop tokens"))
    }
}
