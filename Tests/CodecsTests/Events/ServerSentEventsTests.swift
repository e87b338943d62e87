import Plugboard
import TestSupport
import Testing

struct ServerSentEventsTests {
    private func events(_ pieces: [Bytes], upTo limit: ByteCount = .mebibytes(1)) async throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for try await event in Body(PiecesSource(pieces)).serverSentEvents(upTo: limit) { events.append(event) }
        return events
    }

    private func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, id: id)
    }

    /// The examples of the standard (§9.2.6) and what its rules say beyond them.
    private static let streams: [(String, [ServerSentEvent])] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            [ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
        ("data:test\n\ndata: test\n\n", [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")]),
        (
            "\u{FEFF}event: add\rdata: 1\r\revent: add\r\ndata: 2\r\n\r\nevent\ndata\n\n",
            [
                ServerSentEvent(type: "add", data: "1"), ServerSentEvent(type: "add", data: "2"),
                ServerSentEvent(data: ""),
            ]
        ),
        ("event: lost\n\ndata: x\n\n", [ServerSentEvent(data: "x")]),
        ("id: a\n\ndata: x\n\n", [ServerSentEvent(data: "x", id: "a")]),
        ("id: a\ndata: 1\n\nid: b\u{0}c\ndata: 2\n\n", [.init(data: "1", id: "a"), .init(data: "2", id: "a")]),
        ("Data: x\n data: x\ndatax: x\ndat: x\n: data: x\n\n", []),
        ("data: é\u{1F600}: :\n\n", [ServerSentEvent(data: "é\u{1F600}: :")]),
        ("\u{FEFF}\u{FEFF}data: x\n\n", []), ("", []), ("\n\r\r\n", []), ("data: x", []), ("data: x\n", []),
    ]

    @Test(arguments: streams.indices)
    func `events are those of the standard, wherever the pieces are cut`(index: Int) async throws {
        let (text, expected) = Self.streams[index]
        let bytes = Bytes(text)

        for cut in 0...bytes.count {
            let found = try await events([bytes[0..<cut], bytes[cut..<bytes.count]])
            #expect(found == expected, "cut at \(cut)")
        }
        #expect(try await events((0..<bytes.count).map { bytes[$0..<$0 + 1] }) == expected)
    }

    @Test(
        arguments: [
            ("retry: 1500\n", 1500), ("retry:0\n", 0), ("retry: 10\nretry: x\n", 10), ("retry: 1e3\n", nil),
            ("retry: -1\n", nil), ("retry:\n", nil), ("retry: 1 \n", nil), ("retry: ١\n", nil),
            ("retry: 99999999999999999999999999\n", 31_536_000_000),
        ] as [(String, Int?)])
    func `a time to connect again is digits and nothing else`(text: String, milliseconds: Int?) async throws {
        var reading = Body.text(text + "\n").serverSentEvents.makeAsyncIterator()

        #expect(try await reading.next() == nil)

        #expect(reading.reconnectionTime == milliseconds.map { .milliseconds($0) })
    }

    @Test func `the last id is that of the last empty line`() async throws {
        var reading = Body.text("id: 1\ndata: x\n\nid: 2\n\nid: 3\ndata: lost\n").serverSentEvents.makeAsyncIterator()

        #expect(try await reading.next() == event("x", id: "1"))
        #expect(reading.lastEventID == "1")
        #expect(try await reading.next() == nil)
        #expect(reading.lastEventID == "2")
    }

    @Test func `invalid bytes become replacement characters`() async throws {
        #expect(try await events([Bytes(Array("data: a".utf8) + [0xFF, 0x0A, 0x0A])]) == [event("a\u{FFFD}")])
    }

    @Test(arguments: ["data: ", ": ", "", "event: "])
    func `a line of 100 MB fails clearly, and is not read to its end`(start: String) async throws {
        let piece = Bytes([UInt8](repeating: 0x61, count: 64 << 10))
        let source = PiecesSource([Bytes(start)] + Array(repeating: piece, count: 1600))

        let error = await #expect(throws: PlugboardError.self) {
            for try await _ in Body(source).serverSentEvents {}
        }

        #expect(error?.code == .bodyLimit && error?.reason.contains("1MiB") == true)
        #expect(source.pulls < 20 && source.releases == 1)
    }

    @Test func `an event of many lines has the same limit`() async throws {
        let line = Bytes("data: 123456789\n")

        let error = await #expect(throws: PlugboardError.self) {
            _ = try await events(Array(repeating: line, count: 100), upTo: .bytes(64))
        }

        #expect(error?.code == .bodyLimit)
        let many = Array(repeating: Bytes("data: 12345678\n\n"), count: 1000)
        #expect(try await events(many, upTo: .bytes(64)).count == 1000)
    }

    @Test(arguments: ["\n", "a\n", "data\n", ":\r", "data:x\n\n", "id:1\n"])
    func `reading takes time that grows with the stream`(unit: String) async throws {
        // A square of 2 MiB would take minutes.
        let text = String(repeating: unit, count: (2 << 20) / unit.utf8.count)

        let count = try await events([Bytes(text)], upTo: .mebibytes(4)).count

        #expect(count == (unit == "data:x\n\n" ? (2 << 20) / 8 : 0))
    }
}
