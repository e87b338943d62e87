import PlugboardKit

/// What cookies need to know of the URL of a request: RFC 6265bis's request-uri.
struct RequestURI: Equatable, Sendable {
    /// Whether the connection keeps secrets.
    var isSecure: Bool
    /// In lower case; IPv6 addresses in brackets.
    var host: String
    /// Up to the query; at least `/`.
    var path: [UInt8]

    init(isSecure: Bool, host: String, path: [UInt8]) {
        self.isSecure = isSecure
        self.host = host
        self.path = path
    }

    /// Nil for what is no absolute http or https URL with a host.
    ///
    /// - Parameter trustsLoopback: Whether http to this very machine is as good as https.
    init?(_ url: String, trustsLoopback: Bool = false) {
        var url = url
        guard let parts = url.withUTF8({ Parts(UnsafeRawBufferPointer($0)) }) else { return nil }
        isSecure = parts.isHTTPS || trustsLoopback && HostName.isLoopback(parts.host)
        host = parts.host
        path = parts.path
    }

    /// Whether a URL may have `.` or `..` in its path, which mean something else than they say.
    static func mayHaveDotSegments(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { bytes in
            zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
        }
    }

    /// §5.1.4: where a cookie belongs that does not say so.
    var defaultPath: [UInt8] {
        guard let last = path.lastIndex(of: UInt8(ascii: "/")), last > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<last])
    }

    /// §5.1.4: whether a request for a path gets the cookies of another.
    static func path(_ path: [UInt8], matches cookiePath: [UInt8]) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }

    /// The URL taken apart, byte by byte (RFC 3986 §3).
    private struct Parts {
        let isHTTPS: Bool
        let host: String
        let path: [UInt8]

        init?(_ url: UnsafeRawBufferPointer) {
            guard let colon = url.prefix(6).firstIndex(of: UInt8(ascii: ":")) else { return nil }
            isHTTPS = Parts.matches(url[..<colon], "https")
            guard isHTTPS || Parts.matches(url[..<colon], "http"), Parts.matches(url[(colon + 1)...].prefix(2), "//")
            else { return nil }
            let rest = url[(colon + 3)...]
            let end = rest.firstIndex(where: Parts.endsAuthority) ?? rest.endIndex
            guard let host = Parts.host(rest[..<end]) else { return nil }
            self.host = host
            let path = rest[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            self.path = path.isEmpty ? [UInt8(ascii: "/")] : Array(path)
        }

        private static func endsAuthority(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }

        private static func host(_ authority: Slice<UnsafeRawBufferPointer>) -> String? {
            let user = authority.lastIndex(of: UInt8(ascii: "@"))
            let place = user.map { authority[($0 + 1)...] } ?? authority
            let isBracketed = place.first == UInt8(ascii: "[")
            let end =
                isBracketed
                ? place.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
                : place.firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex
            guard let end, end > place.startIndex else { return nil }
            let bytes = place[..<end]
            let host = String(unsafeUninitializedCapacity: bytes.count) { buffer in
                for (index, byte) in bytes.enumerated() { buffer.initializeElement(at: index, to: lowercased(byte)) }
                return bytes.count
            }
            return isBracketed ? Origin.normalizedHost(host) : host
        }

        /// Compares without regard to case; the word is given in lower case.
        private static func matches(_ bytes: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
            guard bytes.count == word.utf8CodeUnitCount else { return false }
            for (index, byte) in bytes.enumerated() where lowercased(byte) != word.utf8Start[index] { return false }
            return true
        }
    }
}
