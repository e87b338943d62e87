/// An absolute http or https URL in the one form in which URLs are compared (RFC 9110 §4.2.3, RFC 3986 §6.2.2.1 and
/// §6.2.2.2): the origin in its normal form, no fragment, and nothing percent-encoded that need not be.
///
/// Dot segments stay: a path is sent with them, and a server may give `/a/../b` another meaning than `/b`.
public struct NormalURL: Hashable, Sendable {
    public let text: String

    /// Nil for what is no absolute http or https URL, and for one with a user: a text by which things are found must not hold
    /// credentials, and without them one user could get what is another's.
    public init?(_ url: String) {
        if NormalURL.isPlain(url) {
            text = url
            return
        }
        guard let parts = URLParts(url), parts.userinfo == nil, let origin = Origin(parts) else { return nil }
        text =
            origin.description
            + NormalURL.pathAndQuery(
                PercentEncoding.normalized(parts.path.utf8), parts.query.map { PercentEncoding.normalized($0.utf8) },
                isRooted: true)
    }

    /// Where the query begins, at its `?`.
    public var queryStart: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: "?")) }

    static func pathAndQuery(_ path: [UInt8], _ query: [UInt8]?, isRooted: Bool) -> String {
        var text = path
        if isRooted, text.first != UInt8(ascii: "/") { text.insert(UInt8(ascii: "/"), at: 0) }
        if let query { text += [UInt8(ascii: "?")] + query }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a URL is in normal form for certain, as almost all are: it is looked at once, and nothing is made.
    private static func isPlain(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { bytes in
            let start = bytes.starts(with: "http://".utf8) ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
            guard start > 0, let path = bytes[start...].firstIndex(of: UInt8(ascii: "/")), path > start else {
                return false
            }
            // Addresses take the long way.
            let host = bytes[start..<path].prefix { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            }
            let rest = bytes[host.endIndex..<path]
            return isPlainName(host) && (rest.isEmpty || isPlainPort(rest, own: start == 7 ? 80 : 443))
                && isPlainPath(bytes[path...])
        }
    }

    /// Labels that are not empty, of which the last does not begin with a digit.
    private static func isPlainName(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard name.count <= 255 else { return false }
        var previous = UInt8(ascii: ".")
        var isNumberLike = false
        for byte in name {
            if previous == UInt8(ascii: ".") {
                if byte == previous { return false }
                isNumberLike = (0x30...0x39).contains(byte)
            }
            previous = byte
        }
        return previous != UInt8(ascii: ".") && !isNumberLike
    }

    private static func isPlainPath(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        path.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "#") }
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
}
