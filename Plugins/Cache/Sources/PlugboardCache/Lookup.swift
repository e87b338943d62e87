import PlugboardCacheOptions
import PlugboardKit

/// What the cache looks up for a request.
struct Lookup: Sendable {
    let facts: RequestFacts
    let method: PlugboardKit.Method
    /// The URL of the request.
    let url: String
    /// The request's body, if the key contains it.
    var body: Bytes?
}

/// Makes look-ups of requests, by the attributes of the request and its origin, and by the settings.
struct LookupRules: Sendable {
    private let rule: KeyRule
    private let mode: CacheMode
    private let timesToLive: TimesToLive
    private let overrides: Bool
    private let recentURLs = RecentURLs()
    private let version: String
    private let appVersion: String

    init(_ settings: CacheSettings) throws(PlugboardError) {
        let unknown = settings.key.filter { CacheKeyPart($0) == nil }
        guard unknown.isEmpty else {
            throw PlugboardError(
                .configuration,
                "key of cache accepts query:NAME, field:NAME and body, but not \(unknown.joined(separator: ", ")).")
        }
        rule = KeyRule(parts: settings.key.compactMap { CacheKeyPart($0) }, ignored: settings.ignore)
        mode = settings.mode
        timesToLive = try TimesToLive(settings.timeToLives)
        overrides = settings.overrides
        version = settings.version
        appVersion = settings.appVersion
    }

    /// Returns an attribute of the exchange by its full name.
    typealias Attribute = (String) -> String?

    func rule(_ attribute: Attribute) -> KeyRule {
        let parts = attribute(CacheAttributes.keys.key.name).flatMap { [String].optionForm.read($0) }
        let ignored = attribute(CacheAttributes.keys.ignore.name).flatMap { [String].optionForm.read($0) }
        guard parts != nil || ignored != nil else { return rule }
        var own = parts.map { KeyRule(parts: $0.compactMap { CacheKeyPart($0) }) } ?? rule
        own.ignored = ignored?.map { URLPattern($0) } ?? rule.ignored
        return own
    }

    /// Nil for a URL without a normal form, whose responses are not stored.
    func url(_ url: UnsafeRawBufferPointer) -> RecentURLs.Known? { recentURLs.url(url) }

    /// The URL that the keys of requests with this URL contain by the settings; nil for a URL without a normal form.
    func urlInKey(of text: String) -> String? {
        guard let url = NormalURL(text) else { return nil }
        return rule.key(method: .get, url: url, request: Fields(), body: nil).url
    }

    /// The look-up of a request with this URL and these fields.
    ///
    /// - Parameters:
    ///   - rule: `rule` of the same exchange.
    ///   - route: The route of the request. A response is stored for one route only.
    func lookup(
        _ method: PlugboardKit.Method, _ url: RecentURLs.Known, _ fields: Fields, rule: KeyRule, body: LookupBody,
        route: Route, _ attribute: Attribute
    ) -> Lookup {
        var digest: String?
        var kept: Bytes?
        if case .held(let bytes) = body {
            digest = bytes.sha256
            kept = bytes
        }
        var key =
            rule.isPlain
            ? url.key
            : rule.key(method: method, url: url.normal, request: fields, body: digest)
        if let host = otherHost(fields, url) { key = CacheKey(text: "\(key.text)\n\tHost \(host)") }
        if !route.text.isEmpty { key = CacheKey(text: "\(key.text)\n\troute \(route.text)") }
        let own = RequestFacts.Own(
            timeToLive: attribute(CacheAttributes.keys.timeToLive.name).flatMap { DurationText($0)?.duration }
                ?? timesToLive.ofURL(url.normal.text),
            overrides: attribute(CacheAttributes.keys.overrides.name).map { $0 == "true" } ?? overrides,
            version: version(attribute(CacheAttributes.keys.version.name)))
        let facts = RequestFacts(
            method: method, key: key, url: url.normal.text, fields: fields,
            mode: attribute(CacheAttributes.keys.mode.name).flatMap { CacheMode(rawValue: $0) } ?? mode, own: own,
            body: body.part(of: rule, method), isVerified: route.isVerified)
        return Lookup(facts: facts, method: method, url: url.text, body: kept)
    }

    /// The `Host` that the caller wrote, if it is not the URL's: it selects another resource (RFC 9110 §7.1).
    private func otherHost(_ fields: Fields, _ url: RecentURLs.Known) -> String? {
        guard fields.contains(.host), let host = fields[.host]?.lowercased() else { return nil }
        return host == URLParts(url.normal.text)?.authority?.lowercased() ? nil : host
    }

    private func version(_ own: String?) -> String {
        let version = own ?? version
        return appVersion.isEmpty ? version : "\(appVersion)\n\(version)"
    }
}

/// What the cache reads of a request's body.
enum LookupBody {
    case absent
    case held(Bytes)
    /// There is a body, but it is not read: the key does not contain it, or it is too large.
    case unseen

    /// A search without a body is still a search; a GET without a body is an ordinary GET.
    func part(of rule: KeyRule, _ method: PlugboardKit.Method) -> RequestFacts.RequestBody {
        switch self {
        case .absent: rule.usesBody && method != .get && method != .head ? .inKey : .none
        case .held: rule.usesBody ? .inKey : .notInKey
        case .unseen: .notInKey
        }
    }
}

extension [String] {
    /// The lines of a field as one value (RFC 9110 §5.3); nil without lines.
    var joinedIfAny: String? { isEmpty ? nil : joined(separator: ", ") }
}

/// The configured times to live by URL patterns; the longest pattern that matches counts.
struct TimesToLive: Sendable {
    private let patterns: [Entry]

    private struct Entry: Sendable {
        let text: String
        let pattern: URLPattern
        let duration: Duration
    }

    init(_ patterns: [String: String]) throws(PlugboardError) {
        var entries: [Entry] = []
        for (pattern, text) in patterns {
            guard let duration = DurationText(text)?.duration else {
                throw PlugboardError(
                    .configuration,
                    "timeToLives of cache needs a duration such as 180s or 1h for \(pattern), not \(text).")
            }
            entries.append(Entry(text: pattern, pattern: URLPattern(pattern), duration: duration))
        }
        self.patterns = entries.sorted { ($1.text.utf8.count, $0.text) < ($0.text.utf8.count, $1.text) }
    }

    func ofURL(_ url: String) -> Duration? {
        if patterns.isEmpty { return nil }
        return patterns.first { $0.pattern.fits(url) }?.duration
    }
}
