import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

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
    /// Appends a path to a base and fills the placeholders. The result is in UTF-8.
    ///
    /// Throws `request.url` and `request.parameter` if it cannot be made.
    static func filled(
        _ path: String, below base: Base?, with parameters: inout Parameters, general: Parameters,
        of endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> [UInt8] {
        let bytes = path.utf8.span
        var hasPlaceholders = false
        var isPlain = base?.isPlain == true
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "}"): hasPlaceholders = true
            // The path may be absolute, or have a query or a fragment.
            case UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "#"): isPlain = false
            default: break
            }
        }
        guard let base, isPlain else {
            let url = try joined(base?.base, base?.prefix ?? "", path)
            return try Placeholders.fill(url, with: &parameters, general: general, of: endpoint())
        }
        var url: [UInt8] = []
        // Reserves space for placeholders and a query of usual length.
        url.reserveCapacity(base.url.utf8.count + bytes.count + 64)
        base.append(to: &url)
        if bytes.isEmpty { return url }
        var rest = bytes
        if url.last != slash { url.append(slash) }
        if bytes[0] == slash { rest = bytes.extracting(droppingFirst: 1) }
        if hasPlaceholders {
            return try Placeholders.fill(rest, after: url, with: &parameters, general: general, of: endpoint)
        }
        PercentEncoding.append(rest, 0..<rest.count, to: &url)
        return url
    }

    private static let slash = UInt8(ascii: "/")

    /// A base with the path prefix, joined once for all endpoints of a client.
    final class Base: Sendable {
        let base: String
        let prefix: String
        let url: String
        /// Whether there are no placeholders, no query and no fragment.
        let isPlain: Bool

        init(_ base: String, _ prefix: String) {
            self.base = base
            self.prefix = prefix
            // Joining cannot fail with a base.
            url = (try? joined(base, prefix, "")) ?? base
            isPlain = !(base + prefix).utf8.contains { "{}?#".utf8.contains($0) }
        }

        fileprivate func append(to bytes: inout [UInt8]) {
            let url = url.utf8.span
            PercentEncoding.append(url, 0..<url.count, to: &bytes)
        }
    }

    /// Joins the parts to one URL, with placeholders.
    ///
    /// Throws `request.url` if the path is relative and there is no base.
    static func joined(_ base: String?, _ prefix: String, _ path: String) throws(PlugboardError) -> String {
        if isAbsolute(path) { return path }
        guard let base else {
            throw PlugboardError(
                .requestURL,
                "The path \(Printable.url(path)) is relative, and there is no base. Set the client's base, or the "
                    + "endpoint's.")
        }
        var url: [UInt8] = []
        url.reserveCapacity(base.utf8.count + prefix.utf8.count + path.utf8.count + 2)
        let query = append(base.utf8[...], to: &url, isFirst: true)
        // The prefix is a path.
        _ = append(prefix.utf8[...], to: &url)
        let ownQuery = append(path.utf8[...], to: &url)
        for (index, query) in [query, ownQuery].enumerated() where !query.isEmpty {
            url.append(index == 1 && url.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?"))
            url.append(contentsOf: query)
        }
        return String(decoding: url, as: UTF8.self)
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
