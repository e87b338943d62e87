import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Sub-requests` {
    private func fetching(
        _ url: String = "http://tokens.test/", from start: SubRequestStart = .insideSender
    ) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("asker", priority: 500)
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let id = exchange.id
            return .wait {
                let response = try await host.send(Request(.get, url), for: id, from: start)
                return { exchange in
                    exchange.request["X-Token-Status"] = "\(response.head.status)"
                    return .next
                }
            }
        }
        return plugin
    }

    @Test func `begin just inside the plugin that asks, which does not see them`() async throws {
        let record = Record()
        let transport = MockTransport()
        let kernel = try makeKernel(
            [recorder("out", priority: 1, record), fetching(), recorder("in", priority: 900, record)], transport)

        let status = try await kernel.send(Request(.get, anywhere)).status

        #expect(status == 200)
        #expect(transport.requests.map(\.url) == ["http://tokens.test/", anywhere])
        #expect(transport.requests.last?.fields["X-Token-Status"] == "200")
        #expect(record.lines.filter { $0 == "out request" }.count == 1)
        #expect(record.lines.filter { $0.hasPrefix("out") } == ["out request", "out response 200", "out close ended"])
        #expect(record.lines.filter { $0 == "in request" }.count == 2)
    }

    @Test func `can begin outermost, and still skip their asker`() async throws {
        let record = Record()
        let kernel = try makeKernel([recorder("out", priority: 1, record), fetching(from: .outermost)])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(record.lines.filter { $0 == "out request" }.count == 2)
    }

    @Test func `are cancelled with the exchange they are for`() async throws {
        let transport = MockTransport { request, _ in request.url == anywhere ? .respond(200) : .silence }
        let kernel = try makeKernel([fetching()], transport)

        let handle = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        handle.cancel()
        _ = try? await handle.response

        try await transport.cancelled.opened()
    }

    @Test func `can be handed on whole, body and all`() async throws {
        let plugin = ScriptedPlugin("asker")
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let id = exchange.id
            return .wait {
                let response = try await host.send(Request(.get, "http://mirror.test/"), for: id)
                return { _ in .respond(with: response) }
            }
        }
        let kernel = try makeKernel(
            [plugin], MockTransport { request, _ in .respond(200, ["X-From": request.url], ["from the mirror"]) })

        let response = try await kernel.send(Request(.get, anywhere))
        let text = try await response.body.text()

        #expect(response["X-From"] == "http://mirror.test/")
        #expect(text == "from the mirror")
    }

    /// Is further out than the plugin that asks, and watches heads from the network.
    private func listener(_ record: Record) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("listener", priority: 100)
        plugin.attributes = [AttributeKey<String>("listener", "label", "What it calls them.").definition]
        plugin.events = ["headReceived"]
        plugin.onEvent = { event, exchange in
            switch exchange {
            case .some(let exchange):
                record.add("\(event.head?.status ?? 0) \(exchange.attribute("listener.label") ?? "-")")
            case .none: break
            }
        }
        return plugin
    }

    @Test func `send events to plugins that they do not visit, which see the attributes of the asker's request`()
        async throws
    {
        let record = Record()
        let transport = MockTransport { request, _ in request.url == anywhere ? .respond(200) : .respond(401) }
        let kernel = try makeKernel([listener(record), fetching()], transport)

        _ = try await kernel.send(Request(.get, anywhere, attributes: ["listener.label": "mine"]))

        #expect(record.lines == ["401 mine", "200 mine"])
    }

    @Test func `have attributes that a listener does not see, also while a plugin within lists them`() async throws {
        let record = Record()
        let listener = ScriptedPlugin("listener", priority: 100)
        listener.attributes = [AttributeKey<String>("listener", "label", "What it calls them.").definition]
        listener.events = ["inner.told"]
        listener.onEvent = { _, exchange in
            switch exchange {
            case .some(let exchange): record.add("listener \(exchange.attributes["listener.label"] ?? "-")")
            case .none: break
            }
        }
        let inner = ScriptedPlugin("inner", priority: 600)
        inner.onRequest = { [unowned inner] exchange in
            guard exchange.request.url != anywhere else { return .next }
            record.add("inner \(exchange.attributes["listener.label"] ?? "-")")
            inner.host?.publish("inner.told", exchange: exchange.id)
            record.add("inner \(exchange.attributes["listener.label"] ?? "-")")
            return .next
        }
        let kernel = try makeKernel([listener, fetching(), inner])

        _ = try await kernel.send(Request(.get, anywhere, attributes: ["listener.label": "mine"]))

        #expect(record.lines == ["inner -", "listener mine", "inner -"])
    }

    @Test func `are not heard by a plugin that the asker's request switches off`() async throws {
        let record = Record()
        let kernel = try makeKernel([listener(record), fetching()])

        _ = try await kernel.send(Request(.get, anywhere, attributes: ["listener.enabled": "false"]))

        #expect(record.lines.isEmpty)
    }

    @Test func `nest no deeper than four`() async throws {
        let plugins = (0..<6).map { number in
            let plugin = ScriptedPlugin("asker\(number)", priority: number)
            plugin.onRequest = { [unowned plugin] exchange in
                guard let host = plugin.host else { return .next }
                let id = exchange.id
                return .wait {
                    do throws(PlugboardError) {
                        _ = try await host.send(Request(.get, anywhere), for: id, from: .outermost)
                        return { _ in .next }
                    } catch {
                        return { _ in .fail(error) }
                    }
                }
            }
            return plugin
        }
        let kernel = try makeKernel(plugins)

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .runaway)
    }

    @Test(arguments: ["all", "per host"])
    func `are sent although all connections are used by exchanges that wait for them`(limit: String) async throws {
        let kernel = try makeKernel([fetching(anywhere)], MockTransport()) {
            if limit == "all" { $0.kernel.connections = 1 } else { $0.kernel.connectionsPerHost = 1 }
        }

        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await kernel.send(Request(.get, anywhere)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses == Array(repeating: 200, count: 8))
    }

    @Test func `are forgotten when they have ended, while their asker is still under way`() async throws {
        let responded = Gate()
        let going = Gate()
        let asker = ScriptedPlugin("asker")
        asker.onRequest = { [unowned asker] exchange in
            guard let host = asker.host else { return .next }
            let id = exchange.id
            return .wait {
                for _ in 0..<5 { _ = try await host.send(Request(.get, "http://sub.test/"), for: id) }
                responded.admit()
                try await going.opened()
                return { _ in .next }
            }
        }
        let kernel = try makeKernel([asker])

        async let response = kernel.send(Request(.get, anywhere))
        try await responded.opened()
        let home = kernel.core.first
        let children = await withCheckedContinuation { continuation in
            home.loop.enqueue { continuation.resume(returning: home.underWay.all.map(\.family.children.count)) }
        }
        going.open()

        #expect(try await response.status == 200)
        // The last sub-request has its response, and may not have ended yet.
        #expect(children.allSatisfy { $0 <= 1 })
    }
}
