import CacheOptions
import PlugboardKit

/// A request as the cache asks itself about it.
struct Question: Sendable {
    let facts: RequestFacts
    let method: PlugboardKit.Method
    /// As it was to be sent.
    let url: String
    /// The request's body, where it is a part of the key.
    var body: Bytes?
}

/// Makes questions of requests: what the request says of itself, what the configuration says of its URL, and the settings.
struct Questions: Sendable {
    private let rule: KeyRule
    private let mode: CacheMode
    private let timesToLive: TimesToLive
    private let overrides: Bool
    private let version: String
    private let appVersion: String

    init(_ settings: CacheSettings) throws(PlugboardError) {
        let unknown = settings.key.filter { CacheKeyPart($0) == nil }
        guard unknown.isEmpty else {
            throw PlugboardError(
                .configuration,
                "key of cache knows query:NAME, field:NAME and body, not \(unknown.joined(separator: ", ")).")
        }
        rule = KeyRule(parts: settings.key.compactMap { CacheKeyPart($0) }, ignored: settings.ignore)
        mode = settings.mode
        timesToLive = try TimesToLive(settings.timeToLives)
        overrides = settings.overrides
        version = settings.version
        appVersion = settings.appVersion
    }

    /// What a request carries: an attribute by its name.
    typealias Attribute = (String) -> String?

    func rule(_ attribute: Attribute) -> KeyRule {
        let parts = attribute(CacheAttributes.key.name).flatMap { [String](optionText: $0) }
        let ignored = attribute(CacheAttributes.ignore.name).flatMap { [String](optionText: $0) }
        guard parts != nil || ignored != nil else { return rule }
        var own = parts.map { KeyRule(parts: $0.compactMap { CacheKeyPart($0) }) } ?? rule
        own.ignored = ignored?.map { URLPattern($0) } ?? rule.ignored
        return own
    }

    /// Nil for a URL whose answers are not kept.
    func question(
        _ method: PlugboardKit.Method, _ url: String, _ fields: Fields, rule: KeyRule, body: QuestionBody,
        _ attribute: Attribute
    ) -> Question? {
        guard let normal = NormalURL(url) else { return nil }
        var digest: String?
        var kept: Bytes?
        if case .held(let bytes) = body {
            digest = bytes.withUnsafeBytes { SHA256.hexadecimal(of: $0) }
            kept = bytes
        }
        let key = rule.key(
            method: method, url: normal, value: { fields.values(FieldName($0)).joinedIfAny }, body: digest)
        let own = RequestFacts.Own(
            timeToLive: attribute(CacheAttributes.timeToLive.name).flatMap { Duration(optionText: $0) }
                ?? timesToLive.ofURL(normal.text),
            overrides: attribute(CacheAttributes.overrides.name).map { $0 == "true" } ?? overrides,
            version: version(attribute(CacheAttributes.version.name)))
        let facts = RequestFacts(
            method: method, key: key, url: normal.text, fields: fields,
            mode: attribute(CacheAttributes.mode.name).flatMap { CacheMode(rawValue: $0) } ?? mode, own: own,
            body: body.part(of: rule, method))
        return Question(facts: facts, method: method, url: url, body: kept)
    }

    private func version(_ own: String?) -> String {
        let version = own ?? version
        return appVersion.isEmpty ? version : "\(appVersion)\n\(version)"
    }
}

/// What is known of a request's body.
enum QuestionBody {
    case absent
    case held(Bytes)
    /// There is one, and it is not looked at: the key does not hold it, or it is too large.
    case unseen

    /// A search may have no body and is one all the same; a GET without one is just a GET.
    func part(of rule: KeyRule, _ method: PlugboardKit.Method) -> RequestFacts.RequestBody {
        switch self {
        case .absent: rule.usesBody && method != .get && method != .head ? .inKey : .none
        case .held: rule.usesBody ? .inKey : .notInKey
        case .unseen: .notInKey
        }
    }
}

extension [String] {
    /// Lines of one field as one value (RFC 9110 §5.3); nil for none.
    var joinedIfAny: String? { isEmpty ? nil : joined(separator: ", ") }
}
