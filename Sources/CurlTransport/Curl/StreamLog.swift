/// Reads from libcurl's log whether the server did not process the request of an HTTP/2 stream, and will not do so.
///
/// A server reports it for one stream (REFUSED_STREAM, RFC 9113 §8.7), or for all streams above the last one in GOAWAY
/// (§6.8). libcurl logs the last stream to the transfer that reads the connection then. For REFUSED_STREAM on a reused
/// connection, 7.88.1 logs the same as for any loss of such a connection; later versions report it in their trace of
/// HTTP/2, where a line begins with the number of its stream.
struct StreamLog {
    private(set) var isRefused = false
    /// The number of the stream, or 0.
    private var stream = 0

    mutating func read(_ line: UnsafeRawBufferPointer) {
        if StreamLog.begins(line, "Connection died") {
            // libcurl looks for another connection: lines of GOAWAY may come from any that it probes, until the next
            // stream.
            stream = 0
        } else if let number = StreamLog.number(line, after: "Using Stream ID: ") {
            // 7.88.1.
            stream = number
        } else if let number = StreamLog.number(line, after: "[HTTP/2] ["),
            let end = line.dropFirst(10).firstIndex(of: 0x5D)
        {
            // Later versions.
            let rest = UnsafeRawBufferPointer(rebasing: line[min(end + 2, line.endIndex)...])
            if StreamLog.begins(rest, "OPENED stream") { stream = number }
            if StreamLog.begins(rest, "REFUSED_STREAM") { isRefused = true }
        } else if StreamLog.begins(line, "REFUSED_STREAM") {
            isRefused = true
        } else if StreamLog.begins(line, "received GOAWAY") || StreamLog.begins(line, "recveived GOAWAY"),
            let equals = line.lastIndex(of: UInt8(ascii: "=")), stream > 0
        {
            let last = StreamLog.number(UnsafeRawBufferPointer(rebasing: line[equals...]), after: "=")
            if let last, last < stream { isRefused = true }
        }
    }

    private static func begins(_ line: UnsafeRawBufferPointer, _ words: StaticString) -> Bool {
        line.starts(with: UnsafeRawBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount))
    }

    private static func number(_ line: UnsafeRawBufferPointer, after words: StaticString) -> Int? {
        guard begins(line, words) else { return nil }
        let digits = line[words.utf8CodeUnitCount...].prefix { $0 &- 0x30 < 10 }
        return HeadReader.number(UnsafeRawBufferPointer(rebasing: digits))
    }
}
