/// The URL that a reference means (RFC 3986 §5.2), normalized as `NormalURL` is, but without dot segments, and with its
/// user, its fragment and the dot that may end its host; nil if it means none.
///
/// Takes time that grows with the length of both.
///
/// - Parameter normalizing: False leaves what is percent-encoded in path, query and fragment as it is, so that a server
///   gets the bytes that it gave.
package func resolved(_ reference: String, against base: String, normalizing: Bool = true) -> String? {
    guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), let reference = URLParts(reference),
        let base = URLParts(base), let scheme = reference.scheme ?? base.scheme
    else { return nil }
    var authority = reference.authority
    var path = reference.path
    var query = reference.query
    if reference.scheme == nil, authority == nil {
        authority = base.authority
        if path.isEmpty {
            path = base.path
            query = query ?? base.query
        } else if path.utf8.first != UInt8(ascii: "/") {
            path = merged(path, base)
        }
    }
    guard let place = normalAuthority(authority, (reference.scheme == nil ? base : reference).httpScheme) else {
        return nil
    }
    func encoded(_ text: Substring) -> [UInt8] {
        normalizing
            ? PercentEncoding.normalized(text.utf8) : Array(text.utf8).withUnsafeBytes(PercentEncoding.escaped)
    }
    let rest = NormalURL.pathAndQuery(
        PercentEncoding.withoutDotSegments(encoded(path)), query.map(encoded), isRooted: authority != nil)
    // Without an authority, the path would become one.
    if authority == nil, rest.utf8.starts(with: "//".utf8) { return nil }
    let fragment = reference.fragment.map { "#" + String(decoding: encoded($0), as: UTF8.self) }
    return "\(scheme.lowercased()):\(place)\(rest)\(fragment ?? "")"
}

/// RFC 3986 §5.2.3.
private func merged(_ path: Substring, _ base: URLParts) -> Substring {
    guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
        return base.authority == nil ? path : "/\(path)"
    }
    return "\(Substring(base.path.utf8[...slash]))\(path)"
}

/// With `//` before it, and empty where there is none; nil for one that http cannot have.
private func normalAuthority(_ authority: Substring?, _ httpScheme: String?) -> String? {
    guard let authority else { return "" }
    guard let httpScheme else { return "//\(authority)" }
    guard let parts = URLParts("\(httpScheme)://\(authority)"), let place = parts.hostAndPort, let origin = Origin(parts),
        let (host, _) = Origin.splitPort(place)
    else { return nil }
    let dot = host.utf8.last == UInt8(ascii: ".") ? "." : ""
    let port = origin.port == (httpScheme == "http" ? 80 : 443) ? "" : ":\(origin.port)"
    return "//\(parts.userinfo ?? "")\(origin.host)\(dot)\(port)"
}
