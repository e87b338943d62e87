import Testing

@testable import PlugboardCurl

/// The lines of libcurl 7.88.1 and 8.14.1.
@Suite struct StreamLogTests {
    private func isRefused(_ lines: [String]) -> Bool {
        var log = StreamLog()
        for line in lines { line.utf8.withContiguousStorageIfAvailable { log.read(UnsafeRawBufferPointer($0)) } }
        return log.isRefused
    }

    @Test(
        arguments: [
            "Using Stream ID: 7 (easy handle 0x55d0)", "[HTTP/2] [7] OPENED stream for https://a.example/\n",
        ], ["recveived GOAWAY, error=0, last_stream=", "received GOAWAY, error=11, last_stream="])
    func `a stream above the last of a GOAWAY is refused, and no other`(opened: String, goAway: String) {
        #expect(isRefused([opened, goAway + "5\n"]))
        #expect(isRefused([opened, "Using Stream", goAway + "0"]))
        #expect(!isRefused([opened, goAway + "7"]))
        #expect(!isRefused([opened, "[HTTP/2] [9] <- FRAME[DATA]", goAway + "7"]), "a line of another stream")
        #expect(!isRefused([opened, goAway + "2147483647\n"]))
        #expect(!isRefused([goAway + "5"]), "the stream is not known")
        #expect(
            !isRefused([opened, "Connection died, retrying a fresh connect (retry count: 1)\n", goAway + "0"]),
            "a line of another connection")
        #expect(!isRefused([opened, goAway]))
        #expect(!isRefused([opened, " subject: CN=" + goAway + "5"]), "the words of a server")
    }

    @Test func `a stream that libcurl sends again by itself is refused`() {
        #expect(isRefused(["REFUSED_STREAM, retrying a fresh connect\n"]))
        #expect(isRefused(["[HTTP/2] [7] REFUSED_STREAM, try again on a new connection"]))
        #expect(!isRefused(["[HTTP/2] [7] header: REFUSED_STREAM"]), "the words of a server")
        #expect(!isRefused(["Connection died, retrying a fresh connect (retry count: 1)\n", "REFUSED", ""]))
    }

    @Test func `the end of a stream is that of its own last frame, or of its unfinished upload`() {
        func hasEnded(_ line: String) -> Bool {
            var log = StreamLog()
            for line in ["[HTTP/2] [7] OPENED stream for https://a.example/\n", line + "\n"] {
                line.utf8.withContiguousStorageIfAvailable { log.read(UnsafeRawBufferPointer($0)) }
            }
            return log.hasEnded
        }

        #expect(hasEnded("[HTTP/2] [7] <- FRAME[DATA, len=6, eos=1, padlen=0]"))
        #expect(hasEnded("[HTTP/2] [7] <- FRAME[HEADERS, len=6, hend=1, eos=1]"))
        #expect(hasEnded("[HTTP/2] [7] EOS frame with unfinished upload and HTTP status 502, abort upload by RST"))
        #expect(!hasEnded("[HTTP/2] [7] <- FRAME[DATA, len=6, eos=0, padlen=0]"))
        #expect(!hasEnded("[HTTP/2] [7] -> FRAME[DATA, len=6, eos=1, padlen=0]"))
        #expect(!hasEnded("[HTTP/2] [9] <- FRAME[DATA, len=6, eos=1, padlen=0]"), "another stream")
        #expect(!hasEnded("[HTTP/2] [7] header: x: <- FRAME[DATA, len=6, eos=1, padlen=0]"), "the words of a server")
    }

    @Test func `trailers are read from the log, except lines that it cuts off`() {
        var log = StreamLog()
        let long = "[HTTP/2] [7] trailer: long: " + String(repeating: "x", count: 2000)
        for line in [
            "[HTTP/2] [7] OPENED stream for https://a.example/\n", "[HTTP/2] [7] trailer: x-sum: 6\n",
            "[HTTP/2] [9] trailer: other: 1\n", long + String(repeating: "x", count: 2043 - long.utf8.count) + "...\n",
        ] {
            line.utf8.withContiguousStorageIfAvailable { log.read(UnsafeRawBufferPointer($0)) }
        }

        #expect(log.trailers == [Array("x-sum: 6\n".utf8)])
    }

    @Test(arguments: ["ALPN: ", "ALPN: curl "])
    func `the last offer shows whether the server demands HTTP1`(words: String) {
        func isDowngraded(_ offers: String...) -> Bool {
            var log = StreamLog()
            for offer in offers {
                "\(words)offers \(offer)\n".utf8.withContiguousStorageIfAvailable {
                    log.read(UnsafeRawBufferPointer($0))
                }
            }
            return log.isDowngraded
        }

        #expect(isDowngraded("http/1.1"))
        #expect(isDowngraded("h2,http/1.1", "http/1.1"))
        #expect(!isDowngraded("h2,http/1.1"))
        #expect(!isDowngraded("http/1.1", "h2,http/1.1"), "the first was for a proxy")
    }
}
