import Plugboard
import PlugboardEventLoop
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Plugins that are switched off after some faults in a row.
struct DisablingTests {
    private struct Broken: Error {}

    /// Breaks in each exchange whose request does not have the field `X-Well`.
    private func fragile(_ record: Record) -> ScriptedPlugin {
        let plugin = recorder("fragile", priority: 500, record)
        plugin.onRequest = { exchange in
            record.add("fragile request")
            if exchange.request["X-Well"] == nil { throw Broken() }
            return .next
        }
        return plugin
    }

    private func kernel(_ plugin: ScriptedPlugin, limit: Int = 3, with others: [ScriptedPlugin] = []) throws -> Kernel {
        try makeKernel([plugin] + others) { configuration in
            for index in configuration.plugins.indices where configuration.plugins[index].id == plugin.id {
                configuration.plugins[index].onFault = .disable
                configuration.plugins[index].faultLimit = limit
            }
        }
    }

    private let well = Request(.get, anywhere, fields: ["X-Well": "1"])

    @Test func `three faults in a row switch a plugin off, and every exchange goes on without it`() async throws {
        let record = Record()
        let kernel = try kernel(fragile(record))

        for _ in 0..<5 { #expect(try await kernel.send(Request(.get, anywhere)).status == 200) }

        #expect(record.lines.filter { $0 == "fragile request" }.count == 3)
    }

    @Test func `an exchange without a fault resets the count`() async throws {
        let record = Record()
        let kernel = try kernel(fragile(record), limit: 2)

        for request in [Request(.get, anywhere), well, Request(.get, anywhere), well] {
            _ = try await kernel.send(request)
        }

        #expect(record.lines.filter { $0 == "fragile request" }.count == 4)
    }

    @Test func `an exchange that did not reach the plugin reports nothing of it`() async throws {
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onRequest = { exchange in
            exchange.request["X-Responded"] == nil ? .next : .respond(ResponseHead(status: 204))
        }
        let kernel = try kernel(fragile(record), limit: 2, with: [outer])
        let responded = Request(.get, anywhere, fields: ["X-Responded": "1"])

        for request in [Request(.get, anywhere), responded, Request(.get, anywhere), Request(.get, anywhere)] {
            _ = try await kernel.send(request)
        }

        #expect(record.lines.filter { $0 == "fragile request" }.count == 2)
    }

    @Test func `each fault and the end of the plugin's service are events of the exchange`() async throws {
        let events = Record()
        let kernel = try kernel(fragile(Record()), limit: 2)
        let watch: @Sendable (ObservedEvent) -> Void = { event in
            switch event.kernelEvent {
            case .pluginFaulted: events.add("\(event["plugin"] ?? "?") faulted in \(event["hook"] ?? "?")")
            case .pluginDisabled: events.add("\(event["plugin"] ?? "?") off after \(event.integer("faults") ?? 0)")
            default: break
            }
        }

        for _ in 0..<3 { _ = try await kernel.begin(Request(.get, anywhere), watch: watch).response }

        #expect(
            events.lines == [
                "fragile faulted in onRequest", "fragile faulted in onRequest", "fragile off after 2",
            ])
    }

    @Test func `a plugin that is switched off hears no events any more`() async throws {
        let heard = Record()
        let plugin = fragile(Record())
        plugin.events = ["completed"]
        plugin.onEvent = { _, _ in heard.add("completed") }
        let kernel = try kernel(plugin, limit: 1)

        for _ in 0..<3 { _ = try await kernel.send(Request(.get, anywhere)) }

        #expect(heard.lines == ["completed"])
    }

    @Test func `the kernel says of each plugin whether it was switched off, and why`() async throws {
        let kernel = try kernel(fragile(Record()), limit: 2, with: [ScriptedPlugin("sound")])

        let before = kernel.plugins.map(\.disabled?.code)
        for _ in 0..<3 { _ = try await kernel.send(Request(.get, anywhere)) }
        let disabled = kernel.plugins.first { $0.id == "fragile" }?.disabled

        #expect(before == [nil, nil])
        #expect(disabled?.code == .pluginDisabled && disabled?.plugin == "fragile")
        #expect(disabled?.reason.contains("after 2 faults in a row") == true)
        #expect(kernel.plugins.first { $0.id == "sound" }?.disabled == nil)
    }

    @Test func `its commands are refused with an error that says why`() async throws {
        let plugin = fragile(Record())
        plugin.commands = [CommandDefinition("show", "Shows.")]
        plugin.onCommand = { _, _, reply in reply.json(1) }
        let kernel = try kernel(plugin, limit: 1)

        _ = try await kernel.command("fragile", "show")
        _ = try await kernel.send(Request(.get, anywhere))
        let error = await #expect(throws: PlugboardError.self) { try await kernel.command("fragile", "show") }

        #expect(error?.code == "plugin.disabled" && error?.plugin == "fragile")
        #expect(error?.reason.contains("switched off until the next start, after a fault.") == true)
    }

    @Test func `its timers no longer fire, and a hook of it that waits for one is ended`() async throws {
        let record = Record()
        let clock = ManualClock()
        let waiting = Gate()
        let other = Gate()
        let plugin = ScriptedPlugin("fragile")
        plugin.onRequest = { [unowned plugin] exchange in
            if exchange.request["X-Wait"] == nil { throw Broken() }
            guard exchange.visit == .first else {
                record.add("\(exchange.visit)")
                return .next
            }
            plugin.host?.schedule(after: .seconds(1)) { record.add("fired") }
            let ticket = exchange.ticket()
            waiting.admit()
            return .wait(ticket)
        }
        let sound = ScriptedPlugin("sound")
        sound.onStart = { [unowned sound] in sound.host?.schedule(after: .seconds(2)) { other.admit() } }
        let kernel = try makeKernel([plugin, sound], clock: clock) { configuration in
            configuration.plugins[0].onFault = .disable
            configuration.plugins[0].faultLimit = 1
        }

        async let waiter = kernel.send(Request(.get, anywhere, fields: ["X-Wait": "1"]))
        try await waiting.opened()
        _ = try await kernel.send(Request(.get, anywhere))
        let status = try await waiter.status
        clock.advance(by: .seconds(3))
        try await other.opened()

        #expect(status == 200)
        #expect(record.lines == ["deadline"])
    }

    @Test func `a response that it reads it reads to the end`() async throws {
        let plugin = fragile(Record())
        let kernel = try kernel(plugin, limit: 1)
        let host = try #require(plugin.host)

        let response = try await host.send(Request(.get, "http://tokens.test/"), for: nil, isDetached: true)
        _ = try await kernel.send(Request(.get, anywhere))
        let bytes = try await response.collect(upTo: .kibibytes(1))
        await kernel.shutDown(within: .seconds(600))

        #expect(kernel.plugins.first?.disabled != nil)
        #expect(bytes.text == "ok")
    }

    @Test func `its sub-requests without a response are cancelled, those of others are not`() async throws {
        let transport = MockTransport { request, _ in
            request.url == anywhere ? .respond(200) : .silence
        }
        let plugin = fragile(Record())
        let sound = ScriptedPlugin("sound")
        var configuration = Configuration(plugins: [PluginEntry("fragile", onFault: .disable), "sound"])
        configuration.plugins[0].faultLimit = 1
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor, sound.descriptor]),
            transport: transport, log: .silent)
        let (host, other) = (try #require(plugin.host), try #require(sound.host))

        let failed = Gate()
        let otherEnded = Record()
        host.send(Request(.get, "http://tokens.test/"), for: nil, isDetached: true) { result in
            if case .failure(let error) = result, error.code == .pluginDisabled { failed.admit() }
        }
        other.send(Request(.get, "http://others.test/"), for: nil, isDetached: true) { _ in otherEnded.add("ended") }
        try await transport.began.opened(for: 2)
        _ = try await kernel.send(Request(.get, anywhere))
        try await failed.opened()
        let endedBefore = otherEnded.lines
        await kernel.shutDown(within: .zero)

        #expect(endedBefore.isEmpty && otherEnded.lines == ["ended"])
    }

    @Test func `the program hears of it from the kernel, whatever exchange it came of`() async throws {
        let heard = Record()
        let plugin = fragile(Record())
        var configuration = Configuration(plugins: [PluginEntry("fragile", onFault: .disable)])
        configuration.plugins[0].faultLimit = 2
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor]), transport: MockTransport(),
            log: .silent
        ) { heard.add("\($0["plugin"] ?? "?") \($0.id)") }

        for _ in 0..<3 { _ = try await kernel.send(Request(.get, anywhere)) }

        #expect(heard.lines == ["fragile pluginFaulted", "fragile pluginFaulted", "fragile pluginDisabled"])
    }

    @Test func `the program gets events that belong to no exchange`() async throws {
        let heard = Gate()
        let plugin = ScriptedPlugin("teller")
        plugin.onStart = { [unowned plugin] in plugin.host?.publish("teller.ready") }
        let kernel = try makeKernel([plugin], watch: { if $0.id == "teller.ready" { heard.admit() } })

        try await heard.opened()

        withExtendedLifetime(kernel) {}
    }
}
