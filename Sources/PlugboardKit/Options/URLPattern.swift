import PlugboardMessages

/// The URLs that a rule of settings is for: a scheme, a host, a path and a query, where `*` stands for any text within
/// one of them.
///
///     *    https://api.example.com    https://*.example.com/v1/*    *.example.com    */orders*    */x?page=*
///
/// Without a path it is for all paths, and without a query for all queries. A pattern that begins with `*` is for both
/// schemes and all ports; another one is for the port that it has, or else the scheme's own.
public struct URLPattern: Sendable {
    /// The origin if it has no `*`.
    public let origin: Origin?
    /// Nil for both.
    private let scheme: String?
    private let host: Wildcard
    /// Nil for all.
    private let port: Int?
    /// Nil for all.
    private let path: Wildcard?
    /// Nil for all.
    private let query: Wildcard?

    /// Nil for a text that no URL can match: also one with a user, a fragment, dot segments, or bytes that must be
    /// escaped.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#"#\"#.utf8.contains($0) }) else { return nil }
        let isAnyScheme = text.hasPrefix("*")
        let rest = text.hasPrefix("*://") ? text.dropFirst(4) : text[...]
        guard let parts = URLParts(isAnyScheme ? "http://\(rest)" : text), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.host?.lowercased(), !host.isEmpty,
            parts.userinfo == nil, parts.path == parts.pathWithoutDotSegments
        else { return nil }
        path = parts.path.isEmpty ? nil : Wildcard(String(parts.path))
        query = parts.query.map { Wildcard(String($0)) }
        if !isAnyScheme, !host.contains("*") {
            guard let origin = Origin(parts) else { return nil }
            (self.origin, self.scheme, self.host, port) = (origin, origin.scheme, Wildcard(origin.host), origin.port)
            return
        }
        // The port is the scheme's own where none is written, so that a pattern without a scheme cannot have one.
        guard host.utf8.allSatisfy({ URLPattern.isInHost($0) }), host.last != ".",
            let port = Origin(scheme: scheme, host: "a", port: parts.port.map { Int($0) ?? 0 })?.port,
            !isAnyScheme || parts.port == nil
        else { return nil }
        (origin, self.scheme, self.host) = (nil, isAnyScheme ? nil : scheme, Wildcard(host))
        self.port = isAnyScheme ? nil : port
    }

    /// Whether it is for a URL, whose origin is known already. An empty path is `/`, and dot segments are removed.
    public func matches(_ url: URLParts, of origin: Origin) -> Bool {
        if let own = self.origin {
            if own != origin { return false }
        } else if scheme ?? origin.scheme != origin.scheme || port ?? origin.port != origin.port
            || !host.matches(Array(origin.host.utf8))
        {
            return false
        }
        if let path {
            let own = url.path.isEmpty ? [UInt8(ascii: "/")] : Array(url.pathWithoutDotSegments.utf8)
            if !path.matches(own) { return false }
        }
        return query?.matches(Array((url.query ?? "").utf8)) ?? true
    }

    private static func isInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39: true
        default: "*.-_".utf8.contains(byte)
        }
    }
}
