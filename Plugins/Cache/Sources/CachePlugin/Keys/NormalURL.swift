import PlugboardKit

/// A URL in the one form by which answers are found (RFC 9110 §4.2.3, RFC 3986 §6.2.2): scheme and host in lower case, no port that is
/// the scheme's own, a path, no fragment, and nothing percent-encoded that need not be.
struct NormalURL: Hashable, Sendable {
    let text: String

    /// Nil for what is no absolute http or https URL, and for one with a user: whom an answer is for must not stand in a file, and
    /// without it one user could get another's.
    init?(_ url: String) {
        if NormalURL.isPlain(url) {
            text = url
            return
        }
        guard let parts = URLParts(url), let authority = parts.authority, !authority.utf8.contains(UInt8(ascii: "@")),
            let origin = Origin(url: url)
        else { return nil }
        let rest = url[parts.pathStart...].utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = NormalURL.withNormalEscapes(rest)
        text = origin.description + (path.utf8.first == UInt8(ascii: "/") ? "" : "/") + path
    }

    /// Where the query begins, at its `?`.
    var queryStart: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: "?")) }

    /// Whether a URL is in normal form for certain, as almost all are: it is looked at once, and nothing is made.
    private static func isPlain(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { bytes in
            let start = bytes.starts(with: "http://".utf8) ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
            guard start > 0, let path = bytes[start...].firstIndex(of: UInt8(ascii: "/")), path > start else {
                return false
            }
            // IPv6 addresses take the long way.
            let host = bytes[start..<path].prefix { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            }
            let rest = bytes[host.endIndex..<path]
            return !host.isEmpty && (rest.isEmpty || isPlainPort(rest, own: start == 7 ? 80 : 443))
                && bytes[path...].allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") && $0 != 0x23 }
        }
    }

    /// A colon, and a number without zeros before it that is not the scheme's own.
    private static func isPlainPort(_ text: Slice<UnsafeBufferPointer<UInt8>>, own: Int) -> Bool {
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != 0x30,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return port != own && port <= 65_535
    }

    /// RFC 3986 §6.2.2.1 and §6.2.2.2: digits of escapes in upper case, and unreserved characters as themselves. Bytes that a URL
    /// cannot hold are escaped, as the transport does it.
    private static func withNormalEscapes(_ text: some Sequence<UInt8>) -> String {
        var normal: [UInt8] = []
        var pending = Array(text)[...]
        // Behind a percent sign that begins no escape, what is decoded could make one, and this URL another.
        let isWhole = pending.indices.allSatisfy {
            pending[$0] != UInt8(ascii: "%") || escaped(pending[($0 + 1)...]) != nil
        }
        while let byte = pending.popFirst() {
            if byte == UInt8(ascii: "%"), isWhole, let value = escaped(pending) {
                pending = pending.dropFirst(2)
                if isUnreserved(value) { normal.append(value) } else { appendEscape(of: value, to: &normal) }
            } else if byte <= 0x20 || byte >= 0x7F {
                appendEscape(of: byte, to: &normal)
            } else {
                normal.append(byte)
            }
        }
        return String(decoding: normal, as: UTF8.self)
    }

    private static func escaped(_ digits: ArraySlice<UInt8>) -> UInt8? {
        let digits = digits.prefix(2)
        guard digits.count == 2, let high = digits.first.flatMap(value), let low = digits.last.flatMap(value) else {
            return nil
        }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    private static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
