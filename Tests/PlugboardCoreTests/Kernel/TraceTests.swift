import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

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

    @Test func `each call is traced with its verdict and its changes`() async throws {
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

    @Test func `a step that is printed is one line, without values of queries`() async throws {
        let lines = try await steps([asker("asker", priority: 100)]).map { "\($0)" }

        #expect(lines.contains("exchange 1: asker sends POST http://tokens.test/?key=… for exchange 0"))
        #expect(lines.contains("exchange 0: asker.onRequest: next"))
        #expect(lines.contains("exchange 0: event completed"))
        #expect(lines.allSatisfy { !$0.contains("hidden") && !$0.contains("\n") })
    }

    private func steps(_ plugins: [ScriptedPlugin], _ transport: MockTransport = MockTransport()) async throws
        -> [TraceStep]
    {
        let steps = Mutex<[TraceStep]>([])
        let kernel = try makeKernel(plugins, transport)
        let handle = kernel.begin(Request(.get, anywhere), trace: { step in steps.withLock { $0.append(step) } })
        _ = try await handle.response.body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()
        return steps.withLock { $0 }
    }

    /// Waits for a sub-request of its own. The URL's query is a secret.
    private func asker(_ id: String, priority: Int, forNobody: Bool = false) -> ScriptedPlugin {
        let plugin = ScriptedPlugin(id, priority: priority)
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let number = exchange.id
            return .wait {
                _ = try await host.send(
                    Request(.post, "http://tokens.test/?key=hidden"), for: forNobody ? nil : number,
                    isDetached: forNobody)
                return { _ in .next }
            }
        }
        return plugin
    }

    private func asked(_ steps: [TraceStep]) -> [(exchange: Int, by: TracedSubRequest)] {
        steps.compactMap { step in
            if case .subRequest(let request) = step.kind { (step.exchange, request) } else { nil }
        }
    }

    @Test func `sub-requests are traced with the call that sent them, and their own calls and events`() async throws {
        let inner = ScriptedPlugin("inner", priority: 900)
        inner.onRequest = { _ in .next }

        let steps = try await steps([asker("asker", priority: 500), inner])

        let asked = asked(steps)
        let calls = steps.compactMap { step in
            step.call.map { "\(step.exchange) \($0.number) \($0.plugin) \($0.verdict)" }
        }
        #expect(asked.map(\.exchange) == [1])
        let first = try #require(asked.first?.by)
        #expect(first.parent == 0 && first.plugin == "asker" && first.call == 1 && !first.isDetached)
        #expect(first.method == .post && first.url.hasPrefix("http://tokens.test/"))
        #expect(!first.url.contains("hidden"))
        #expect(calls == ["0 1 asker wait", "1 2 inner next", "0 3 asker next", "0 4 inner next"])
        for exchange in 0...1 {
            let events = steps.compactMap { step in
                if step.exchange == exchange, case .event(let event) = step.kind { event.id } else { nil }
            }
            #expect(events.first == "created" && events.last == "completed")
            #expect(events.contains("attemptBegan") && events.contains("attemptEnded"))
        }
        let own = steps.filter { $0.exchange == 1 }
        if case .subRequest? = own.first?.kind {} else { Issue.record("the first step is another") }
    }

    @Test func `sub-requests of sub-requests have them as their askers`() async throws {
        let steps = try await steps([asker("outer", priority: 1), asker("inner", priority: 2)])

        let asked = asked(steps).map { "\($0.exchange) for \($0.by.parent) by \($0.by.plugin)" }
        #expect(asked == ["1 for 0 by outer", "2 for 1 by inner", "3 for 0 by inner"])
    }

    @Test func `a sub-request for no exchange is in the trace of an exchange that waits for its plugin`() async throws {
        let steps = try await steps([asker("asker", priority: 500, forNobody: true)])

        let asked = asked(steps)
        #expect(asked.map(\.by.call) == [1] && asked.map(\.by.isDetached) == [true])
    }

    @Test func `after the last traced exchange has ended, no trace is looked for`() async throws {
        let kernel = try makeKernel([asker("asker", priority: 500)])
        let during = Mutex<Set<Int>>([])
        let core = kernel.core
        let handle = kernel.begin(
            Request(.get, anywhere),
            trace: { _ in during.withLock { _ = $0.insert(core.current?.underWay.tracedCount ?? 0) } })

        _ = try await handle.response.body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()
        let late = kernel.begin(Request(.get, anywhere), trace: { _ in })

        #expect(during.withLock { $0.contains(1) && $0.contains(2) })
        #expect(await (try? late.response) == nil)
        #expect(core.loops.allSatisfy { $0.underWay.tracedCount == 0 })
        #expect(core.loops.allSatisfy { $0.tracedCount.load(ordering: .relaxed) == 0 })
    }

    @Test func `a plugin that only watches gets no events of sub-requests`() async throws {
        let events = Mutex<[String]>([])
        let kernel = try makeKernel([asker("asker", priority: 500)])

        let handle = kernel.begin(
            Request(.get, anywhere), watch: { event in events.withLock { $0.append(event.id) } }, trace: { _ in })
        _ = try await handle.response.body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()

        let heard = events.withLock { $0 }
        #expect(heard.count { $0 == "created" } == 1 && heard.count { $0 == "completed" } == 1)
    }

    @Test func `a fault is reported as a fault`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in throw Broken() }
        plugin.onResponse = { _ in .next }

        let calls = try await calls([plugin], onFault: .skip)

        #expect(calls.map(\.verdict) == ["fault", "next"])
    }
}
