import PlugboardKit

/// The rules of the settings. All that apply to a request count.
struct LimitRules: Sendable {
    /// Those with most parts first.
    let rules: [LimitRule]
    /// Whether all rules only learn, so that no key means no limit.
    let onlyLearn: Bool
    /// The fields and attributes that some rule counts by, each once.
    private let parts: [LimitRule.Part]
    /// The rules that can apply to each origin that is written in a rule, and those for all others.
    private let ofOrigins: [Origin: [Int]]
    private let ofOthers: [Int]
    /// The hosts of those origins.
    private let hosts: [[UInt8]]
    private let salt: [UInt8]

    /// The largest value of a field or an attribute that is kept as it is.
    private static let valueLimit = 128

    /// - Parameter salt: Random bytes that are hashed with secret values.
    init(_ settings: [String: String], salt: [UInt8]) throws(PlugboardError) {
        var all: [LimitRule] = []
        for (text, limits) in settings.sorted(by: { $0.key < $1.key }) { all.append(try LimitRule(text, limits)) }
        // Stable, so that equal rules stay in the order of their texts.
        let rules = all.enumerated().sorted {
            ($1.element.parts.count, $0.offset) < ($0.element.parts.count, $1.offset)
        }.map(\.element)
        let general = rules.indices.filter { rules[$0].origin == nil }
        (self.rules, self.salt, ofOthers) = (rules, salt, general)
        hosts = Set(rules.compactMap(\.origin?.host)).map { Array($0.utf8) }
        onlyLearn = rules.allSatisfy(\.onlyLearns)
        parts = rules.flatMap(\.parts).reduce(into: []) { if $1 != .origin, !$0.contains($1) { $0.append($1) } }
        ofOrigins = Set(rules.compactMap(\.origin)).reduce(into: [:]) { origins, origin in
            origins[origin] = rules.indices.filter { rules[$0].origin ?? origin == origin }
        }
    }

    /// Whether some rule counts by a field or an attribute.
    var haveValues: Bool { !parts.isEmpty }

    /// The keys of the rules that apply to a request, in the order of the rules.
    ///
    /// - Parameters:
    ///   - route: Of the request. Asked for only if a rule applies that is about one server.
    ///   - values: Of the request, as `values(of:)` has them. Called at most once, and only if a rule applies.
    func names(
        _ method: Method, _ url: String, by route: @autoclosure () -> Route, _ values: () -> [KeyName.Value]
    ) -> [KeyName] {
        guard let read = URLParts(url), mayApply(to: read), let origin = Origin(read) else { return [] }
        let candidates = ofOrigins[origin] ?? ofOthers
        guard !candidates.isEmpty, let url = URLWildcard.comparable(url) else { return [] }
        var (names, known): ([KeyName], [KeyName.Value]?) = ([], nil)
        for index in candidates where rules[index].applies(to: method, url) {
            let own = known ?? values()
            known = own
            let values = rules[index].parts.map { part in
                parts.firstIndex(of: part).map { own[$0] } ?? KeyName.Value(text: origin.description, isHidden: false)
            }
            let server = rules[index].isAboutOneServer ? [KeyName.Value(serverOf: route())] : []
            names.append(KeyName(rule: index, values: values + server))
        }
        return names
    }

    /// False if all rules are for other hosts, which spares most requests of a program the making of their origins.
    private func mayApply(to url: URLParts) -> Bool {
        guard ofOthers.isEmpty, hosts.count <= 8, let host = url.host?.utf8 else { return true }
        // A host of letters, digits, hyphens and dots that ends with a letter is compared in lower case; others have
        // several forms.
        let isPlain = host.last.map { (0x61...0x7A).contains($0 | 0x20) } ?? false
        guard isPlain, host.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) else { return true }
        return hosts.contains { own in
            own.count == host.count && zip(own, host).allSatisfy { $0 == ((0x41...0x5A).contains($1) ? $1 | 0x20 : $1) }
        }
    }

    /// The values of the fields and attributes that rules count by.
    func values(of exchange: borrowing Exchange) -> [KeyName.Value] {
        if parts.isEmpty { return [] }
        let fields = exchange.request.fields
        var values: [KeyName.Value] = []
        for part in parts {
            switch part {
            case .origin: continue
            case .field(let name):
                let own = fields.filter { FieldName($0.name) == name }
                values.append(value(own.map(\.value).joined(separator: ", "), own.contains(where: \.isSecret)))
            case .attribute(let name):
                // Of the attributes of other plugins, it is not known here which are secret.
                values.append(value(exchange.attribute(name) ?? "", name != LimitAttributes.keys.key.name))
            }
        }
        return values
    }

    private func value(_ text: String, _ isSecret: Bool) -> KeyName.Value {
        if text.isEmpty || !isSecret && text.utf8.count <= LimitRules.valueLimit {
            return KeyName.Value(text: text, isHidden: false)
        }
        return KeyName.Value(text: (salt + Array(text.utf8)).withUnsafeBytes { Bytes.sha256(of: $0) }, isHidden: true)
    }
}
