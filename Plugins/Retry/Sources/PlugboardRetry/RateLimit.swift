import PlugboardKit

#if AllPackages || StructuredFields
    import RawStructuredFieldValues
#else
    #error("The plugin retry needs a trait of the package plugboard: .package(…, traits: [\"StructuredFields\"]).")
#endif

/// The time until a quota is restored (draft-ietf-httpapi-ratelimit-headers); nil unless a quota is used up.
///
/// Three generations of the draft are read, the newest one present:
///
///     RateLimit: "default";r=0;t=30                     from 08 on
///     RateLimit: limit=100, remaining=0, reset=30       07
///     RateLimit-Remaining: 0    RateLimit-Reset: 30     to 06
///
/// Without `t`, the window of the policy counts: `RateLimit-Policy: "default";q=100;w=60`. `X-RateLimit-…` is not read,
/// because no document specifies whether its reset is a delay or a date.
struct RateLimit: Sendable {
    /// The longest delay of all quotas that are used up.
    let delay: Duration

    /// Longer fields are ignored, because the time to parse parameters grows with the square of their number.
    private static let byteLimit = 4096

    init?(reading fields: Fields) {
        let now = Self.list(fields, "RateLimit") ?? []
        let seconds =
            Self.quotas(now, policies: Self.list(fields, "RateLimit-Policy") ?? []) ?? Self.dictionary(fields)
            ?? Self.separate(fields)
        guard let seconds else { return nil }
        delay = min(.seconds(seconds), ServerDelay.limit)
    }

    /// The longest delay of the quotas that are used up.
    private static func quotas(_ quotas: [Item], policies: [Item]) -> Int64? {
        quotas.filter { integer($0, "r") == 0 }.compactMap { quota in
            integer(quota, "t")
                ?? policies.first { $0.rfc9651BareItem == quota.rfc9651BareItem }.flatMap { integer($0, "w") }
        }.max()
    }

    private static func dictionary(_ fields: Fields) -> Int64? {
        guard let text = text(fields, "RateLimit") else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), case .item(let remaining)? = members["remaining"],
            integer(remaining.rfc9651BareItem) == 0, case .item(let reset)? = members["reset"]
        else { return nil }
        return integer(reset.rfc9651BareItem)
    }

    private static func separate(_ fields: Fields) -> Int64? {
        item(fields, "RateLimit-Remaining") == 0 ? item(fields, "RateLimit-Reset") : nil
    }

    // MARK: Structured fields (RFC 9651)

    private static func list(_ fields: Fields, _ name: FieldName) -> [Item]? {
        guard let text = text(fields, name) else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        return try? parser.parseListFieldValue().compactMap { if case .item(let item) = $0 { item } else { nil } }
    }

    private static func item(_ fields: Fields, _ name: FieldName) -> Int64? {
        guard let text = text(fields, name) else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        return (try? parser.parseItemFieldValue()).flatMap { integer($0.rfc9651BareItem) }
    }

    /// All lines of a field, joined (RFC 9651 §4.2).
    private static func text(_ fields: Fields, _ name: FieldName) -> String? {
        let text = fields.values(name).joined(separator: ", ")
        return text.isEmpty || text.utf8.count > byteLimit ? nil : text
    }

    private static func integer(_ item: Item, _ parameter: String) -> Int64? {
        item.rfc9651Parameters[parameter].flatMap { integer($0) }
    }

    private static func integer(_ item: RFC9651BareItem) -> Int64? {
        if case .integer(let number) = item, number >= 0 { number } else { nil }
    }
}
