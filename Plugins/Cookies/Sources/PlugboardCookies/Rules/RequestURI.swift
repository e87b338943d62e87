import PlugboardKit

/// The parts of a request's URL that cookies depend on: RFC 6265bis's request-uri.
struct RequestURI: Equatable, Sendable {
    /// Whether the connection is secure.
    var isSecure: Bool
    /// The host in the form of `Origin`.
    var host: String
    /// The path without dot segments, otherwise unchanged; at least `/`.
    var path: [UInt8]

    init(isSecure: Bool, host: String, path: [UInt8]) {
        self.isSecure = isSecure
        self.host = host
        self.path = path
    }

    /// Nil if the URL is not an absolute http or https URL with a host.
    ///
    /// - Parameter trustsLoopback: Whether http to a loopback host counts as secure.
    init?(_ url: String, trustsLoopback: Bool = false) {
        guard let parts = URLParts(url), let origin = Origin(parts) else { return nil }
        isSecure = origin.scheme == "https" || trustsLoopback && HostName.isLoopback(origin.host)
        host = origin.host
        // Servers resolve dot segments too. Escapes stay, because a cookie's `Path` is compared byte by byte.
        path = parts.path.isEmpty ? [UInt8(ascii: "/")] : Array(parts.pathWithoutDotSegments.utf8)
    }

    /// §5.1.4: the path of a cookie without a `Path` attribute.
    var defaultPath: [UInt8] {
        guard let last = path.lastIndex(of: UInt8(ascii: "/")), last > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<last])
    }

    /// §5.1.4: whether a request for `path` sends cookies of `cookiePath`.
    static func path(_ path: [UInt8], matches cookiePath: [UInt8]) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }
}
