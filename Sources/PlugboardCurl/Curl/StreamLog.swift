/// Reads from libcurl's log whether the server refused the request of an HTTP/2 stream without processing it, and
/// whether the response has ended.
///
/// A server reports it for one stream (REFUSED_STREAM, RFC 9113 §8.7), or for all streams above the last one in GOAWAY
/// (§6.8). libcurl logs the last stream to the transfer that reads the connection then. For REFUSED_STREAM on a reused
/// connection, 7.88.1 logs the same as for any loss of such a connection; later versions report it in their trace of
/// HTTP/2, where a line begins with the number of its stream. That trace also has the end of a response and its
/// trailers, which libcurl reports only when the request has ended too. 7.88.1 logs neither, and later versions log the
/// end of a successful response to the transfer that reads the connection then.
struct StreamLog {
    private(set) var isRefused = false
    /// Whether a transfer that may use HTTP/2 has offered only HTTP/1.1: libcurl was about to send the request
    /// again, because the server demands that version (HTTP_1_1_REQUIRED, RFC 9113 §7).
    private(set) var isDowngraded = false
    /// The server has ended the stream (END_STREAM).
    private(set) var hasEnded = false
    /// The lines of the trailers, except those that libcurl's log cuts off.
    private(set) var trailers: [[UInt8]] = []
    /// The bytes of the longest line in libcurl's log: `TRC_LINE_MAX` less the NUL.
    private static let longestLine = 2047
    /// The number of the stream, or 0.
    private var stream = 0

    mutating func read(_ line: UnsafeRawBufferPointer) {
        if StreamLog.begins(line, "Connection died") {
            // libcurl looks for another connection: lines of GOAWAY may come from any that it probes, until the next
            // stream.
            stream = 0
        } else if let number = StreamLog.number(line, after: "Using Stream ID: ") {
            // 7.88.1 logs this.
            stream = number
        } else if let number = StreamLog.number(line, after: "[HTTP/2] ["),
            let end = line.dropFirst(10).firstIndex(of: 0x5D)
        {
            // Later versions log this.
            let rest = UnsafeRawBufferPointer(rebasing: line[min(end + 2, line.endIndex)...])
            read(rest, of: number, lineLength: line.count)
        } else if StreamLog.begins(line, "REFUSED_STREAM") {
            isRefused = true
        } else if StreamLog.begins(line, "ALPN: offers ") || StreamLog.begins(line, "ALPN: curl offers ") {
            // The last offer counts: an HTTPS proxy gets an offer before the server does.
            isDowngraded = !StreamLog.begins(line, "ALPN: offers h2") && !StreamLog.begins(line, "ALPN: curl offers h2")
        } else if StreamLog.begins(line, "received GOAWAY") || StreamLog.begins(line, "recveived GOAWAY"),
            let equals = line.lastIndex(of: UInt8(ascii: "=")), stream > 0
        {
            let last = StreamLog.number(UnsafeRawBufferPointer(rebasing: line[equals...]), after: "=")
            if let last, last < stream { isRefused = true }
        }
    }

    private mutating func read(_ text: UnsafeRawBufferPointer, of number: Int, lineLength: Int) {
        if StreamLog.begins(text, "OPENED stream") {
            (stream, hasEnded, trailers) = (number, false, [])
        } else if StreamLog.begins(text, "REFUSED_STREAM") {
            isRefused = true
        } else if number != stream {
            return
        } else if StreamLog.begins(text, "<- FRAME[DATA") || StreamLog.begins(text, "<- FRAME[HEADERS") {
            if StreamLog.endsStream(text) { hasEnded = true }
        } else if StreamLog.begins(text, "EOS frame ") {
            // Logged even if another transfer has read the frame.
            hasEnded = true
        } else if StreamLog.begins(text, "trailer: "), lineLength < StreamLog.longestLine {
            trailers.append(Array(text.dropFirst(9)))
        }
    }

    private static func endsStream(_ frame: UnsafeRawBufferPointer) -> Bool {
        StaticString(" eos=1").withUTF8Buffer { mark in
            frame.indices.contains { frame[$0...].starts(with: mark) }
        }
    }

    static func begins(_ line: UnsafeRawBufferPointer, _ words: StaticString) -> Bool {
        line.starts(with: UnsafeRawBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount))
    }

    private static func number(_ line: UnsafeRawBufferPointer, after words: StaticString) -> Int? {
        guard begins(line, words) else { return nil }
        let digits = line[words.utf8CodeUnitCount...].prefix { $0 &- 0x30 < 10 }
        return HeadReader.number(UnsafeRawBufferPointer(rebasing: digits))
    }
}
