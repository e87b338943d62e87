import Plugboard
import PlugboardEventLoop
import PlugboardKit
import TestSupport
import Testing

/// What a plugin in Swift does from its `start` to its `stop`.
@Suite struct `A plugin's life` {
    @Test(.timeLimit(.minutes(1)))
    func `its tasks are cancelled and have ended before stop is called, which may be async`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.onStart = { [unowned plugin] in
            plugin.host?.startTask {
                record.add("begun")
                while !Task.isCancelled { await Task.yield() }
                record.add("cancelled")
            }
            plugin.host?.startTask {}
        }
        plugin.onStop = {
            await Task.yield()
            await Task { record.add("stopping") }.value
            record.add("stopped")
        }
        let kernel = try makeKernel([plugin])

        while record.lines.isEmpty { await Task.yield() }
        await kernel.shutDown()
        plugin.host?.startTask { record.add("late") }

        #expect(record.lines == ["begun", "cancelled", "stopping", "stopped"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `stop is not waited for longer than it may take`() async throws {
        let never = Gate()
        let plugin = ScriptedPlugin("box")
        plugin.onStop = { try? await never.opened() }
        let kernel = try makeKernel([plugin])

        await kernel.shutDown(within: .zero)
        never.open()
    }

    @Test func `a task of one that cannot start is cancelled`() async throws {
        let ended = Gate()
        let plugin = ScriptedPlugin("box")
        plugin.onStart = { [unowned plugin] in
            plugin.host?.startTask {
                while !Task.isCancelled { await Task.yield() }
                ended.open()
            }
            throw PlugboardError("box.shut", "The box is shut.")
        }

        #expect(throws: PlugboardError.self) { try makeKernel([plugin]) }

        try await ended.opened()
    }

    @Test func `in init there are no timers, sub-requests and events yet`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.onCreate = { host in
            let timer = host.schedule(after: .zero) { record.add("fired") }
            record.add("\(timer.cancel()) \(host.publish("box.opened"))")
            host.send(Request(.get, anywhere), for: nil, isDetached: true) { result in
                if case .failure(let error) = result { record.add(error.code.name) }
            }
        }
        let transport = MockTransport()

        let kernel = try makeKernel([plugin], transport)
        await kernel.shutDown()

        #expect(record.lines == ["false false", "plugin.fault"])
        #expect(transport.requests.isEmpty)
    }

    @Test func `a code of its own may be made of parts`() async throws {
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { exchange in
            let what = exchange.request["X-What"] ?? ""
            return .fail(PlugboardError("box.\(what)", "No."))
        }
        let kernel = try makeKernel([plugin])

        let error = try await failure(of: kernel, Request(.get, anywhere, fields: ["X-What": "shut"]))

        #expect(error.code == "box.shut")
    }

    @Test func `its attributes are listed`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.attributes = ["a", "b", "c"].map { AttributeKey<Int>("box", $0, "A number.", in: 0...9).definition }
        plugin.onRequest = { exchange in
            record.add("\(exchange.attributes.sorted { $0.key < $1.key })")
            exchange.setAttribute("box.c", "3")
            record.add("\(exchange.attributes.count)")
            return .next
        }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere, attributes: ["box.b": "2", "box.a": "1"]))

        #expect(record.lines == [#"[(key: "box.a", value: "1"), (key: "box.b", value: "2")]"#, "3"])
    }
}
