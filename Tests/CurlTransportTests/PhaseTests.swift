import Foundation
import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

/// What an attempt says that it does, which errors of timeouts repeat.
@Suite struct PhaseTests {
    private func wait(
        for phase: AttemptPhase, of attempt: any Attempt, _ client: Client,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let limit = ContinuousClock.now + .seconds(30)
        var found: AttemptPhase?
        while ContinuousClock.now < limit {
            found = await client.onLoop { attempt.phase }
            if found == phase { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("It is \(found.map { "\($0)" } ?? "none"), not \(phase).", sourceLocation: sourceLocation)
    }

    @Test func `a connection that nothing accepts is being opened`() async throws {
        let full = try FullListener()
        let client = Client()

        let (attempt, record) = await client.begin(.get, "http://127.0.0.1:\(full.port)/")
        try await wait(for: .connecting, of: attempt, client)
        await client.onLoop { attempt.cancel() }
        try await record.end.opened()
        let after = await client.onLoop { attempt.phase }

        #expect(after == nil)
    }

    @Test func `a handshake that is not responded to is not complete, and others wait for its connection`()
        async throws
    {
        let server = try LoopbackServer { connection in try connection.waitForClose() }
        defer { server.stop() }
        let client = Client()
        let url = "https://127.0.0.1:\(server.port)/"

        let (first, _) = await client.begin(.get, url)
        try await server.connections(atLeast: 1)
        try await wait(for: .securing, of: first, client)
        let (second, _) = await client.begin(.get, url)
        let phase = await client.onLoop { second.phase }

        #expect(phase == .waitingForConnection)
        #expect(server.connectionCount == 1)
        await client.onLoop {
            first.cancel()
            second.cancel()
        }
    }

    @Test func `a request is sent, then its response is waited for`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.wait(for: gate)
            _ = try connection.readBytes(12_000_000)
            try connection.waitForClose()
        }
        defer { server.stop() }
        let client = Client()

        let (attempt, _) = await client.begin(.post, server.url(), body: .bytes(Script.letters(12_000_000)))
        try await wait(for: .sending, of: attempt, client)
        gate.open()
        try await wait(for: .waitingForResponse, of: attempt, client)
        await client.onLoop { attempt.cancel() }
    }

    @Test func `a body is received, or waits for its reader`() async throws {
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(64)
        let silent = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        let endless = try LoopbackServer(.endlessBody())
        defer {
            silent.stop()
            endless.stop()
        }
        let client = Client(settings)

        let (receiving, record) = await client.begin(.get, silent.url())
        try await record.headOrEnd.opened()
        try await wait(for: .receiving, of: receiving, client)
        let (waiting, _) = await client.begin(.get, endless.url())
        try await wait(for: .waitingForReader, of: waiting, client)
        await client.onLoop {
            receiving.cancel()
            waiting.cancel()
        }
    }

    @Test func `errors of timeouts name the host and what the attempt did`() async throws {
        let clock = ManualClock()
        let silent = try LoopbackServer { connection in try connection.waitForClose() }
        let noHead = try LoopbackServer(.silenceBeforeHead())
        let body = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        defer { for server in [silent, noHead, body] { server.stop() } }
        let client = Client(clock: clock)
        var (attempt, idle, connect) = (RequestOptions(), RequestOptions(), RequestOptions())
        attempt.attemptTimeout = .seconds(60)
        idle.idleTimeout = .seconds(60)
        connect.connectTimeout = .milliseconds(100)

        let (securing, first) = await client.begin(
            .get, "https://127.0.0.1:\(silent.port)/", options: attempt)
        try await wait(for: .securing, of: securing, client)
        let (waiting, second) = await client.begin(.get, noHead.url(), options: idle)
        try await wait(for: .waitingForResponse, of: waiting, client)
        let (receiving, third) = await client.begin(.get, body.url(), options: idle)
        try await wait(for: .receiving, of: receiving, client)
        for _ in 0..<2 {
            clock.advance(by: .seconds(61))
            await client.onLoop {}
        }
        for record in [first, second] { try await record.end.opened() }
        let broken = try await client.finish(third)
        let late = try await client.send(.get, "https://127.0.0.1:\(silent.port)/late", options: connect)

        let reasons = [first, second].map { record in record.state.withLock { $0.error?.reason } }
        #expect(
            reasons + [broken.error?.reason, late.error?.reason] == [
                "The attempt at 127.0.0.1:\(silent.port) took longer than 1m (attemptTimeout): the TLS handshake was "
                    + "not complete.",
                "No byte went to or came from 127.0.0.1:\(noHead.port) for 1m (idleTimeout): the request was sent, "
                    + "and the response had not begun.",
                "No byte went to or came from 127.0.0.1:\(body.port) for 1m (idleTimeout): the response's body was "
                    + "being received.",
                "Connecting to 127.0.0.1:\(silent.port) took too long (connectTimeout): the TLS handshake was not "
                    + "complete.",
            ])
    }
}

/// A TCP port whose queue of connections is full: further connections are neither accepted nor refused.
private final class FullListener {
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) | listen(listener, 0) | getsockname(listener, $0, &size)
            }
        }
        guard code == 0 else { throw SystemError.failed("listen", errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<8 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(client)
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
