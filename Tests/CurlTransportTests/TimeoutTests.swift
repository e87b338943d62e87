import Foundation
import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

@Suite struct TimeoutTests {
    @Test func `silence before the head is an idle timeout`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer(.silenceBeforeHead())
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.idleTimeout = .seconds(30)
        defer { server.stop() }

        let (_, record) = await client.begin(.get, server.url(), options: options)
        _ = try await server.requests(atLeast: 1)
        clock.advance(by: .seconds(29))
        await client.onLoop {}
        #expect(record.notes.isEmpty)
        clock.advance(by: .seconds(31))
        try await record.end.opened()

        #expect(record.notes == [.ended(.timeoutIdle)])
    }

    @Test func `silence in the body breaks it`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.idleTimeout = .seconds(30)
        defer { server.stop() }

        let (_, record) = await client.begin(.get, server.url(), options: options)
        try await record.headOrEnd.opened()
        clock.advance(by: .seconds(61))
        let outcome = try await client.finish(record)

        #expect(outcome.error?.code == .timeoutIdle)
        #expect(outcome.body?.count == 10)
    }

    @Test func `a pause for a slow reader or a suspension is no silence`() async throws {
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(64)
        let clock = ManualClock()
        let server = try NginxServer.shared()
        let client = Client(settings, clock: clock)
        var options = RequestOptions()
        options.idleTimeout = .seconds(30)

        let (_, slow) = await client.begin(.get, server.url("/data.bin"), options: options)
        try await slow.headOrEnd.opened()
        let (attempt, suspended) = await client.begin(.get, server.url("/data.bin"), options: options)
        await client.onLoop { attempt.suspend() }
        for _ in 0..<10 {
            clock.advance(by: .seconds(20))
            await client.onLoop {}
        }
        await client.onLoop { attempt.resume() }
        let first = try await client.finish(slow)
        let second = try await client.finish(suspended)

        #expect(first.error == nil && first.body?.count == 1_048_576)
        #expect(second.error == nil && second.body?.count == 1_048_576)
    }

    @Test func `an attempt has a time limit of its own`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer(.silenceBeforeHead())
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.attemptTimeout = .seconds(60)
        options.idleTimeout = .seconds(100)
        defer { server.stop() }

        let (_, record) = await client.begin(.get, server.url(), options: options)
        _ = try await server.requests(atLeast: 1)
        clock.advance(by: .seconds(61))
        try await record.end.opened()

        #expect(record.notes == [.ended(.timeoutAttempt)])
        #expect(record.state.withLock { $0.error?.reason.contains("1m") } == true)
    }

    @Test func `connecting has a time limit of its own`() async throws {
        // The server speaks no TLS: the handshake never ends.
        let server = try LoopbackServer { connection in try connection.waitForClose() }
        let client = Client()
        var options = RequestOptions()
        options.connectTimeout = .milliseconds(100)
        defer { server.stop() }

        let outcome = try await client.send(
            .get, "https://127.0.0.1:\(server.port)/", options: options)

        #expect(outcome.error?.code == .timeoutConnect)
    }

    @Test func `a request's body that goes out slowly is not silence`() async throws {
        let clock = ManualClock()
        let (gate, read) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            // A little at a time, so that what the system still has to send becomes less.
            for step in 1...6 {
                try connection.wait(for: gate, count: step)
                _ = try connection.readBytes(400_000)
                read.admit()
            }
            try connection.wait(for: gate, count: 7)
            try connection.respond(status: 200, fields: [("Connection", "close")], body: "received")
        }
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.idleTimeout = .seconds(30)
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), body: .bytes(Script.letters(12_000_000)), options: options)
        _ = try await server.requests(atLeast: 1)
        for step in 1...6 {
            gate.admit()
            try await read.opened(for: step)
            clock.advance(by: .seconds(25))
            for _ in 0..<200 { await client.onLoop {} }
        }
        let notes = record.notes
        gate.admit()
        let outcome = try await client.finish(record)

        #expect(notes.isEmpty)
        #expect(outcome.text == "received")
    }

    /// Each part is of one unit, for which libcurl calls back once it is whole.
    private static let slowParts: [(String, before: String, slow: String, after: String)] = [
        ("a field", "HTTP/1.1 200 OK\r\n", "X: " + String(repeating: "x", count: 21), "\r\nContent-Length: 0\r\n\r\n"),
        (
            "a chunk extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "0;" + String(repeating: "x", count: 22), "\r\n\r\n"
        ),
    ]

    private static let idle: Duration = .milliseconds(1600)

    @Test(arguments: slowParts)
    func `bytes of a slow line are no silence, though nothing is whole for longer than the timeout`(
        _: String, before: String, slow: String, after: String
    ) async throws {
        let pause = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(before)
            for byte in slow.utf8 {
                // Nobody opens the gate: this is the pace of the line.
                _ = try? connection.wait(for: pause, timeout: Self.idle / 16)
                try connection.write([byte])
            }
            try connection.write(after)
        }
        var options = RequestOptions()
        options.idleTimeout = Self.idle
        defer { server.stop() }

        let outcome = try await Client().send(.get, server.url(), options: options)

        #expect(outcome.error == nil)
        #expect(outcome.status == 200)
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `bytes of a slow TLS record are no silence`() async throws {
        let nginx = try NginxServer.shared()
        let text = String(repeating: "slow", count: 2000)
        try text.write(toFile: "\(nginx.files)/record.txt", atomically: true, encoding: .utf8)
        let pause = Gate()
        let server = try LoopbackServer { connection in
            try connection.relay(to: nginx.port(.tlsHTTP1), parts: 22) {
                // Nobody opens the gate: this is the pace of the line.
                try? pause.wait(timeout: Self.idle / 16)
            }
        }
        var options = RequestOptions()
        options.idleTimeout = Self.idle
        options.tls.ca = nginx.authority.certificate
        defer { server.stop() }

        let outcome = try await Client().send(
            .get, "https://127.0.0.1:\(server.port)/record.txt", options: options)

        #expect(outcome.error == nil)
        #expect(outcome.text == text)
    }

    @Test(arguments: slowParts)
    func `a line that falls silent within such a part ends`(
        _: String, before: String, slow: String, after: String
    ) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(before)
            try connection.write(slow)
            try connection.waitForClose()
        }
        var options = RequestOptions()
        options.idleTimeout = .milliseconds(300)
        defer { server.stop() }

        let outcome = try await Client().send(.get, server.url(), options: options)

        #expect(outcome.error?.code == .timeoutIdle)
    }
}
