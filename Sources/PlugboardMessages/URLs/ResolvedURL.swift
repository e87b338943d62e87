extension URLParts {
    /// Resolves a reference against a base URL (RFC 3986 §5.2); nil if that gives no URL.
    ///
    /// Normalized like `NormalURL`, but without dot segments, and with its user, its fragment and a dot at the end of
    /// its host. Takes time that grows with the length of both.
    ///
    /// - Parameter normalizing: False keeps the percent-encoding of path, query and fragment, so that a server gets the
    ///   bytes that it sent.
    public static func resolve(_ reference: String, against base: String, normalizing: Bool = true) -> String? {
        guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), let reference = URLParts(reference),
            let base = URLParts(base), let scheme = reference.scheme ?? base.scheme
        else { return nil }
        let isRelative = reference.scheme == nil && reference.authority == nil
        let authority = isRelative ? base : reference
        var path = reference.path
        var query = reference.query
        if isRelative {
            if path.isEmpty {
                path = base.path
                query = query ?? base.query
            } else if path.utf8.first != UInt8(ascii: "/") {
                path = base.merged(path)
            }
        }
        guard let prefix = normalAuthority(authority, (reference.scheme == nil ? base : reference).httpScheme) else {
            return nil
        }
        func encoded(_ text: Substring) -> [UInt8] {
            normalizing
                ? PercentEncoding.normalized(text.utf8) : Array(text.utf8).withUnsafeBytes(PercentEncoding.escaped)
        }
        let rest = pathAndQuery(
            PercentEncoding.withoutDotSegments(encoded(path)), query.map(encoded), isRooted: authority.authority != nil)
        // Without an authority, a path that begins with two slashes would be read as one.
        if authority.authority == nil, rest.utf8.starts(with: "//".utf8) { return nil }
        let fragment = reference.fragment.map { "#" + String(decoding: encoded($0), as: UTF8.self) }
        return "\(scheme.lowercased()):\(prefix)\(rest)\(fragment ?? "")"
    }

    /// A relative path, joined with the path of this base (RFC 3986 §5.2.3).
    package func merged(_ path: Substring) -> Substring {
        let base = self.path
        guard let slash = base.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return authority == nil ? path : "/\(path)"
        }
        return "\(Substring(base.utf8[...slash]))\(path)"
    }
}

/// The authority with `//` before it, or an empty text if there is none. Nil if it is not valid for http.
private func normalAuthority(_ parts: URLParts, _ httpScheme: String?) -> String? {
    guard let authority = parts.authority else { return "" }
    guard let httpScheme else { return "//\(authority)" }
    guard let origin = Origin(scheme: httpScheme, authorityOf: parts) else { return nil }
    let dot = parts.host?.utf8.last == UInt8(ascii: ".") ? "." : ""
    return "//\(parts.userinfo ?? "")\(origin.host)\(dot)\(origin.hasOwnPort ? "" : ":\(origin.port)")"
}
