import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

/// A response that is whole while its request is still on its way.
@Suite struct EarlyResponseTests {
    private static let letters = String(decoding: Script.letters(16 << 20), as: UTF8.self)

    /// How a response shows its end, so that the transport can see it before the request ends.
    enum Framing: CaseIterable {
        case counted, chunked
        /// The end of the stream.
        case endOfStream
        /// The same, with a trailer.
        case trailer

        /// libcurl 7.88.1 does not tell the end of a stream before the request's end.
        static let seen = allCases.filter { !$0.isHTTP2 || CurlAbilities.current.readsEarlyHTTP2Responses }

        var isHTTP2: Bool { self == .endOfStream || self == .trailer }

        var options: RequestOptions {
            var options = RequestOptions()
            options.httpVersion = isHTTP2 ? .http2PriorKnowledge : .http1
            return options
        }
    }

    /// Takes the beginning of a body, or none of it, responds, and neither reads on nor closes before the gate opens;
    /// then resets the connection or the stream.
    private func server(_ framing: Framing, reset: Gate = Gate()) throws -> LoopbackServer {
        if framing.isHTTP2 {
            return try LoopbackServer(
                .http2 { connection in
                    let stream = try connection.readRequest()
                    if framing == .trailer {
                        try connection.respond(to: stream, status: 200, counted: "enough")
                        try connection.end(stream, trailer: "x-sum", "6")
                    } else {
                        try connection.respond(to: stream, body: "enough")
                    }
                    try connection.connection.wait(for: reset, timeout: .seconds(60))
                    // CANCEL.
                    try connection.reset(stream, code: 8)
                    try connection.connection.waitForClose()
                })
        }
        return try LoopbackServer { connection in
            _ = try connection.readHead()
            if framing == .counted {
                try connection.respond(body: "enough")
            } else {
                try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                try connection.write("5;x=y\r\nenoug\r\n001\r\nh\r\n0\r\nX-Sum: 6\r\n\r\n")
            }
            try connection.wait(for: reset, timeout: .seconds(60))
            connection.reset()
        }
    }

    @Test(arguments: Framing.seen, [true, false])
    func `an upload that does not go on is given up a second after the response`(
        _ framing: Framing, isSourceSlow: Bool
    ) async throws {
        let server = try server(framing)
        let clock = ManualClock()
        let client = Client(clock: clock)
        defer { server.stop() }
        let body = isSourceSlow ? Body(SteppedSource()) : Body.text(Self.letters)

        let (_, record) = await client.begin(.put, server.url(), body: body, options: framing.options)
        try await record.headOrEnd.opened()
        async let finished = client.finish(record)
        try await client.goOn(clock, until: record)
        let outcome = try await finished

        #expect(outcome.status == 200 && outcome.text == "enough")
        #expect(outcome.error == nil)
        #expect(outcome.trailers["X-Sum"] == (framing == .counted || framing == .endOfStream ? nil : "6"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a source that keeps its pull is released with its attempt`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        let client = Client()
        defer { server.stop() }
        weak var released: SteppedSource?

        do {
            let source = SteppedSource()
            released = source
            let (attempt, record) = await client.begin(.put, server.url(), body: Body(source))
            while !source.isPulled { await Task.yield() }
            await client.onLoop { attempt.cancel() }
            try await record.headOrEnd.opened()
        }

        // The time limit ends this if it is kept.
        while released != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(arguments: Framing.seen)
    func `a reset after the whole response leaves it whole`(_ framing: Framing) async throws {
        let reset = Gate()
        let server = try server(framing, reset: reset)
        let client = Client(clock: ManualClock())
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), body: .text(Self.letters), options: framing.options)
        try await record.headOrEnd.opened()
        let body = try #require(record.state.withLock { $0.body })
        var text = ""
        while text.utf8.count < 6, case .bytes(let bytes) = await client.pull(body) { text += bytes.text }
        reset.open()
        let outcome = try await client.finish(record)

        #expect(outcome.status == 200 && text == "enough")
        #expect(outcome.error == nil)
        #expect(outcome.body?.isEmpty == true)
    }

    /// NO_ERROR, INTERNAL_ERROR, STREAM_CLOSED and CANCEL. The whole body of 7.88.1 must be read before the reset.
    @Test(
        arguments: [0, 2, 5, 8],
        [(200, true), (200, false), (502, true), (502, false)].filter {
            !$0.1 || CurlAbilities.current.readsEarlyHTTP2Responses
        })
    func `a stream that is reset after its counted body has a whole response`(
        _ code: UInt32, _ status: (code: Int, isResetAtOnce: Bool)
    ) async throws {
        let reset = Gate()
        if status.isResetAtOnce { reset.open() }
        let server = try LoopbackServer(
            .http2 { connection in
                let stream = try connection.readRequest()
                try connection.readData(1)
                try connection.respond(to: stream, status: status.code, counted: "enough")
                try connection.connection.wait(for: reset)
                try connection.reset(stream, code: code)
                try connection.connection.waitForClose()
            })
        let clock = ManualClock()
        let client = Client(clock: clock)
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), body: .text(Self.letters), options: Framing.endOfStream.options)
        try await record.headOrEnd.opened()
        let body = try #require(record.state.withLock { $0.body })
        var text = ""
        while text.utf8.count < 6, case .bytes(let bytes) = await client.pull(body) { text += bytes.text }
        reset.open()
        async let finished = client.finish(record)
        // 7.88.1 reads nothing more while it cannot send.
        if !CurlAbilities.current.readsEarlyHTTP2Responses { try await client.goOn(clock, until: record) }
        let outcome = try await finished

        #expect(outcome.status == status.code && text == "enough")
        #expect(outcome.error == nil)
    }

    @Test func `a reset before the end of the chunked coding cuts the body`() async throws {
        let reset = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nenough\r\n0\r\n")
            try connection.wait(for: reset)
            connection.reset()
        }
        let client = Client(clock: ManualClock())
        defer { server.stop() }

        let (_, record) = await client.begin(.post, server.url(), body: .text(Self.letters))
        try await record.headOrEnd.opened()
        reset.open()
        let outcome = try await client.finish(record)

        #expect(outcome.status == 200 && outcome.error?.code == .bodyCut)
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

    @Test func `an upload is given up only after the time that its speed limit needs`() async throws {
        let server = try server(.counted)
        let clock = ManualClock()
        let client = Client(clock: clock)
        var options = Framing.counted.options
        // libcurl takes 64 KiB at a time.
        options.speed.upload = .bytes(10_000)
        defer { server.stop() }

        let (_, record) = await client.begin(.put, server.url(), body: Body(SteppedSource()), options: options)
        try await record.headOrEnd.opened()
        await client.onLoop {}
        clock.advance(by: .seconds(5))
        for _ in 1...2 { await client.onLoop {} }
        let isOverEarly = record.end.admitted > 0
        async let finished = client.finish(record)
        try await client.goOn(clock, until: record)
        let outcome = try await finished

        #expect(!isOverEarly)
        #expect(outcome.text == "enough" && outcome.error == nil)
    }

    @Test func `a timeout after the whole response ends only the upload`() async throws {
        let server = try server(.counted)
        let clock = ManualClock()
        let client = Client(clock: clock)
        var options = Framing.counted.options
        options.attemptTimeout = .milliseconds(700)
        defer { server.stop() }

        let (_, record) = await client.begin(.put, server.url(), body: Body(SteppedSource()), options: options)
        try await record.headOrEnd.opened()
        await client.onLoop {}
        clock.advance(by: .milliseconds(800))
        let outcome = try await client.finish(record)

        #expect(outcome.text == "enough" && outcome.error == nil)
    }

    @Test func `a suspended upload whose response is whole lets the loop rest`() async throws {
        let server = try server(.counted)
        let clock = ManualClock()
        let client = Client(clock: clock)
        defer { server.stop() }

        let (attempt, record) = await client.begin(.put, server.url(), body: Body(SteppedSource()))
        try await record.headOrEnd.opened()
        await client.onLoop { attempt.suspend() }
        clock.advance(by: .seconds(30))
        await client.onLoop {}
        let rests = try await client.comesToRest()
        let isOverEarly = record.end.admitted > 0
        await client.onLoop { attempt.resume() }
        async let finished = client.finish(record)
        try await client.goOn(clock, until: record)
        let outcome = try await finished

        #expect(rests && !isOverEarly)
        #expect(outcome.text == "enough" && outcome.error == nil)
    }
}
