import Plugboard
import PlugboardEventLoop
import Synchronization
import TestSupport
import Testing

@Suite struct `Rules 4 and 8: sending again` {
    /// Sends again as long as the status is 503.
    private func retrying(_ id: String = "r", priority: Int, _ record: Record) -> ScriptedPlugin {
        let plugin = recorder(id, priority: priority, record)
        plugin.onResponse = { exchange in
            record.add("\(id) response \(exchange.response?.status ?? 0)")
            return exchange.response?.status == 503 ? .resend() : .next
        }
        return plugin
    }

    private func unavailable(times: Int) -> MockTransport {
        MockTransport { _, number in .respond(number <= times ? 503 : 200, Fields(), ["body \(number)"]) }
    }

    @Test func `a plugin inside sees every attempt, one outside sees the exchange once`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [recorder("out", priority: 1, record), retrying(priority: 2, record), recorder("in", priority: 3, record)],
            unavailable(times: 1))

        let response = try await kernel.send(Request(.get, anywhere))
        let text = try await response.body.text()

        #expect(text == "body 2")
        #expect(response.attempts == 2)
        #expect(
            record.lines == [
                "out request", "r request", "in request", "in response 503", "r response 503", "in close resent",
                "in request", "in response 200", "r response 200", "out response 200", "in close ended",
                "r close ended", "out close ended",
            ])
    }

    @Test func `a resend undoes the edits of inner plugins and sends those that the asker makes now`() async throws {
        let record = Record()
        let transport = unavailable(times: 1)
        let asker = retrying(priority: 2, record)
        asker.onResponse = { exchange in
            guard exchange.response?.status == 503 else { return .next }
            exchange.request["X-Again"] = "yes"
            return .resend()
        }
        let inner = ScriptedPlugin("in", priority: 3)
        inner.onRequest = { exchange in
            exchange.request.append("X-Inner", "attempt \(exchange.attempt + 1)")
            return .next
        }
        let kernel = try makeKernel([asker, inner], transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.map { $0.fields.values("X-Inner") } == [["attempt 1"], ["attempt 2"]])
        #expect(transport.requests.map { $0.fields["X-Again"] } == [nil, "yes"])
    }

    @Test func `the edits of an outward hook that does not resend are undone`() async throws {
        let record = Record()
        let transport = unavailable(times: 1)
        let editor = ScriptedPlugin("editor", priority: 3)
        editor.onResponse = { exchange in
            exchange.request["X-Lost"] = "yes"
            return .next
        }
        let kernel = try makeKernel([retrying(priority: 2, record), editor], transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { $0.fields["X-Lost"] == nil })
    }

    @Test func `a resend waits for its delay by the kernel's clock`() async throws {
        let clock = ManualClock()
        let transport = unavailable(times: 1)
        let asker = ScriptedPlugin("r", priority: 2)
        asker.onResponse = { $0.response?.status == 503 ? .resend(after: .seconds(10)) : .next }
        let kernel = try makeKernel([asker], transport, clock: clock)
        let scheduled = Gate()

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .resendScheduled { scheduled.admit() }
        }
        try await scheduled.opened()
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(10))

        #expect(try await handle.response.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test func `a body in memory is sent again from its beginning`() async throws {
        let record = Record()
        let bodies = Mutex<[String]>([])
        let transport = MockTransport { request, number in
            if case .bytes(let bytes)? = request.body?.nextIfReady() { bodies.withLock { $0.append(bytes.text) } }
            return .respond(number == 1 ? 503 : 200)
        }
        let kernel = try makeKernel([retrying(priority: 2, record)], transport)

        _ = try await kernel.send(Request(.post, anywhere, body: .text("payload")))

        #expect(bodies.withLock { $0 } == ["payload", "payload"])
    }

    @Test func `a resend is refused when a body that has begun cannot be rewound`() async throws {
        let could = Record()
        let transport = MockTransport { request, _ in
            request.body?.pull(Pull(IgnoringReceiver()))
            return .respond(503)
        }
        let asker = ScriptedPlugin("r")
        asker.onResponse = { exchange in
            could.add("\(exchange.canResend)")
            return .resend()
        }
        let kernel = try makeKernel([asker], transport)

        let error = try await failure(
            of: kernel, Request(.post, anywhere, body: Body(PiecesSource(["once"]))))

        #expect(could.lines == ["false"])
        #expect(error.code == .pluginFault)
        #expect(transport.requests.count == 1)
    }

    @Test func `secrets are dropped when the request goes to another origin`() async throws {
        let transport = MockTransport { request, number in .respond(number == 1 ? 302 : 200) }
        let asker = ScriptedPlugin("redirecting")
        asker.onResponse = { exchange in
            guard exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://elsewhere.test/"
            return .resend()
        }
        let kernel = try makeKernel([asker], transport)
        var request = Request(.get, anywhere)
        request[.authorization] = "Bearer token"
        request["X-Plain"] = "kept"

        _ = try await kernel.send(request)

        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer token", nil])
        #expect(transport.requests.map { $0.fields["X-Plain"] } == ["kept", "kept"])
    }

    @Test func `fields that the configuration calls secret are, whoever has set them`() async throws {
        let transport = MockTransport { _, number in .respond(number == 1 ? 302 : 200, ["X-Session-Ticket": "a"]) }
        let asker = ScriptedPlugin("redirecting")
        let seen = Record()
        asker.onRequest = { exchange in
            exchange.request["X-Acme-Ticket"] = "added"
            return .next
        }
        asker.onResponse = { exchange in
            for field in exchange.response?.fields ?? [:] where field.isSecret { seen.add(field.name) }
            guard exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://elsewhere.test/"
            return .resend()
        }
        let kernel = try makeKernel([asker], transport) {
            $0.kernel.secretFields = ["x-acme-key", "x-acme-ticket", "x-session-ticket"]
        }
        var request = Request(.get, anywhere)
        request["X-Acme-Key"] = "given"

        _ = try await kernel.send(request)

        #expect(transport.requests.map { $0.fields["X-Acme-Key"] } == ["given", nil])
        #expect(transport.requests.map { $0.fields["X-Acme-Ticket"] } == ["added", nil])
        #expect(seen.lines == ["X-Session-Ticket", "X-Session-Ticket"])
    }

    @Test func `secrets stay when the request goes to the same origin`() async throws {
        let transport = MockTransport { request, number in .respond(number == 1 ? 302 : 200) }
        let asker = ScriptedPlugin("redirecting")
        asker.onResponse = { exchange in
            guard exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://ORIGIN.test:80/other"
            return .resend()
        }
        let kernel = try makeKernel([asker], transport)
        var request = Request(.get, anywhere)
        request[.authorization] = "Bearer token"

        _ = try await kernel.send(request)

        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer token", "Bearer token"])
    }

    @Test func `a runaway is stopped at the attempt limit`() async throws {
        let asker = ScriptedPlugin("r")
        asker.onResponse = { _ in .resend() }
        let transport = MockTransport()
        let kernel = try makeKernel([asker], transport) { $0.kernel.attemptLimit = 7 }

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .runaway)
        #expect(transport.requests.count == 7)
    }

    @Test func `the body of a response whose request is sent again is released`() async throws {
        let record = Record()
        let unwanted = PiecesSource(["unwanted"])
        let kernel = try makeKernel(
            [retrying(priority: 2, record)],
            MockTransport { _, number in number == 1 ? .source(503, Fields(), unwanted) : .respond(200) })

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(unwanted.releases == 1)
        #expect(unwanted.pulls == 0)
    }
}

/// Asks and does not listen.
final class IgnoringReceiver: PullReceiver {
    func receive(_ piece: Piece, serial: UInt64) -> Bool { true }
}
