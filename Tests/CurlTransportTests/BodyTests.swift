import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@Suite struct BodyTests {
    @Test func `a small response is complete at the end of the turn in which it is received`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "small") }
        let client = Client()
        let seen = Mutex<[String]>([])
        let done = Gate()
        let record = AttemptRecord { [client] body in
            client.loop.atEndOfTurn {
                while let piece = body?.nextIfReady() {
                    switch piece {
                    case .bytes(let bytes): seen.withLock { $0.append(bytes.text) }
                    case .end:
                        seen.withLock { $0.append("end") }
                        return done.admit()
                    case .broken: return
                    }
                }
            }
        }
        defer { server.stop() }

        _ = await client.begin(.get, server.url(), record: record)
        try await done.opened()

        #expect(seen.withLock { $0 } == ["small", "end"])
    }

    @Test func `a slow reader slows the sender, and gets every byte`() async throws {
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(64)
        settings.receiveBuffer = .kibibytes(16)
        let server = try NginxServer.shared()
        let client = Client(settings)
        let record = AttemptRecord()

        _ = await client.begin(.get, server.url("/data.bin"), record: record)
        try await record.headOrEnd.opened()
        for _ in 0..<200 { await client.onLoop {} }
        #expect(record.notes == [.head(200)])
        let outcome = try await client.finish(record)

        #expect(outcome.error == nil)
        let expected = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        #expect(outcome.body == Bytes(expected))
    }

    @Test func `many slow readers at once get every byte of their bodies`() async throws {
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(32)
        let server = try NginxServer.shared()
        let client = Client(settings)

        let outcomes = try await withThrowingTaskGroup(of: Client.Outcome.self) { group in
            for index in 0..<40 {
                let door = [NginxServer.Door.plain, .plainHTTP2, .tls, .tlsHTTP1][index % 4]
                group.addTask {
                    var options = RequestOptions()
                    options.tls.ca = server.authority.certificate
                    options.httpVersion = door == .plainHTTP2 ? .http2PriorKnowledge : .any
                    return try await client.send(.get, server.url("/data.bin", door), options: options)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.compactMap(\.error) == [])
        #expect(outcomes.compactMap(\.body?.count) == Array(repeating: 1_048_576, count: 40))
    }

    @Test func `a released body with a short rest is drained, and the connection used again`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: Script.letters(60_000)) }
        let client = Client()
        defer { server.stop() }

        for _ in 0..<3 {
            let record = AttemptRecord { $0?.release() }
            _ = await client.begin(.get, server.url(), record: record)
            try await record.end.opened()
            #expect(record.notes == [.head(200), .ended(nil)])
        }

        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [Script.endlessBody(), .bodyCutShort(declared: 10_000_000, sent: 1)])
    func `a released body with a long rest is aborted`(script: Script) async throws {
        let server = try LoopbackServer(script)
        let client = Client()
        let record = AttemptRecord { $0?.release() }
        defer { server.stop() }

        _ = await client.begin(.get, server.url(), record: record)
        try await record.end.opened()

        #expect(record.notes == [.head(200), .ended(nil)])
        try await server.endedConnections(atLeast: 1)
    }

    @Test func `a released body whose rest does not arrive is aborted after the drain time`() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        let client = Client(clock: clock)
        let record = AttemptRecord { $0?.release() }
        defer { server.stop() }

        _ = await client.begin(.get, server.url(), record: record)
        try await record.headOrEnd.opened()
        clock.advance(by: .seconds(2))
        try await record.end.opened()

        #expect(record.notes == [.head(200), .ended(nil)])
    }

    @Test func `pieces arrive as they come`() async throws {
        let gate = Gate()
        let server = try LoopbackServer(.chunked(["one", "two", "three"], gate: gate))
        let client = Client()
        let record = AttemptRecord()
        var texts: [String] = []
        defer { server.stop() }

        _ = await client.begin(.get, server.url(), record: record)
        try await record.headOrEnd.opened()
        let source = try #require(record.state.withLock { $0.body })
        for _ in 0..<3 {
            gate.admit()
            if case .bytes(let bytes) = await client.pull(source) { texts.append(bytes.text) }
        }
        guard case .end = await client.pull(source) else { throw GateError.interrupted }

        #expect(texts == ["one", "two", "three"])
        #expect(source.length == nil)
    }
}
