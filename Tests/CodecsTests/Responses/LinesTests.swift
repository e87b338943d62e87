import Plugboard
import TestSupport
import Testing

struct LinesTests {
    private func lines(_ pieces: [Bytes], upTo limit: ByteCount = .mebibytes(1)) async throws -> [String] {
        var lines: [String] = []
        for try await line in Body(PiecesSource(pieces)).lines(upTo: limit) { lines.append(line) }
        return lines
    }

    private static let text = "\u{FEFF}one\ntwo\r\nthree\r\r\n\n\nfour é\u{1F600}\r\u{FEFF}last"
    private static let expected = ["one", "two", "three", "", "", "", "four é\u{1F600}", "\u{FEFF}last"]

    @Test func `lines end with LF, CR or CR LF, wherever the pieces are cut`() async throws {
        let bytes = Bytes(Self.text)

        for cut in 0...bytes.count {
            #expect(try await lines([bytes[0..<cut], bytes[cut..<bytes.count]]) == Self.expected, "cut at \(cut)")
        }
        #expect(try await lines((0..<bytes.count).map { bytes[$0..<$0 + 1] }) == Self.expected)
    }

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a\n", ["a"]), ("a\r", ["a"]), ("a\r\n", ["a"]), ("a\n\n", ["a", ""]),
            ("\u{FEFF}", []), ("\u{FEFF}\n", [""]), ("\n\r", ["", ""]),
        ] as [(String, [String])])
    func `the end of a body ends a line only if there is one`(text: String, expected: [String]) async throws {
        #expect(try await lines([Bytes(text)]) == expected)
    }

    @Test func `invalid bytes become replacement characters`() async throws {
        #expect(try await lines([Bytes([0x61, 0xFF, 0x0A, 0xE3, 0x81])]) == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test func `a line above the limit breaks the sequence, and releases the body`() async throws {
        #expect(try await lines([Bytes("12345\n12345")], upTo: .bytes(5)) == ["12345", "12345"])
        let source = PiecesSource(["ok\n", "12345", "6"])
        var reading = Body(source).lines(upTo: .bytes(5)).makeAsyncIterator()

        #expect(try await reading.next() == "ok")
        let error = await #expect(throws: PlugboardError.self) { _ = try await reading.next() }
        #expect(error?.code == .bodyLimit && source.releases == 1)
        #expect(try await reading.next() == nil)
    }

    @Test func `a break of the body is thrown after the lines before it`() async throws {
        let cut = PlugboardError(.bodyCut, "cut")
        var reading = Body(PiecesSource(["a\nb"], ending: .broken(cut))).lines.makeAsyncIterator()

        #expect(try await reading.next() == "a")
        await #expect(throws: cut) { _ = try await reading.next() }
    }

    @Test(arguments: ["\n", "\r", "a\n", "a\r", "\r\n", "a"])
    func `reading takes time that grows with the body`(unit: String) async throws {
        // A square of 2 MiB would take minutes.
        let text = String(repeating: unit, count: (2 << 20) / unit.utf8.count)
        let ends = text.utf8.count { $0 == 10 } + (unit == "\r" || unit == "a\r" ? text.utf8.count { $0 == 13 } : 0)

        let count = try await lines([Bytes(text)], upTo: .mebibytes(4)).count

        #expect(count == max(ends, 1))
    }

    @Test func `a server that pauses within a line gives the lines before it`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\none\ntw")
            try connection.wait(for: gate)
            try connection.write("o\n")
        }
        let kernel = try Kernel()

        var reading = try await kernel.send(Request(.get, server.url())).body.lines.makeAsyncIterator()

        #expect(try await reading.next() == "one")
        gate.open()
        #expect(try await reading.next() == "two")
        #expect(try await reading.next() == nil)
        await kernel.shutDown()
    }
}
