/// The groups of keywords that a meta-schema switches on.
struct Vocabulary: OptionSet, Sendable {
    let rawValue: UInt8

    static let applicator = Vocabulary(rawValue: 1)
    static let unevaluated = Vocabulary(rawValue: 2)
    static let validation = Vocabulary(rawValue: 4)
    static let formatAssertion = Vocabulary(rawValue: 8)
    static let content = Vocabulary(rawValue: 16)
    static let standard: Vocabulary = [.applicator, .unevaluated, .validation, .content]

    /// The group of a vocabulary's URI; empty for groups without effect, nil for an unknown URI.
    static func known(_ uri: String) -> Vocabulary? {
        let bases = ["https://json-schema.org/draft/2019-09/vocab/", "https://json-schema.org/draft/2020-12/vocab/"]
        guard let index = bases.firstIndex(where: { uri.hasPrefix($0) }) else { return nil }
        switch uri.dropFirst(bases[index].count) {
        case "core", "meta-data", "format-annotation": return []
        case "applicator": return index == 0 ? [.applicator, .unevaluated] : .applicator
        case "unevaluated": return .unevaluated
        case "validation": return .validation
        case "content": return .content
        case "format-assertion": return .formatAssertion
        // 2019-09: asserted if the meta-schema says true, which its own does not.
        case "format": return .formatAssertion
        default: return nil
        }
    }
}
