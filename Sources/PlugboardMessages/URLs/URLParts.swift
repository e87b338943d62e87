/// A URL or a relative reference, divided into its parts (RFC 3986 §3). The contents of the parts are not checked.
///
/// The text is scanned once, in time that grows with its length. The parts are views of the text: they are not copied.
/// All code of Plugboard that reads URLs uses these parts. Only libcurl parses URLs itself, and a URL that it reads
/// differently is refused before it is sent.
public struct URLParts: Sendable, Equatable {
    /// The whole text, as it was given.
    public let text: String
    private let scan: Scan

    /// Nil if the text before the first colon would be a scheme and is not a valid one (RFC 3986 §3.1).
    public init?(_ text: String) {
        var text = text
        guard let scan = text.withUTF8({ Scan($0) }) else { return nil }
        (self.text, self.scan) = (text, scan)
    }

    /// The bytes of a field, such as `Location`, as a URL: spaces, control characters and bytes above ASCII are
    /// percent-encoded.
    public init?(escaping bytes: UnsafeRawBufferPointer) {
        self.init(String(decoding: PercentEncoding.escaped(bytes), as: UTF8.self))
    }

    /// The text as it is sent: after the authority, spaces and bytes above ASCII are escaped, with hexadecimal digits
    /// in upper case. A space is `%20` in queries, too. Escapes that the text has stay as they are.
    package var escapedText: String {
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return text }
        let rest = Array(text.utf8[pathStart...]).withUnsafeBytes(PercentEncoding.escaped)
        return String(text.utf8[..<pathStart]).map { $0 + String(decoding: rest, as: UTF8.self) } ?? text
    }

    /// The scheme without its colon, as it is written; nil in a relative reference.
    public var scheme: Substring? { scan.schemeEnd > 0 ? part(0, scan.schemeEnd) : nil }

    /// The part between `//` and the next `/`, `?` or `#`; nil if there is no `//`.
    public var authority: Substring? { scan.hasAuthority ? part(scan.authorityStart, scan.pathStart) : nil }

    /// User and password with the `@` after them, which is the last of the authority; nil if there is none.
    public var userinfo: Substring? {
        scan.hostStart > scan.authorityStart ? part(scan.authorityStart, scan.hostStart) : nil
    }

    /// Whether there is a user or a password. `http://@host/` and `http://:@host/` have neither.
    public var hasCredentials: Bool { userinfo.map { $0 != "@" && $0 != ":@" } ?? false }

    /// The authority without the user: a host, and a port if there is a colon after the host.
    public var hostAndPort: Substring? { scan.hasAuthority ? part(scan.hostStart, scan.pathStart) : nil }

    /// The host as it is written, with the brackets of an IPv6 address.
    public var host: Substring? { scan.hasAuthority ? part(scan.hostStart, scan.hostEnd) : nil }

    /// The text after the host's colon, which may be empty; nil if there is no colon.
    public var port: Substring? { scan.hostEnd < scan.pathStart ? part(scan.hostEnd + 1, scan.pathStart) : nil }

    /// The part up to `?` or `#`; may be empty.
    public var path: Substring { part(scan.pathStart, scan.pathEnd) }

    /// The path without dot segments (RFC 3986 §5.2.4); `%2e` counts as a dot, and all else stays as it is written.
    public var pathWithoutDotSegments: Substring {
        let path = path
        let bytes = Array(path.utf8)
        let kept = PercentEncoding.withoutDotSegments(bytes, decoding: true)
        return kept.count == bytes.count ? path : Substring(String(decoding: kept, as: UTF8.self))
    }

    /// The index in `text` at which path, query and fragment begin.
    public var pathStart: String.Index { index(scan.pathStart) }

    /// The query without its `?`; nil if there is no `?`.
    public var query: Substring? { scan.pathEnd < scan.queryEnd ? part(scan.pathEnd + 1, scan.queryEnd) : nil }

    /// The fragment without its `#`; nil if there is no `#`.
    public var fragment: Substring? { scan.queryEnd < scan.end ? part(scan.queryEnd + 1, scan.end) : nil }

    /// The scheme in lower case if it is `http` or `https`, else nil.
    package var httpScheme: String? { hasScheme("http") ? "http" : hasScheme("https") ? "https" : nil }

    /// - Parameter scheme: The scheme in lower case.
    private func hasScheme(_ scheme: StaticString) -> Bool {
        guard scan.schemeEnd == scheme.utf8CodeUnitCount else { return false }
        return withBytes { bytes in
            for index in 0..<scan.schemeEnd where lowercased(bytes[index]) != scheme.utf8Start[index] { return false }
            return true
        }
    }

    /// Whether this is an absolute URL without a user and a fragment whose text is certainly in the normal form of
    /// `NormalURL`, as most are. A text with `%` is not.
    func isNormal(_ origin: Origin) -> Bool {
        guard scan.hostStart == scan.authorityStart, scan.pathStart < scan.end, scan.queryEnd == scan.end else {
            return false
        }
        return withBytes { bytes in
            guard bytes[scan.pathStart] == slash, isEqual(bytes, 0..<scan.schemeEnd, origin.scheme),
                isEqual(bytes, scan.hostStart..<scan.hostEnd, origin.host)
            else { return false }
            for index in scan.pathStart..<scan.end {
                let byte = bytes[index]
                if byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "%") { return false }
            }
            if scan.hostEnd == scan.pathStart { return true }
            return !origin.hasOwnPort && (0x31...0x39).contains(bytes[scan.hostEnd + 1])
        }
    }

    private func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ text: String) -> Bool {
        withUTF8(text) { text in
            guard range.count == text.count else { return false }
            for index in 0..<text.count where bytes[range.lowerBound + index] != text[index] { return false }
            return true
        }
    }

    /// Calls `body` with the host, without a copy; nil if there is no authority.
    func withHost<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        guard scan.hasAuthority else { return nil }
        return withBytes { body(UnsafeBufferPointer(rebasing: $0[scan.hostStart..<scan.hostEnd])) }
    }

    /// Calls `body` with the port, without a copy; nil if there is no colon after the host.
    func withPort<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        guard scan.hostEnd < scan.pathStart else { return nil }
        return withBytes { body(UnsafeBufferPointer(rebasing: $0[(scan.hostEnd + 1)..<scan.pathStart])) }
    }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = text
        return copy.withUTF8(body)
    }

    private func part(_ start: Int, _ end: Int) -> Substring { Substring(text.utf8[index(start)..<index(end)]) }

    // All delimiters are ASCII, so that each offset lies between two characters of Unicode.
    private func index(_ offset: Int) -> String.Index { text.utf8.index(text.utf8.startIndex, offsetBy: offset) }
}

/// Offsets of the delimiters in UTF-8.
private struct Scan: Equatable {
    /// The offset of the scheme's colon; 0 if there is no scheme.
    private(set) var schemeEnd = 0
    /// The authority starts after `//`.
    private(set) var authorityStart = 0
    private(set) var hostStart = 0
    /// The host ends at the port's colon or at the path.
    private(set) var hostEnd = 0
    private(set) var pathStart = 0
    /// The path ends at `?`, at `#` or at the end.
    private(set) var pathEnd = 0
    /// The query ends at `#` or at the end.
    private(set) var queryEnd = 0
    private(set) var end = 0

    var hasAuthority: Bool { authorityStart > 0 }

    // Bytes are read, because a combining mark forms one character with the delimiter before it.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        end = bytes.count
        var index = 0
        func skip(until isDelimiter: (UInt8) -> Bool) {
            while index < bytes.count, !isDelimiter(bytes[index]) { index += 1 }
        }

        skip { $0 == colon || endsAuthority($0) }
        if index < end, bytes[index] == colon {
            guard index > 0, isLetter(bytes[0]), bytes[..<index].allSatisfy(isSchemeByte) else { return nil }
            schemeEnd = index
            index += 1
        } else {
            index = 0
        }
        if index + 1 < end, bytes[index] == slash, bytes[index + 1] == slash {
            index += 2
            authorityStart = index
            hostStart = index
            var portColon: Int?
            while index < end, !endsAuthority(bytes[index]) {
                switch bytes[index] {
                case UInt8(ascii: "@"): (hostStart, portColon) = (index + 1, nil)
                case UInt8(ascii: "]"): portColon = nil
                case colon: portColon = index
                default: break
                }
                index += 1
            }
            hostEnd = portColon ?? index
        } else {
            hostEnd = index
        }
        pathStart = index
        skip { $0 == questionMark || $0 == hash }
        pathEnd = index
        skip { $0 == hash }
        queryEnd = index
    }
}

private let colon = UInt8(ascii: ":")
private let slash = UInt8(ascii: "/")
private let questionMark = UInt8(ascii: "?")
private let hash = UInt8(ascii: "#")

/// Whether a byte ends the authority (RFC 3986 §3.2).
func endsAuthority(_ byte: UInt8) -> Bool { byte == slash || byte == questionMark || byte == hash }

private func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

private func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte >= 0x30 && byte <= 0x39 || "+-.".utf8.contains(byte)
}
