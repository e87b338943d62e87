import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardKit

/// Shared objects in C that break the rules at run time, over a mock transport.
@Suite struct `Plugins that misbehave` {
    /// Writes down the details of one plugin's event.
    private func watcher(_ event: String, _ details: [String], _ record: Record, _ gate: Gate) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("watcher", priority: 0)
        plugin.events = [event]
        plugin.onEvent = { event, _ in
            record.add(details.map { "\($0) \(event[$0] ?? "?")" }.joined(separator: ", "))
            gate.admit()
        }
        return plugin
    }

    @Test(arguments: ["unknown_verdict", "naked_verdict"])
    func `an unknown verdict fails the exchange and names the plugin and the hook`(name: String) async throws {
        let kernel = try FixturePlugin.kernel(name)

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .pluginFault)
        #expect(error.plugin == "com.example.\(name.split(separator: "_").joined(separator: "-"))")
        #expect(error.reason.contains("onRequest"))
    }

    @Test func `a verdict that was refused is a fault, also after an earlier one that was not`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            _ = exchange.host.pointee.respond(exchange.raw, 200, nil, 0, nil)
            return .respond(ResponseHead(status: 999_999))
        }
        let kernel = try makeKernel([plugin])

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .pluginFault && error.reason.contains("its respond was refused: the status 999999"))
    }

    @Test func `a plugin at fault is skipped with onFault skip`() async throws {
        let kernel = try FixturePlugin.kernel("unknown_verdict", onFault: .skip)

        #expect(try await kernel.send(Request(.get, anywhere)).status == 200)
    }

    @Test func `a ticket that is woken twice, and again from a thread, counts once`() async throws {
        let record = Record()
        let told = Gate()
        let kernel = try FixturePlugin.kernel(
            "double_wake",
            beside: [watcher("com.example.double-wake.codes", ["first", "second", "later"], record, told)])

        let response = try await kernel.send(Request(.get, anywhere))
        try await told.opened()

        #expect(response.status == 200)
        #expect(record.lines == ["first 0, second 1, later 1"])
    }

    @Test func `a pull that is completed twice, from two threads, counts once`() async throws {
        let record = Record()
        let told = Gate()
        let kernel = try FixturePlugin.kernel(
            "double_completion", MockTransport(body: "whole"),
            beside: [watcher("com.example.double-completion.codes", ["loop", "thread"], record, told)])

        let text = try await kernel.send(Request(.get, anywhere)).body.text()
        try await told.opened(for: 2)

        #expect(text == "whole")
        // Which of the two is first, is theirs to say.
        #expect(record.lines.count == 2)
        #expect(record.lines.allSatisfy { ["loop 0, thread 1", "loop 1, thread 0"].contains($0) })
    }

    @Test func `a source that never completes a pull ends with the exchange's timeout, and is released`() async throws {
        let clock = ManualClock()
        let kernel = try FixturePlugin.kernel("never_completes", clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let response = try await kernel.send(request)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await response.body.text() }
        await kernel.shutDown()

        #expect(error?.code == .timeoutExchange)
        #expect(kernel.counters["com.example.never-completes.released"] == 1)
    }

    @Test func `a plugin that cannot be created or started says why`() throws {
        for name in ["create_fails", "start_fails"] {
            let error = #expect(throws: PlugboardError.self) { try FixturePlugin.kernel(name) }

            #expect(error?.code == .pluginStart)
            #expect(error?.plugin == "com.example.\(name.split(separator: "_").joined(separator: "-"))")
        }
    }

    @Test func `a plugin of another revision is refused`() throws {
        let error = #expect(throws: PlugboardError.self) { try FixturePlugin.kernel("old_revision") }

        #expect(error?.code == .loadingRevision)
    }

    @Test func `a wake from a thread lets the hook run again`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("slow_wake", transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields["x-visit"] == "1")
    }
}
