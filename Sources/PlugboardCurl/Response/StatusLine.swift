import PlugboardTransport

/// The status line of a response (RFC 9112 §4), which libcurl composes in HTTP/2 and HTTP/3.
struct StatusLine {
    let version: ResponseHead.Version
    let status: Int
    let reason: String

    init?(_ line: UnsafeRawBufferPointer) {
        guard line.count >= 10, StatusLine.isHTTP(line), let space = line.firstIndex(of: 0x20),
            let version = StatusLine.version(line[5..<space]), space + 4 <= line.count,
            let status = HeadReader.number(UnsafeRawBufferPointer(rebasing: line[(space + 1)..<(space + 4)])),
            status >= 100, space + 4 == line.count || line[space + 4] == 0x20
        else { return nil }
        self.version = version
        self.status = status
        reason = space + 5 < line.count ? StatusLine.reason(line, from: space + 5) : ""
    }

    private static func reason(_ line: UnsafeRawBufferPointer, from start: Int) -> String {
        // The most frequent reason needs no conversion.
        if line.count == start + 2, line[start] == 0x4F, line[start + 1] == 0x4B { return "OK" }
        return Fields.text(UnsafeRawBufferPointer(rebasing: line[start...]))
    }

    private static func isHTTP(_ line: UnsafeRawBufferPointer) -> Bool {
        line[0] == 0x48 && line[1] == 0x54 && line[2] == 0x54 && line[3] == 0x50 && line[4] == 0x2F
    }

    private static func version(_ text: Slice<UnsafeRawBufferPointer>) -> ResponseHead.Version? {
        let (first, isShort) = (text.first, text.count == 1)
        if isShort { return first == 0x32 ? .http2 : first == 0x33 ? .http3 : nil }
        guard text.count == 3, text[text.startIndex + 1] == 0x2E else { return nil }
        switch (first, text[text.startIndex + 2]) {
        case (0x31, 0x30): return .http10
        // RFC 9110 §2.5: a higher minor version is read as the highest known one.
        case (0x31, 0x31...0x39): return .http11
        case (0x32, 0x30): return .http2
        default: return nil
        }
    }
}
