import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Instances that a program makes itself and gives its kernel.
struct ProgramInstanceTests {
    /// What no configuration can say.
    private final class KeyStore: Sendable {
        let key: String
        let record = Record()
        let released: Gate
        init(_ key: String, released: Gate = Gate()) { (self.key, self.released) = (key, released) }
        deinit { released.admit() }
    }

    private struct Sign: PluginInstance {
        static let manifest = Manifest(id: "com.acme.sign", version: "1.0.0", priority: 900, hooks: [.request, .close])

        let keys: KeyStore

        func start() { keys.record.add("start") }
        func stop(within: Duration) async { keys.record.add("stop") }
        func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
            exchange.request["x-signature"] = keys.key
            return .next
        }
        func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) { keys.record.add("close \(outcome)") }
    }

    private struct Field: PluginInstance {
        static let manifest = Manifest(id: "com.acme.field", version: "1.0.0", priority: 300, hooks: [.request])

        struct Settings: PluginSettings {
            @Setting("The field's name.", count: 1...40) var name = "x-field"
            @Setting("Times that its value is written.", in: 1...3) var times = 1
        }
        let value: String
        let settings: Settings
        let host: PluginHost

        init(_ value: String, _ settings: Settings, _ host: PluginHost) throws {
            guard settings.name != "host" else { throw PlugboardError(.configuration, "host is no name for it.") }
            (self.value, self.settings, self.host) = (value, settings, host)
        }

        func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
            host.counter("written").add()
            exchange.request[FieldName(settings.name)] = String(repeating: value, count: settings.times)
            return .next
        }
    }

    @Test func `an instance lives as a plugin does, and is released when its kernel has ended`() async throws {
        let transport = MockTransport()
        let released = Gate()
        var keys: KeyStore? = KeyStore("secret", released: released)
        let record = try #require(keys).record
        var kernel: Kernel? = try Kernel(
            plugins: [.linked(Sign(keys: try #require(keys)))], transport: transport, log: .silent)
        keys = nil

        _ = try await kernel?.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        await kernel?.shutDown()
        #expect(record.lines == ["start", "close ended", "stop"])
        kernel = nil

        #expect(transport.requests.first?.fields["x-signature"] == "secret")
        try await released.opened()
    }

    @Test func `an instance that is made by a closure has settings and the kernel's services`() async throws {
        let transport = MockTransport()
        let kernel = try Kernel(
            plugins: [
                .linked {
                    try Field("v", $0, $1)
                } assigning: {
                    $0.name = "x-given"
                    $0.times = 2
                }
            ], transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields["x-given"] == "vv")
        #expect(kernel.counters["com.acme.field.written"] == 1)
        #expect(kernel.plugins.first?.settings == ["name": "x-given", "times": "2"])
        await kernel.shutDown()
    }

    @Test func `settings of an instance are checked as those of files`() {
        let configuration = Configuration().adding([
            .linked {
                try Field("v", $0, $1)
            } assigning: {
                $0.times = 4
            }
        ])

        let errors = configuration.errors()

        #expect(errors.map(\.path) == ["program.plugins[0].settings.times"])
        #expect(errors.map(\.reason) == ["must lie between 1 and 3"])
    }

    @Test func `what an instance refuses of its settings refuses the start`() {
        let plugins: [PluginEntry] = [
            .linked {
                try Field("v", $0, $1)
            } assigning: {
                $0.name = "host"
            }
        ]

        let error = #expect(throws: PlugboardError.self) { try Kernel(plugins: plugins, log: .silent) }

        #expect(error?.code == .pluginStart)
        #expect(error?.reason.contains("host is no name for it") == true)
    }

    @Test func `two instances of one type are two plugins, by their manifests`() async throws {
        let transport = MockTransport()
        let second = Manifest(id: "com.acme.sign-2", version: "1.0.0", priority: 100, hooks: [.request])
        let kernel = try Kernel(
            plugins: [
                .linked(Sign(keys: KeyStore("inner"))), .linked(Sign(keys: KeyStore("outer")), manifest: second),
            ], transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(kernel.plugins.map(\.id) == ["com.acme.sign-2", "com.acme.sign"])
        #expect(transport.requests.first?.fields["x-signature"] == "inner")
        await kernel.shutDown()
    }

    @Test func `one entry serves two kernels`() async throws {
        let keys = KeyStore("secret")
        let plugins: [PluginEntry] = [.linked(Sign(keys: keys))]
        for _ in 0..<2 {
            let transport = MockTransport()
            let kernel = try Kernel(plugins: plugins, transport: transport, log: .silent)
            _ = try await kernel.send(Request(.get, anywhere))
            #expect(transport.requests.first?.fields["x-signature"] == "secret")
            await kernel.shutDown()
        }
        #expect(keys.record.lines.filter { $0 == "start" }.count == 2)
    }
}
