import PlugboardMessages

#if AllPackages || StructuredFields
    import RawStructuredFieldValues
#else
    #error(
        "The plugins retry and limit need a trait of the package plugboard: .package(…, traits: [\"StructuredFields\"])."
    )
#endif

/// The quotas of a client (draft-ietf-httpapi-ratelimit-headers); nil without any whose time is known.
///
/// Three generations of the draft are read. The delay is from the newest generation that has a quota used up, and the
/// quota from the newest generation that is present:
///
///     RateLimit: "default";r=0;t=30                     from 08 on
///     RateLimit: limit=100, remaining=0, reset=30       07
///     RateLimit-Remaining: 0    RateLimit-Reset: 30     to 06
///
/// Without `t`, the window of the policy counts: `RateLimit-Policy: "default";q=100;w=60`. `X-RateLimit-…` is not read,
/// because no document specifies whether its reset is a delay or a date.
struct RateLimit: Sendable {
    /// The longest delay of all quotas that are used up; nil if no quota is used up.
    let delay: Duration?
    /// The quota with the least left that is not used up.
    let quota: ServerDelay.Quota?

    /// Longer fields are ignored, because the time to parse parameters grows with the square of their number.
    private static let byteLimit = 1024

    init?(reading fields: Fields) {
        let generations = [
            Self.quotas(Self.list(fields, "RateLimit") ?? [], Self.list(fields, "RateLimit-Policy") ?? []),
            [Self.dictionary(fields)].compactMap(\.self), [Self.separate(fields)].compactMap(\.self),
        ]
        delay = generations.lazy.compactMap { $0.filter { $0.left == 0 }.map(\.time).max() }.first
        quota = generations.first { !$0.isEmpty }?.filter { $0.left > 0 }.min { $0.left < $1.left }
        if delay == nil, quota == nil { return nil }
    }

    private static func quotas(_ quotas: [Item], _ policies: [Item]) -> [ServerDelay.Quota] {
        let named = Dictionary(policies.map { ($0.rfc9651BareItem, $0) }) { first, _ in first }
        return quotas.compactMap { quota in
            guard let left = integer(quota, "r") else { return nil }
            return self.quota(left, integer(quota, "t") ?? named[quota.rfc9651BareItem].flatMap { integer($0, "w") })
        }
    }

    private static func dictionary(_ fields: Fields) -> ServerDelay.Quota? {
        guard let text = text(fields, "RateLimit") else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), case .item(let remaining)? = members["remaining"],
            case .item(let reset)? = members["reset"]
        else { return nil }
        return quota(integer(remaining.rfc9651BareItem), integer(reset.rfc9651BareItem))
    }

    private static func separate(_ fields: Fields) -> ServerDelay.Quota? {
        quota(item(fields, "RateLimit-Remaining"), item(fields, "RateLimit-Reset"))
    }

    private static func quota(_ left: Int64?, _ seconds: Int64?) -> ServerDelay.Quota? {
        guard let left, let seconds else { return nil }
        return ServerDelay.Quota(left: Int(clamping: left), time: min(.seconds(seconds), ServerDelay.limit))
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
