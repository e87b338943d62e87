import PlugboardCore

/// Makes the URL of an endpoint from its parts.
///
/// A path that begins with a scheme and `://` is the whole URL: base, CDN and prefix are ignored. Any other path is
/// appended to the base. Between two parts there is exactly one slash, whatever slashes they begin and end with, and
/// the last part that is not empty determines whether the URL ends with a slash.
///
/// | base | prefix | path | URL |
/// |---|---|---|---|
/// | `https://a.test` | | `topics` | `https://a.test/topics` |
/// | `https://a.test/` | | `topics` | `https://a.test/topics` |
/// | `https://a.test/` | | `/topics` | `https://a.test/topics` |
/// | `https://a.test/api` | | `topics` | `https://a.test/api/topics` |
/// | `https://a.test/api` | | `/topics` | `https://a.test/api/topics` |
/// | `https://a.test/api/` | | `topics/` | `https://a.test/api/topics/` |
/// | `https://a.test/api` | `v2` | `topics` | `https://a.test/api/v2/topics` |
/// | `https://a.test/api/` | `/v2/` | `/topics` | `https://a.test/api/v2/topics` |
/// | `https://a.test/api` | `v2` | | `https://a.test/api/v2` |
/// | `https://a.test/api` | `v2/` | | `https://a.test/api/v2/` |
/// | `https://a.test/api` | | | `https://a.test/api` |
/// | `https://a.test/api` | | `/` | `https://a.test/api/` |
/// | `https://a.test/api` | | `a//b` | `https://a.test/api/a//b` |
/// | `https://a.test/api` | | `//b.test/c` | `https://a.test/api//b.test/c` |
/// | `https://a.test/api` | | `?page=2` | `https://a.test/api?page=2` |
/// | `https://a.test/api?key=1` | `v2` | `topics?page=2` | `https://a.test/api/v2/topics?key=1&page=2` |
/// | `https://a.test/api` | `v2` | `https://b.test/c/` | `https://b.test/c/` |
/// | | | `https://b.test/c` | `https://b.test/c` |
///
/// A placeholder, `{name}`, is replaced by the parameter with its name, which is then not sent otherwise. The value is
/// percent-encoded in UTF-8, except for the unreserved characters of RFC 3986 §2.3, so that it stays within its
/// segment. Values that would remove their segment or change its meaning are refused: an empty value, `.` and `..`.
/// Placeholders are allowed in paths and queries of all parts, but not in the host.
enum EndpointURL {
    /// Joins the parts to one URL in UTF-8, with placeholders, which `URLTemplate` fills.
    ///
    /// Throws `request.url` if the path is relative and there is no base.
    static func joined(_ base: String?, _ prefix: String, _ path: String) throws(PlugboardError) -> [UInt8] {
        if isAbsolute(path) { return Array(path.utf8) }
        guard let base else {
            throw PlugboardError(
                .requestURL,
                "The path \(Printable.url(path)) is relative, and there is no base. Set the client's base, or the "
                    + "endpoint's.")
        }
        var url: [UInt8] = []
        // A query of usual length needs no second allocation.
        url.reserveCapacity(base.utf8.count + prefix.utf8.count + path.utf8.count + 64)
        let query = append(base.utf8[...], to: &url, isFirst: true)
        // The prefix is a path.
        _ = append(prefix.utf8[...], to: &url)
        let ownQuery = append(path.utf8[...], to: &url)
        for (index, query) in [query, ownQuery].enumerated() where !query.isEmpty {
            url.append(index == 1 && url.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?"))
            url.append(contentsOf: query)
        }
        return url
    }

    /// Appends the part before `?` and `#`, with one slash before it, and returns the query without its `?`.
    private static func append(
        _ part: Substring.UTF8View, to url: inout [UInt8], isFirst: Bool = false
    ) -> Substring.UTF8View {
        let end = part.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? part.endIndex
        let path = part[..<end]
        if let first = path.first {
            let isSlash = first == UInt8(ascii: "/")
            if !isFirst && url.last != UInt8(ascii: "/") { url.append(UInt8(ascii: "/")) }
            url.append(contentsOf: isSlash && !isFirst ? path.dropFirst() : path)
        }
        guard end < part.endIndex, part[end] == UInt8(ascii: "?") else { return part[part.endIndex...] }
        return part[part.index(after: end)...].prefix { $0 != UInt8(ascii: "#") }
    }

    /// Whether a text begins with a scheme and `://`.
    private static func isAbsolute(_ text: String) -> Bool {
        var rest = text.utf8[...]
        guard let first = rest.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                continue
            case UInt8(ascii: ":"): return rest.starts(with: "//".utf8)
            default: return false
            }
        }
        return false
    }
}
