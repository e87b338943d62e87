/// An absolute http or https URL in the normal form in which URLs are compared (RFC 9110 §4.2.3, RFC 3986 §6.2.2.1 and
/// §6.2.2.2): its origin normalized, without a fragment, and percent-encoded only where necessary.
///
/// Dot segments stay: a path is sent with them, and a server may distinguish `/a/../b` from `/b`.
public struct NormalURL: Hashable, Sendable {
    /// The URL in normal form: ASCII, with a path that begins with `/`.
    public let text: String

    /// Nil if the text is not an absolute http or https URL, or has a user or a password: the text may become a key,
    /// which must not hold credentials, and without them one user could get the response of another.
    public init?(_ url: String) {
        guard let parts = URLParts(url), !parts.hasCredentials, let origin = Origin(parts) else { return nil }
        text =
            parts.isNormal(origin)
            ? url
            : origin.description
                + pathAndQuery(
                    PercentEncoding.normalized(parts.path.utf8),
                    parts.query.map { PercentEncoding.normalized($0.utf8) }, isRooted: true)
    }

    /// The index of the `?` in `text`; nil if there is no query.
    public var queryStart: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: "?")) }
}

/// Joins a path and a query, which are already ASCII. A rooted path begins with `/`.
func pathAndQuery(_ path: [UInt8], _ query: [UInt8]?, isRooted: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(path.count + (query?.count ?? 0) + 2)
    if isRooted, path.first != UInt8(ascii: "/") { text.append(UInt8(ascii: "/")) }
    text += path
    if let query {
        text.append(UInt8(ascii: "?"))
        text += query
    }
    return String(decoding: text, as: UTF8.self)
}
