import PlugboardKit

/// A rule of the settings: which requests it limits, how, and by what they are counted.
///
///     "POST https://api.example.com/orders*": "100/s, 5000/h, 8 at once, by field X-Tenant"
struct LimitRule: Sendable {
    /// What requests are counted by; each value has a limit of its own.
    enum Part: Sendable, Equatable {
        case origin
        case field(FieldName)
        case attribute(String)

        var name: String {
            switch self {
            case .origin: "origin"
            case .field(let name): name.text
            case .attribute(let name): name
            }
        }

        /// The part as a rule has it, after `by`.
        var text: String {
            switch self {
            case .origin: "origin"
            case .field(let name): "field \(name.text.lowercased())"
            case .attribute(let name): "attribute \(name)"
            }
        }
    }

    /// The rule as it is written, in ASCII without control characters.
    let text: String
    /// The origin of all requests that the rule is for; nil if there can be several.
    let origin: Origin?
    private let pattern: URLWildcard
    private let method: String?
    private(set) var rates: [Rate] = []
    /// The most requests at once; nil without this limit.
    private(set) var atOnce: Int?
    private(set) var parts: [Part] = []

    /// Whether all requests of a key go to one server, so that a pause is about all of them.
    var isAboutOneServer: Bool { origin != nil || parts.contains(.origin) }
    /// Whether requests are only held back when the server asks for it.
    var onlyLearns: Bool { rates.isEmpty && atOnce == nil }

    init(_ text: String, _ limits: String) throws(PlugboardError) {
        let words = text.split(separator: " ").map(String.init)
        guard let url = words.last, words.count <= 2, let pattern = URLWildcard(url),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), URLParts(url)?.userinfo == nil
        else { throw LimitRule.wrong(text) }
        method = words.count == 2 ? words[0] : nil
        if let method, method != method.uppercased() || !LimitRule.isToken(method) { throw LimitRule.wrong(text) }
        (self.text, self.pattern) = (text, pattern)
        let fixed = URLParts(String(url.prefix { $0 != "*" }))
        // The origin ends where a path, a query or a fragment begins.
        let hasWholeOrigin = fixed.map { $0.host != nil && $0.pathStart < $0.text.endIndex } ?? false
        let isOfOneOrigin = hasWholeOrigin || !url.contains("*")
        origin = fixed.flatMap { isOfOneOrigin ? Origin($0) : nil }
        // An origin that is not valid is that of no request.
        if isOfOneOrigin, origin == nil { throw LimitRule.wrong(text) }
        for term in limits.split(separator: ",", omittingEmptySubsequences: false) { try take(term) }
    }

    private static func wrong(_ text: String) -> PlugboardError {
        PlugboardError(
            .configuration,
            "The key \(Printable.text(text)) of limit.rules is no rule. Write [METHOD] URL, such as "
                + "https://api.example.com/*, POST https://*.example.com/orders* or *; * stands for any characters. "
                + "The URL has no user, and other characters than those of ASCII are escaped.")
    }

    /// Takes a term of the limits: `100/s`, `8 at once`, `by origin`, `by field NAME`, `by attribute NAME`.
    private mutating func take(_ term: Substring) throws(PlugboardError) {
        let words = term.split(separator: " ").map(String.init)
        switch (words.count, words.first ?? "") {
        case (1, let word):
            guard let rate = Rate(word), !rates.contains(where: { $0.period == rate.period }) else { break }
            rates.append(rate)
            return
        case (3, let word) where words[1...] == ["at", "once"]:
            guard let count = Rate.count(word), atOnce == nil else { break }
            atOnce = count
            return
        case (2, "by") where words[1] == "origin":
            parts.append(.origin)
            return
        case (3, "by") where words[1] == "field" && LimitRule.isToken(words[2]):
            parts.append(.field(FieldName(words[2])))
            return
        case (3, "by") where words[1] == "attribute" && LimitRule.isAttribute(words[2]):
            parts.append(.attribute(words[2]))
            return
        default: break
        }
        throw PlugboardError(
            .configuration,
            "limit.rules has \(Printable.text(words.joined(separator: " "))) at \(text), which is no limit. Write "
                + "100/s (or m, h, d, 10s), 8 at once, by origin, by field NAME or by attribute limit.key, separated by "
                + "commas.")
    }

    /// Methods and the names of fields are tokens (RFC 9110 §5.6.2).
    private static func isToken(_ text: String) -> Bool { Method(text).isValid }

    /// Whether a request can have an attribute of this name. Of this plugin's, only one is made for rules.
    private static func isAttribute(_ name: String) -> Bool {
        name.hasPrefix("limit.") ? name == LimitAttributes.keys.key.name : name.contains(".")
    }

    /// - Parameter url: In the comparable form of `URLWildcard`.
    func applies(to method: Method, _ url: [UInt8]) -> Bool {
        if let own = self.method, own != method.name { return false }
        return pattern.matches(url)
    }
}
