import Plugboard
import Synchronization
import TestSupport
import Testing

/// What a program that traces an exchange hears of the calls of its hooks.
struct TraceTests {
    private struct Broken: Error {}

    private func calls(_ plugins: [ScriptedPlugin], onFault: PluginEntry.OnFault = .fail) async throws -> [HookCall] {
        let calls = Mutex<[HookCall]>([])
        let kernel = try makeKernel(plugins) { configuration in
            for index in configuration.plugins.indices { configuration.plugins[index].onFault = onFault }
        }
        let handle = kernel.begin(
            Request(.get, anywhere, fields: ["X-Old": "1"]),
            trace: { step in
                if let call = step.call { calls.withLock { $0.append(call) } }
            })
        _ = try await handle.response
        await kernel.shutDown()
        return calls.withLock { $0 }
    }

    @Test func `each call is told with its verdict and what it changed`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.request["X-New"] = "secret"
            exchange.request["X-Old"] = nil
            exchange.request.url = anywhere + "other"
            return .next
        }
        plugin.onResponse = { exchange in
            exchange.response?.status = 201
            return .next
        }
        plugin.onClose = { _, _ in }

        let calls = try await calls([plugin])

        #expect(calls.map(\.hook) == ["onRequest", "onResponse", "onClose"])
        #expect(calls.map(\.verdict) == ["next", "next", "ended"])
        #expect(calls.map(\.edits) == [["url", "X-New", "X-Old"], ["status"], []])
        #expect(calls.allSatisfy { $0.plugin == "a" && $0.took >= .zero })
    }

    @Test func `verdicts say what they carry`() async throws {
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { exchange in exchange.attempt < 2 ? .resend(after: .milliseconds(1)) : .next }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.onRequest = { exchange in
            exchange.visit == .first ? .hold(upTo: .kibibytes(1)) : .next
        }
        inner.onResponse = { _ in .respond(ResponseHead(status: 203)) }

        let calls = try await calls([outer, inner])

        #expect(
            calls.map { "\($0.plugin) \($0.visit) \($0.verdict)" } == [
                "inner first hold", "inner held next", "inner first respond 203", "outer first resend after 1ms",
                "inner first hold", "inner held next", "inner first respond 203", "outer first next",
            ])
    }

    @Test func `a fault is told as one`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in throw Broken() }
        plugin.onResponse = { _ in .next }

        let calls = try await calls([plugin], onFault: .skip)

        #expect(calls.map(\.verdict) == ["fault", "next"])
    }
}
