import CurlTransport
import Synchronization
import TestSupport
import Testing
import Transporting

/// A response that is whole while its request is still on its way.
@Suite struct EarlyResponseTests {
    private static let letters = String(decoding: Script.letters(16 << 20), as: UTF8.self)

    /// Takes the beginning of a body, or none of it, responds, and neither reads on nor closes.
    private func server(_ version: RequestOptions.HTTPVersion, status: Int = 200) throws -> LoopbackServer {
        if version == .http1 {
            return try LoopbackServer { connection in
                _ = try connection.readHead()
                try connection.respond(status: status, body: status == 204 ? "" : "enough")
                try connection.wait(for: Gate(), timeout: .seconds(60))
            }
        }
        return try LoopbackServer(
            .http2 { connection in
                let stream = try connection.readRequest()
                // The static table's entries for ":status: 200" and "content-length" (RFC 7541, appendix A).
                try connection.write(
                    .headers, flags: 0x4, stream: stream, payload: [0x88, 0x0F, 0x0D, 1, UInt8(ascii: "6")])
                try connection.write(.data, flags: 1, stream: stream, payload: Array("enough".utf8))
                try connection.connection.wait(for: Gate(), timeout: .seconds(60))
            })
    }

    @Test(arguments: [RequestOptions.HTTPVersion.http1, .http2PriorKnowledge], [true, false])
    func `an upload that does not go on is given up a second after the response`(
        _ version: RequestOptions.HTTPVersion, isSourceSlow: Bool
    ) async throws {
        let server = try server(version)
        let clock = ManualClock()
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.httpVersion = version
        defer { server.stop() }
        let body = isSourceSlow ? Body(SteppedSource()) : Body.text(Self.letters)

        let (_, record) = await client.begin(.post, server.url(), body: body, options: options)
        try await record.headOrEnd.opened()
        async let finished = client.finish(record)
        try await goOn(clock, record)
        let outcome = try await finished

        #expect(outcome.status == 200 && outcome.text == "enough")
        #expect(outcome.error == nil)
    }

    @Test func `an upload that goes on after the response is not given up`() async throws {
        let read = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.respond(status: 204)
            for _ in 0..<5 {
                _ = try connection.readBytes("1\r\nx\r\n".utf8.count)
                read.admit()
            }
            _ = try connection.readBytes("0\r\n\r\n".utf8.count)
            try connection.waitForClose()
        }
        let clock = ManualClock()
        let client = Client(clock: clock)
        let source = SteppedSource()
        defer { server.stop() }

        let (_, record) = await client.begin(.post, server.url(), body: Body(source))
        for number in 1...5 {
            source.give("x")
            try await read.opened(for: number)
            await client.onLoop {}
            clock.advance(by: .milliseconds(900))
            await client.onLoop {}
        }
        let isOverEarly = record.notes.contains(.ended(nil))
        source.give(nil)
        let outcome = try await client.finish(record)

        #expect(!isOverEarly)
        #expect(outcome.status == 204 && outcome.error == nil)
    }

    /// Moves the clock in steps until the attempt is over.
    private func goOn(_ clock: ManualClock, _ record: AttemptRecord) async throws {
        for _ in 0..<200 where !record.notes.contains(.ended(nil)) {
            clock.advance(by: .milliseconds(500))
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// Gives a piece when the test asks for it.
private final class SteppedSource: BodySource {
    private let state = Mutex<(pull: Pull?, pieces: [Piece])>((nil, []))
    var length: Int? { nil }

    func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        complete()
    }

    /// Nil ends the body.
    func give(_ text: String?) {
        state.withLock { $0.pieces.append(text.map { .bytes(Bytes($0)) } ?? .end(trailers: Fields())) }
        complete()
    }

    private func complete() {
        let (pull, piece) = state.withLock { state -> (Pull?, Piece?) in
            guard let pull = state.pull, !state.pieces.isEmpty else { return (nil, nil) }
            state.pull = nil
            return (pull, state.pieces.removeFirst())
        }
        if let pull, let piece { pull.complete(piece) }
    }
}
