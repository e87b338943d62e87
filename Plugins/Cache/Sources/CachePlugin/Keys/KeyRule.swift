import CacheOptions
import PlugboardKit

/// How a request becomes the key of its answers: which parts of it count. Pure.
///
/// A key is the URL in normal form. What the rule adds stands behind it, each part on a line of its own, which no URL can hold.
struct KeyRule: Sendable {
    /// The parameters that alone count; none: all.
    var chosen: [String] = []
    /// The parameters that do not count, by their names.
    var ignored: [URLPattern] = []
    /// The fields that count, in lower case.
    var fields: [String] = []
    /// Whether the body counts.
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

    /// Whether the URL alone is the key.
    var isPlain: Bool { chosen.isEmpty && ignored.isEmpty && fields.isEmpty && !usesBody }

    /// - Parameters:
    ///   - value: All values of a field, joined; nil where there is none.
    ///   - body: The digest of the body, where it counts and there is one.
    func key(
        method: PlugboardKit.Method, url: NormalURL, value: (String) -> String?, body: String?
    ) -> CacheKey {
        if isPlain { return CacheKey(text: url.text) }
        var text = withChosenParameters(url)
        for name in fields {
            text += "\n\(name):\(value(name).map { SelectingForm.storable($0, of: name) } ?? "\n")"
        }
        // HEAD is answered with what GET brought (RFC 9111 §4), so these two share a key.
        let isOfGet = method == .get || method == .head
        if usesBody && (body != nil || !isOfGet) { text += "\n\(isOfGet ? .get : method)\n\(body ?? "")" }
        return CacheKey(text: text)
    }

    /// The parameters keep their order: a server may tell by it, and a miss is no harm.
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
