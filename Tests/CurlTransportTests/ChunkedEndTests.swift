import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// The end of the chunked coding in raw bytes, however they are split.
@Suite struct ChunkedEndTests {
    private func isFound(_ text: String, pieceSize: Int) -> Bool {
        var end = ChunkedEnd()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            bytes[start..<min(start + pieceSize, bytes.count)].withUnsafeBytes { end.read($0) }
        }
        return end.isFound
    }

    @Test(
        arguments: [
            "0\r\n\r\n", "4\r\nbody\r\n0\r\n\r\n", "0A;ext=\"0\"\r\n0\r\n\r\n0\r\n\r\n\r\n000;x\r\nSum: 1\r\n\r\n",
            "b \r\nelevenbytes\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        ], [1, 2, 3, 1000])
    func `the end is found with its last byte, and not before`(_ text: String, pieceSize: Int) {
        #expect(isFound(text, pieceSize: pieceSize))
        #expect(!isFound(String(text.dropLast()), pieceSize: pieceSize))
    }

    @Test(arguments: [
        "", "\r\n", "\r\n\r\n", "5\r\nhello!!\r\n0\r\n\r\n", "8000000000000000\r\n\r\n", "x\r\n0\r\n\r\n",
        "10000000000000000\r\n\r\n", "ffffffffffffffffffff\r\n0\r\n\r\n", "8\r\n0\r\n\r\n",
        "5\r\n0\r\n\r\n\r\n0\r\nA: b\r\n",
    ])
    func `what has no end has none`(_ text: String) {
        #expect(!isFound(text, pieceSize: 1000))
    }

    @Test(
        arguments: [
            "5g", "5 g", "5\rg", "5:", "0x5", "5,6", "-5", "+5", " 5", "", "g", "4", "8000000000000000",
        ], [1, 3, 1000])
    func `a size that is no number, too large or not its chunk's is refused`(_ size: String, pieceSize: Int) {
        var end = ChunkedEnd()
        let bytes = Array("\(size)\r\nhello\r\n0\r\n\r\n".utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            bytes[start..<min(start + pieceSize, bytes.count)].withUnsafeBytes { end.read($0) }
        }
        #expect(end.complaint != nil)
        #expect(!end.isFound)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true], [Method.get, .post])
    func `a response whose chunk extensions do not end is refused`(isOneLine: Bool, method: Method) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            if isOneLine { try connection.write("1;a=") }
            let piece = isOneLine ? "bbbbbbbb" : "1;a=\(String(repeating: "b", count: 100))\r\nx\r\n"
            // Until the client closes the connection.
            while true { try connection.write(String(repeating: piece, count: 100)) }
        }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), body: method == .post ? .text("body") : nil)

        #expect(outcome.status == 200)
        #expect(outcome.error?.code == .transportProtocol)
        #expect(outcome.error?.reason.contains("chunk extensions") == true, "\(outcome.error as Any)")
    }

    @Test(arguments: [
        "5g\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "5\r\nhello!!\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nA: \(String(repeating: "b", count: 200_000))\r\n\r\n",
    ])
    func `a body that breaks the chunked coding is malformed, and not lost`(_ body: String) async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.error?.code == .transportProtocol)
    }

    @Test func `a response with a short extension for each of many chunks is read`() async throws {
        let chunk = "400;signature=\(String(repeating: "0", count: 64))\r\n\(String(repeating: "x", count: 1024))\r\n"
        let server = try LoopbackServer(
            .raw(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: chunk, count: 2000) + "0\r\n\r\n"))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.error == nil)
        #expect(outcome.text?.utf8.count == 2_048_000)
    }
}
