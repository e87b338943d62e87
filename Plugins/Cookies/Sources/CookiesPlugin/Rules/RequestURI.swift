import PlugboardKit

/// What cookies need to know of the URL of a request: RFC 6265bis's request-uri.
struct RequestURI: Equatable, Sendable {
    /// Whether the connection keeps secrets.
    var isSecure: Bool
    /// As `Origin` has it.
    var host: String
    /// Up to the query, without dot segments, and otherwise as the URL has it; at least `/`.
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
        guard let parts = URLParts(url), let origin = Origin(parts) else { return nil }
        isSecure = origin.scheme == "https" || trustsLoopback && HostName.isLoopback(origin.host)
        host = origin.host
        // Servers read paths without their dot segments. Escapes stay, for a cookie's `Path` is compared byte for byte.
        path =
            parts.path.isEmpty
            ? [UInt8(ascii: "/")] : PercentEncoding.withoutDotSegments(Array(parts.path.utf8), decoding: true)
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
}
