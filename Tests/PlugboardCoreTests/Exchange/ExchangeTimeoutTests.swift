import Plugboard
import PlugboardEventLoop
import TestSupport
import Testing

/// The error of an exchange's timeout names the host, and says what the exchange did.
@Suite struct ExchangeTimeoutTests {
    private let clock = ManualClock()

    private var request: Request {
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)
        return request
    }

    /// The end of the error's reason.
    private func ending(
        of handle: ExchangeHandle, host: String = "origin.test", when ready: Gate, count: Int = 1
    ) async throws -> String? {
        try await ready.opened(for: count)
        clock.advance(by: .seconds(5))
        return await ending(host) { try await handle.response.body.text() }
    }

    private func ending(_ host: String, _ work: () async throws -> String) async -> String? {
        let error = await #expect(throws: PlugboardError.self) { _ = try await work() }
        #expect(error?.code == .timeoutExchange)
        let start = "The exchange with \(host) did not end within 5s, all attempts included: "
        #expect(error?.reason.hasPrefix(start) == true, "\(error?.reason ?? "")")
        return error.map { String($0.reason.dropFirst(start.count)) }
    }

    @Test func `an attempt of a transport that does not know its phase`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock)

        let ending = try await ending(of: kernel.begin(request), when: transport.began)

        #expect(ending == "attempt 1 had no response yet.")
    }

    @Test func `an exchange that is suspended`() async throws {
        let suspended = Gate()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock)
        let handle = kernel.begin(request) { if $0.kernelEvent == .suspended { suspended.admit() } }
        try await transport.began.opened()
        handle.suspend()

        #expect(try await ending(of: handle, when: suspended) == "it was suspended.")
    }

    @Test func `an exchange in the queue for a connection`() async throws {
        let started = Gate()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock) { $0.kernel.connections = 1 }
        let first = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        let second = kernel.begin(request) { if $0.kernelEvent == .started { started.admit() } }

        #expect(
            try await ending(of: second, when: started) == "it waited for a free connection (kernel.connections is 1).")
        first.cancel()
    }

    @Test func `a plugin that waits`() async throws {
        let waiting = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            let ticket = exchange.ticket(within: .seconds(60))
            waiting.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin], clock: clock)

        let ending = try await ending(of: kernel.begin(request), when: waiting)

        #expect(ending == "the plugin a waited in onRequest.")
    }

    @Test func `the delay before the next attempt`() async throws {
        let failed = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onResponse = { _ in
            failed.admit()
            return .resend(after: .seconds(60))
        }
        let kernel = try makeKernel([plugin], clock: clock)

        let ending = try await ending(of: kernel.begin(request), when: failed)

        #expect(ending == "it waited for the next attempt.")
    }

    @Test func `a plugin that reads the request's body`() async throws {
        let pulled = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in exchange.visit == .first ? .hold(upTo: .kibibytes(1)) : .next }
        let kernel = try makeKernel([plugin], clock: clock)
        var request = request
        request.body = Body(SilentSource(pulled))

        let ending = try await ending(of: kernel.begin(request), when: pulled)

        #expect(ending == "it was on its way through the plugins.")
    }

    @Test func `a plugin that reads the response's body`() async throws {
        let pulled = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onResponse = { exchange in exchange.visit == .first ? .hold(upTo: .kibibytes(1)) : .next }
        let transport = MockTransport { _, _ in .source(200, Fields(), SilentSource(pulled)) }
        let kernel = try makeKernel([plugin], transport, clock: clock)

        let ending = try await ending(of: kernel.begin(request), when: pulled)

        #expect(ending == "a plugin was reading the response's body.")
    }

    @Test func `a body that the program does not read`() async throws {
        let transport = MockTransport { _, _ in .source(200, Fields(), SilentSource(Gate())) }
        let kernel = try makeKernel([], transport, clock: clock)
        let response = try await kernel.send(request)
        clock.advance(by: .seconds(5))

        let ending = await ending("origin.test") { try await response.body.text() }

        #expect(ending == "the response's body was not read to its end.")
    }

    @Test func `a TLS handshake`() async throws {
        let greeted = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readBytes(1)
            greeted.admit()
            try connection.waitForClose()
        }
        defer { server.stop() }
        let kernel = try Kernel(configuration: Configuration(), log: .silent, clock: clock)
        var request = request
        request.url = "https://127.0.0.1:\(server.port)/"

        let ending = try await ending(of: kernel.begin(request), host: "127.0.0.1", when: greeted)

        #expect(ending == "in attempt 1, the TLS handshake was not complete.")
    }

    @Test func `a response that does not begin, of the second attempt`() async throws {
        let received = Gate()
        let server = try LoopbackServer { connection in
            for _ in 0..<2 {
                let request = try connection.readRequest()
                received.admit()
                if received.admitted == 1 { try connection.respond(ServerResponse(status: 503), to: request) }
            }
            try connection.waitForClose()
        }
        defer { server.stop() }
        let plugin = ScriptedPlugin("a")
        plugin.onResponse = { $0.response?.status == 503 ? .resend() : .next }
        let kernel = try makeKernel([plugin], nil, clock: clock)
        var request = request
        request.url = server.url()

        let ending = try await ending(of: kernel.begin(request), host: "127.0.0.1", when: received, count: 2)

        #expect(ending == "in attempt 2, the request was sent, and the response had not begun.")
    }

    @Test func `a body that is received`() async throws {
        let server = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        defer { server.stop() }
        let kernel = try Kernel(configuration: Configuration(), log: .silent, clock: clock)
        var request = request
        request.url = server.url()
        let response = try await kernel.send(request)
        clock.advance(by: .seconds(5))

        let ending = await ending("127.0.0.1") { try await response.body.text() }

        #expect(ending == "in attempt 1, the response's body was being received.")
    }
}

/// A body that never gives a piece.
private final class SilentSource: BodySource {
    private let pulled: Gate
    init(_ pulled: Gate) { self.pulled = pulled }

    var length: Int? { nil }
    func pull(_ pull: Pull) { pulled.admit() }
    func release() {}
}
