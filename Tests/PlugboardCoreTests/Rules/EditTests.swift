import Plugboard
import PlugboardEventLoop
import PlugboardKit
import TestSupport
import Testing

/// Edits of a hook before it waits, and edits that are refused.
@Suite struct `Edits of a hook` {
    private let moving = MockTransport { request, _ in
        request.url == anywhere ? .failure(PlugboardError(.transportReset, "gone")) : .respond(200)
    }

    /// Edits the request, waits, and decides in its second visit.
    private func waiter(_ decide: @escaping @Sendable (borrowing Exchange) throws -> FailureVerdict) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("waiter")
        plugin.onFailure = { exchange in
            guard exchange.visit == .first else { return try decide(exchange) }
            exchange.request.url = "http://other.test/"
            exchange.request["X-Edited"] = "yes"
            let ticket = exchange.ticket()
            ticket.wake()
            return .wait(ticket)
        }
        return plugin
    }

    @Test func `stay over its wait, and count when it resends`() async throws {
        let kernel = try makeKernel([waiter { _ in .resend() }], moving)
        var request = Request(.get, anywhere, fields: ["Authorization": "secret"])
        request.options.tls.certificate = "/me.pem"

        _ = try await kernel.send(request)

        let last = try #require(moving.requests.last)
        #expect(last.url == "http://other.test/" && last.fields["X-Edited"] == "yes")
        // What was edited before the wait decides whether it goes to another origin.
        #expect(last.fields["Authorization"] == nil && last.options.tls.certificate == nil)
    }

    @Test func `do not count when its last visit lets the head pass`() async throws {
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onFailure = { exchange in
            record.add("\(exchange.request.url) \(exchange.request["X-Edited"] ?? "-")")
            return .next
        }
        let kernel = try makeKernel([outer, waiter { _ in .next }], moving)

        _ = try? await kernel.send(Request(.get, anywhere))

        #expect(record.lines == ["\(anywhere) -"])
    }

    @Test func `are undone with those of its first visit, when it is at fault in its second and skipped`()
        async throws
    {
        let plugin = ScriptedPlugin("waiter")
        plugin.onResponse = { exchange in
            if exchange.visit != .first { throw PlugboardError("test", "It broke.") }
            exchange.response?["X-Half"] = "done"
            let ticket = exchange.ticket()
            ticket.wake()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin]) { $0.plugins[0].onFault = .skip }

        let response = try await kernel.send(Request(.get, anywhere))

        #expect(response["X-Half"] == nil)
    }

    // MARK: What is refused

    typealias Edit = @Sendable (borrowing Exchange) throws -> Void

    private func error(_ edit: @escaping Edit) async throws -> PlugboardError {
        let plugin = ScriptedPlugin("editor")
        plugin.onRequest = { exchange in
            try edit(exchange)
            return .next
        }
        return try await failure(of: makeKernel([plugin]), Request(.get, anywhere))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let says: String
        let edit: Edit
        var testDescription: String { says }

        init(_ says: String, _ edit: @escaping Edit) {
            self.says = says
            self.edit = edit
        }
    }

    @Test(arguments: [
        Refused("it set the request's URL to a text that is not an absolute") { $0.request.url = "not a url" },
        Refused("it set the request's method to a text that is not a token") { $0.request.method = "GET /" },
        Refused("it gave the field X-A a value with a line break") { $0.request["X-A"] = "1\r\nX-B: 2" },
        Refused("it gave the field X-A a value with a line break") { $0.request.append("X-A", "1\n2") },
        Refused("it gave the field X-A a value with a line break") { $0.request.set("X-A", [0]) },
        Refused("it set a field with a name that is not a token") { $0.request["X A"] = "1" },
        Refused("it set the request's URL to a text that is not an absolute") { try $0.request.setURL("not a url") },
    ])
    func `that are refused are its fault, told with what and where`(refused: Refused) async throws {
        let error = try await error(refused.edit)

        #expect(error.code == .pluginFault && error.plugin == "editor")
        #expect(
            error.reason.contains("at fault in onRequest") && error.reason.contains(refused.says), "\(error.reason)")
        #expect(!error.reason.contains("X-B") && !error.reason.contains("not a url"))
    }

    @Test func `are thrown where it asks for that, and it goes on`() async throws {
        let record = Record()
        let transport = MockTransport()
        let plugin = ScriptedPlugin("editor")
        plugin.onRequest = { exchange in
            do throws(PlugboardError) {
                try exchange.request.setField("X-A", "fine")
                try exchange.request.addField("X-A", "1\r\n2")
            } catch {
                record.add(error.code.name)
            }
            return .next
        }
        let kernel = try makeKernel([plugin], transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(record.lines == ["request.field"])
        #expect(transport.requests.first?.fields.values("X-A") == ["fine"])
    }

    @Test func `that are refused where there is not a verdict are logged`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("editor")
        plugin.onClose = { exchange, _ in exchange.request["X-Late"] = "1" }
        let kernel = try makeKernel(
            [plugin], log: KernelLog(level: .error) { _, source, text in record.add("\(source) \(text)") })

        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        await kernel.shutDown()

        let line = try #require(record.lines.first)
        #expect(
            line.hasPrefix("editor at fault in onClose: it edited the field X-Late in a hook that cannot edit it"),
            "\(line)")
    }
}
