import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// A body that waits until the server wants it (RFC 9110 §10.1.1).
@Suite struct ExpectTests {
    private static let fields: [Fields] = [
        Fields(["Expect": "100-continue"]), Fields(["accept": "text/plain", "EXPECT": "100-Continue", "X": "y"]),
        Fields(["Accept": "", "Expect": "100-continue"]),
    ]

    @Test(arguments: fields, [true, false])
    func `a body waits for 100, and for no other interim response`(_ fields: Fields, isLengthKnown: Bool) async throws {
        let (waited, gate) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
            waited.open()
            try connection.wait(for: gate)
            try connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            let rest = isLengthKnown ? "body" : "4\r\nbody\r\n0\r\n\r\n"
            let body = try connection.readBytes(rest.utf8.count)
            try connection.respond(body: body == Array(rest.utf8) ? "good" : "bad")
        }
        let client = Client(clock: ManualClock())
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), fields: fields, body: isLengthKnown ? .text("body") : Body(PiecesSource(["body"])),
            isWatched: true)
        try await waited.opened()
        await client.onLoop {}
        let isSentEarly = record.notes.contains(.reached(.sent))
        gate.open()
        let outcome = try await client.finish(record)

        #expect(!isSentEarly)
        #expect(outcome.status == 200 && outcome.text == "good")
        #expect(record.notes.filter { $0 == .interim(103) || $0 == .interim(100) }.count == 2)
        let request = try #require(server.requests.first)
        #expect(request["Expect"]?.lowercased() == "100-continue")
        #expect(request["Accept"] == (fields["accept"] == "text/plain" ? "text/plain" : "*/*"))
        #expect(request["X"] == fields["X"])
    }

    @Test func `the source of the body is left alone until the server wants the body`() async throws {
        let (asked, gate) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            asked.open()
            try connection.wait(for: gate)
            try connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            let body = try connection.readBytes("4\r\nbody\r\n0\r\n\r\n".utf8.count)
            try connection.respond(body: String(decoding: body[3..<7], as: UTF8.self))
        }
        let client = Client(clock: ManualClock())
        let source = SteppedSource()
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), fields: Fields(["Expect": "100-continue"]), body: Body(source))
        try await asked.opened()
        await client.onLoop {}
        let isPulledEarly = source.isPulled
        gate.open()
        source.give("body")
        source.give(nil)
        let outcome = try await client.finish(record)

        #expect(!isPulledEarly)
        #expect(outcome.text == "body")
    }

    @Test func `a server that says nothing gets the body after a second`() async throws {
        let asked = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            asked.open()
            let body = try connection.readBytes(4)
            try connection.respond(body: String(decoding: body, as: UTF8.self))
        }
        let clock = ManualClock()
        let client = Client(clock: clock)
        defer { server.stop() }

        let (_, record) = await client.begin(
            .put, server.url(), fields: Fields(["Expect": "100-continue"]), body: .text("body"))
        try await asked.opened()
        let before = record.notes
        async let finished = client.finish(record)
        // libcurl asks for the body soon after it has sent the head.
        try await client.goOn(clock, until: record)
        let outcome = try await finished

        #expect(before.isEmpty)
        #expect(outcome.text == "body")
    }

    @Test(arguments: [200, 403])
    func `a response instead of 100 is the response`(_ status: Int) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.respond(status: status, body: "early")
            try connection.waitForClose()
        }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(
            .post, server.url(), fields: Fields(["Expect": "100-continue"]), body: .text("body"))

        #expect(outcome.status == status && outcome.text == "early" && outcome.error == nil)
        #expect(server.requests.count == 1)
    }
}
