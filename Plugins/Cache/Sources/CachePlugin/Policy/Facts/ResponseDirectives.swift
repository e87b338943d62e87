import PlugboardKit
import RawStructuredFieldValues

/// What an answer's `Cache-Control` says (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
///
/// Of a directive that comes twice the first counts (RFC 9111 §4.2.1). A `max-age` whose argument is no number makes the answer stale.
struct ResponseDirectives: Sendable, Equatable {
    struct Words: OptionSet, Sendable {
        let rawValue: UInt16
        static let noStore = Words(rawValue: 1)
        static let noCache = Words(rawValue: 2)
        static let mustRevalidate = Words(rawValue: 4)
        static let proxyRevalidate = Words(rawValue: 8)
        static let isPublic = Words(rawValue: 16)
        static let isPrivate = Words(rawValue: 32)
        static let mustUnderstand = Words(rawValue: 64)
        static let immutable = Words(rawValue: 128)
        /// `no-cache` or `private` that name fields, and mean only these.
        static let noCacheFields = Words(rawValue: 256)
        static let privateFields = Words(rawValue: 512)
    }

    var words: Words = []
    var maxAge: Duration?
    var sharedMaxAge: Duration?
    var staleWhileRevalidate: Duration?
    var staleIfError: Duration?

    mutating func read(_ value: UnsafeRawBufferPointer) {
        Directive.forEach(in: value) { directive in
            // Only quotes make a list of fields: what is malformed is taken as the stricter unqualified form.
            let namesFields = directive.isQuoted && directive.argument?.trimmed.isEmpty == false
            if !take(directive.name, directive.seconds ?? .zero) {
                words.formUnion(ResponseDirectives.word(directive.name, namesFields))
            }
        }
    }

    /// Whether the name is one that takes seconds.
    private mutating func take(_ name: UnsafeRawBufferPointer, _ seconds: @autoclosure () -> Duration) -> Bool {
        switch name.count {
        case 7 where name.equals("max-age"): maxAge = maxAge ?? seconds()
        case 8 where name.equals("s-maxage"): sharedMaxAge = sharedMaxAge ?? seconds()
        case 14 where name.equals("stale-if-error"): staleIfError = staleIfError ?? seconds()
        case 22 where name.equals("stale-while-revalidate"): staleWhileRevalidate = staleWhileRevalidate ?? seconds()
        default: return false
        }
        return true
    }

    private static func word(_ name: UnsafeRawBufferPointer, _ namesFields: Bool) -> Words {
        switch name.count {
        case 6: name.equals("public") ? .isPublic : []
        case 7: name.equals("private") ? (namesFields ? [.isPrivate, .privateFields] : .isPrivate) : []
        case 8:
            name.equals("no-store")
                ? .noStore : name.equals("no-cache") ? (namesFields ? .noCacheFields : .noCache) : []
        case 9: name.equals("immutable") ? .immutable : []
        case 15:
            name.equals("must-revalidate") ? .mustRevalidate : name.equals("must-understand") ? .mustUnderstand : []
        case 16: name.equals("proxy-revalidate") ? .proxyRevalidate : []
        default: []
        }
    }

    /// The fields that `no-cache="…"` (RFC 9111 §5.2.2.4) or `private="…"` (§5.2.2.7) name.
    static func fieldNames(_ directive: StaticString, of fields: Fields) -> [FieldName] {
        var names: [FieldName] = []
        fields.forEachValue(.cacheControl) { value in
            Directive.forEach(in: value) { found in
                guard found.name.equals(directive), found.isQuoted, let argument = found.argument else { return }
                var list = FieldList(argument)
                while let name = list.next() {
                    if !name.isEmpty { names.append(FieldName(Fields.text(name))) }
                }
            }
        }
        return names
    }
}

// MARK: - Targeted fields

extension ResponseDirectives {
    /// What `CDN-Cache-Control` says in place of `Cache-Control` and `Expires` (RFC 9213 §2.1): a dictionary of structured fields.
    ///
    /// Longer fields are as good as absent: reading parameters takes time with the square of their number.
    private static let targetedLimit = 1024

    /// Nil if it is malformed or empty; then it is as good as absent. A directive of a wrong type is left out.
    init?(targeted lines: [[UInt8]]) {
        guard lines.reduce(0, { $0 + $1.count + 2 }) <= ResponseDirectives.targetedLimit else { return nil }
        var parser = StructuredFieldValueParser(Array(lines.joined(separator: ", ".utf8)))
        guard let dictionary = try? parser.parseDictionaryFieldValue(), !dictionary.isEmpty else { return nil }
        for (name, member) in dictionary {
            guard case .item(let item) = member else { continue }
            withUTF8Bytes(name) { name in
                switch item.rfc9651BareItem {
                case .bool(true): words.formUnion(ResponseDirectives.word(name, false))
                case .integer(let number):
                    _ = take(name, .seconds(min(max(number, 0), deltaSecondsLimit)))
                default: break
                }
            }
        }
    }
}
