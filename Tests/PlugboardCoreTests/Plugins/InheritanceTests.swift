import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

/// What sub-requests and resends have of the request that they come from.
@Suite struct `What goes along` {
    /// Sends a sub-request before the request goes on.
    private func asker(_ make: @escaping @Sendable (borrowing PlugboardKit.Exchange) -> Request) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("asker", priority: 500)
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            let (id, request) = (exchange.id, make(exchange))
            return .wait {
                do throws(PlugboardError) {
                    _ = try await host.send(request, for: id)
                    return { _ in .next }
                } catch {
                    return { _ in .fail(error) }
                }
            }
        }
        return plugin
    }

    /// Sends the request again, to another origin, when its first response is there.
    private func mover(priority: Int = 700) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("mover", priority: priority)
        plugin.onResponse = { exchange in
            guard exchange.attempt == 1, exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://other.test/"
            return .resend()
        }
        return plugin
    }

    private let moving = MockTransport { request, _ in .respond(request.url.contains("moved") ? 302 : 200) }

    @Test(arguments: [true, false])
    func `a field that is secret stays so in a sub-request, and goes to no other origin`(
        copiesMarks: Bool
    ) async throws {
        let marker = ScriptedPlugin("marker", priority: 100)
        marker.onRequest = { exchange in
            exchange.request["X-Key"] = "key"
            exchange.request.markSecret("X-Key")
            return .next
        }
        let asker = asker { exchange in
            var fields: Fields = ["x-key": "key", "X-Plain": "plain"]
            if copiesMarks { fields = exchange.request.fields; fields.append("X-Plain", "plain") }
            return Request(.get, "http://moved.test/", fields: fields)
        }
        let kernel = try makeKernel([marker, asker, mover()], moving)

        _ = try await kernel.send(Request(.get, anywhere))

        let requests = moving.requests
        #expect(requests.map(\.url) == ["http://moved.test/", "http://other.test/", anywhere])
        #expect(requests.map { $0.fields["X-Key"] } == ["key", nil, "key"])
        #expect(requests[1].fields["X-Plain"] == "plain")
    }

    @Test func `a mark of the sub-request's own holds where no exchange asked`() async throws {
        let plugin = ScriptedPlugin("asker", priority: 500)
        let completed = Gate()
        plugin.onStart = { [unowned plugin] in
            var request = Request(.get, "http://moved.test/", fields: ["X-Key": "key"])
            request.fields.markSecret("X-Key")
            plugin.host?.send(request, for: nil, isDetached: true) { _ in completed.open() }
        }
        let kernel = try makeKernel([plugin, mover()], moving)

        try await completed.opened()
        await kernel.shutDown()

        #expect(moving.requests.map { $0.fields["X-Key"] } == ["key", nil])
    }

    @Test func `a client certificate and pins do not go to another origin with a resend`() async throws {
        let kernel = try makeKernel([mover()], moving)
        var request = Request(.get, "http://moved.test/")
        request.options.tls.certificate = "/me.pem"
        request.options.tls.key = "/key.pem"
        request.options.tls.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        request.options.proxy = "http://proxy.test:1"

        _ = try await kernel.send(request)

        let options = moving.requests.map(\.options)
        #expect(options.map(\.tls.certificate) == ["/me.pem", nil])
        #expect(
            options.map(\.tls.key) == ["/key.pem", nil]
                && options.map(\.tls.pins) == [["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], nil])
        #expect(options.map(\.proxy) == ["http://proxy.test:1", "http://proxy.test:1"])
    }

    @Test func `a detached sub-request has the options of an exchange that has ended before it begins`() async throws {
        let transport = MockTransport()
        let plugin = ScriptedPlugin("asker", priority: 500)
        let completed = Gate()
        plugin.onRequest = { [unowned plugin] exchange in
            plugin.host?.send(Request(.get, "http://sub.test/"), for: exchange.id, isDetached: true) { _ in
                completed.open()
            }
            return .respond(ResponseHead(status: 200))
        }
        let kernel = try makeKernel([plugin], transport)
        var request = Request(.get, anywhere)
        request.options.proxy = "http://proxy.test:1"
        request.options.tls.ca = "/ca.pem"
        request.options.tls.certificate = "/me.pem"

        _ = try await kernel.send(request)
        try await completed.opened()

        let sent = try #require(transport.requests.first?.options)
        #expect(sent.proxy == "http://proxy.test:1" && sent.tls.ca == "/ca.pem" && sent.tls.certificate == nil)
    }

    @Test func `all options of a sub-request count`() async throws {
        var options = RequestOptions()
        options.connectTimeout = .microseconds(1500)
        options.connectTo = ["a.test:80": "127.0.0.1:1"]
        options.ipVersion = .v6
        options.tls.minimum = .tls13
        options.tls.pins = ["A", "E"].map { "sha256//\(String(repeating: $0, count: 43))=" }
        options.tls.verify = false
        options.speed.download = .bytes(1000)
        let given = options
        let transport = MockTransport()
        let asker = asker { _ in
            var request = Request(.get, "http://sub.test/")
            request.options = given
            return request
        }
        let kernel = try makeKernel([asker], transport)

        _ = try await kernel.send(Request(.get, anywhere))

        let sent = try #require(transport.requests.first?.options)
        #expect(sent.connectTimeout == .milliseconds(2) && sent.connectTo == given.connectTo && sent.ipVersion == .v6)
        #expect(sent.tls == given.tls && sent.speed == given.speed)
        #expect(transport.requests.last?.options.ipVersion == nil)
    }

    @Test func `fields of a sub-request that cannot be are its failure, and nothing is sent`() async throws {
        let transport = MockTransport()
        let asker = asker { _ in Request(.get, "http://sub.test/", fields: ["X-A": "1\r\nX-B: 2"]) }
        let kernel = try makeKernel([asker], transport)

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .requestField && error.reason.contains("the field X-A has a line break"), "\(error)")
        #expect(transport.requests.isEmpty)
    }

    @Test func `the innermost of as many plugins as there can be sends one too`() async throws {
        let transport = MockTransport()
        let others = (0..<Pipeline.limit - 1).map { number in
            let plugin = ScriptedPlugin("p\(number)", priority: number)
            plugin.onResponse = { _ in .next }
            return plugin
        }
        let kernel = try makeKernel(others + [asker { _ in Request(.get, "http://sub.test/") }], transport) {
            $0.plugins[$0.plugins.count - 1].priority = 999
        }

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.map(\.url) == ["http://sub.test/", anywhere])
    }
}
