import PlugboardMessages

/// Resolves references against a base (RFC 3986 §5.2).
///
/// Nothing is normalized, unlike by `URLParts.resolve`: JSON Schema compares URIs as they are written. A base may be
/// empty, relative or a URN.
enum URIReference {
    /// The reference without its fragment, and the fragment; nil if there is none.
    static func split(_ reference: String) -> (uri: String, fragment: String?) {
        guard let hash = reference.utf8.firstIndex(of: UInt8(ascii: "#")) else { return (reference, nil) }
        return (String(reference[..<hash]), String(reference[reference.utf8.index(after: hash)...]))
    }

    /// The absolute form of a reference without fragment.
    static func resolve(_ reference: String, against base: String) -> String {
        // What stands before the first colon of `1a:b` is no scheme, and belongs to the path.
        guard !reference.isEmpty, let target = URLParts(reference) ?? URLParts("./\(reference)"),
            let from = URLParts(base) ?? URLParts("./\(base)")
        else { return base }
        if target.scheme != nil || base.isEmpty { return reference }
        var (path, query) = (target.path, target.query)
        if target.authority == nil, path.isEmpty {
            (path, query) = (from.path, query ?? from.query)
        } else {
            if target.authority == nil, path.utf8.first != UInt8(ascii: "/") { path = from.merged(path) }
            path = Substring(decoding: PercentEncoding.withoutDotSegments(Array(path.utf8)), as: UTF8.self)
        }
        let scheme = from.scheme.map { "\($0):" } ?? ""
        let authority = (target.authority ?? from.authority).map { "//\($0)" } ?? ""
        return scheme + authority + path + (query.map { "?\($0)" } ?? "")
    }
}
