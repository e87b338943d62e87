import PlugboardCacheOptions
import PlugboardKit

/// Decides which parts of a request its key contains; a pure value.
///
/// A key is the URL in normal form. Each additional part follows on a line of its own; a URL cannot contain line
/// breaks.
struct KeyRule: Sendable {
    /// The only query parameters that the key contains; empty for all.
    var chosen: [String] = []
    /// The query parameters that the key does not contain, by name.
    var ignored: [URLPattern] = []
    /// The fields that the key contains, in lower case.
    var fields: [String] = []
    /// Whether the key contains the body.
    var usesBody = false

    init(parts: [CacheKeyPart] = [], ignored: [String] = []) {
        self.ignored = ignored.map { URLPattern($0) }
        for part in parts {
            switch part {
            case .query(let name): chosen.append(name)
            case .field(let name): fields.append(name.lowercased())
            case .body: usesBody = true
            }
        }
    }

    /// Whether the key is the URL alone.
    var isPlain: Bool { chosen.isEmpty && ignored.isEmpty && fields.isEmpty && !usesBody }

    /// - Parameters:
    /// - request: The fields of the request.
    /// - body: The digest of the body; nil without one.
    func key(method: PlugboardKit.Method, url: NormalURL, request: Fields, body: String?) -> CacheKey {
        if isPlain { return CacheKey(text: url.text) }
        var text = withChosenParameters(url)
        for name in fields {
            let value = request.values(FieldName(name)).joinedIfAny
            text += "\n\(name):\(value.map { SelectingForm.storable($0, of: name, in: request) } ?? "\n")"
        }
        // A HEAD can use the response to a GET (RFC 9111 §4), so both have the same key.
        let isOfGet = method == .get || method == .head
        if usesBody && (body != nil || !isOfGet) { text += "\n\(isOfGet ? .get : method)\n\(body ?? "")" }
        return CacheKey(text: text)
    }

    /// Keeps the order of the parameters, because a server may depend on it. Another order only causes a miss.
    private func withChosenParameters(_ url: NormalURL) -> String {
        guard !chosen.isEmpty || !ignored.isEmpty, let start = url.queryStart else { return url.text }
        let query = url.text.utf8[start...].dropFirst()
        let kept = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter { parameter in
            let name = Substring(parameter.prefix { $0 != UInt8(ascii: "=") })
            if !chosen.isEmpty { return chosen.contains { $0 == name } }
            return !ignored.contains { $0.fits(String(name)) }
        }
        let path = url.text[..<start]
        return kept.isEmpty ? String(path) : path + "?" + kept.map { String(Substring($0)) }.joined(separator: "&")
    }
}
