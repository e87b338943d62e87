import PlugboardKit

#if AllPackages || StructuredFields
    import RawStructuredFieldValues
#else
    #error("The plugin cache needs a trait of the package plugboard: .package(…, traits: [\"StructuredFields\"]).")
#endif

/// What a response says about caching, parsed in one pass.
struct ResponseFacts: Sendable {
    /// When the response expires (RFC 9111 §5.3).
    enum Expires: Sendable, Equatable {
        case at(HTTPDate)
        /// The field is not a date, which means that the response has expired.
        case past
    }

    let status: Int
    let directives: ResponseDirectives
    /// Nil if the field is missing or invalid.
    let date: HTTPDate?
    /// The `Age` in seconds; nil if the field is missing or invalid (RFC 9111 §5.1).
    let age: Int64?
    /// Nil without the field.
    let expires: Expires?
    let lastModified: HTTPDate?
    let hasEntityTag: Bool
    /// Whether `Vary` names request fields that select the response (RFC 9110 §12.5.5).
    let hasVary: Bool
    /// The length of the body by `Content-Length`; nil if the head does not state it (RFC 9112 §6.3).
    let bodyLength: Int?
    /// Whether `CDN-Cache-Control` counts.
    let isShared: Bool

    /// - Parameters:
    ///   - isShared: Whether `CDN-Cache-Control` counts.
    /// - now: The reference for years of two digits.
    init(status: Int, fields: Fields, isShared: Bool, now: HTTPDate) {
        var (directives, date, age): (ResponseDirectives, HTTPDate?, Int64?) = (ResponseDirectives(), nil, nil)
        var (expires, lastModified, hasEntityTag): (Expires?, HTTPDate?, Bool) = (nil, nil, false)
        var (hasVary, hasCoding, contentLength): (Bool, Bool, Int??) = (false, false, nil)
        var targeted: [[UInt8]] = []
        fields.forEachField { name, value in
            switch name.count {
            case 3: if age == nil, name.equals("age") { age = ResponseFacts.age(value) ?? -1 }
            case 4:
                if date == nil, name.equals("date") { date = HTTPDate(value.trimmed, now: now) }
                if name.equals("etag") { hasEntityTag = true }
                if name.equals("vary") { hasVary = true }
            case 7:
                if expires == nil, name.equals("expires") {
                    expires = HTTPDate(value.trimmed, now: now).map { .at($0) } ?? .past
                }
            case 13:
                if name.equals("cache-control") { directives.read(value) }
                if lastModified == nil, name.equals("last-modified") {
                    lastModified = HTTPDate(value.trimmed, now: now)
                }
            case 14:
                // The first one counts, even if it is not a number.
                if contentLength == nil, name.equals("content-length") {
                    contentLength = .some(value.trimmed.byteCount)
                }
            case 17:
                if isShared, name.equals("cdn-cache-control") { targeted.append(Array(value)) }
                if name.equals("transfer-encoding") { hasCoding = true }
            default: break
            }
        }
        if !targeted.isEmpty, let own = ResponseDirectives(targeted: targeted) {
            directives = own
            expires = nil
        }
        (self.status, self.isShared, self.directives) = (status, isShared, directives)
        (self.hasVary, bodyLength) = (hasVary, hasCoding ? nil : contentLength ?? nil)
        // The first Age counts, and an invalid one is ignored (RFC 9111 §5.1).
        self.age = age == -1 ? nil : age
        (self.date, self.expires, self.lastModified, self.hasEntityTag) = (date, expires, lastModified, hasEntityTag)
    }

    var hasValidator: Bool { hasEntityTag || lastModified != nil }

    /// If the value is a list, its first member counts (RFC 9111 §5.1).
    private static func age(_ value: UnsafeRawBufferPointer) -> Int64? {
        var list = FieldList(value)
        return list.next()?.deltaSeconds
    }

    /// Whether responses of this status may be stored without explicit freshness (RFC 9110 §15.1).
    var isHeuristicallyCacheable: Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether this cache implements the caching rules of the status in RFC 9110 §15 (RFC 9111 §3, §5.2.2.3).
    var isUnderstood: Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}

/// The directives of a response's `Cache-Control` (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
///
/// If a directive is repeated, the first counts (RFC 9111 §4.2.1). A `max-age` that is not a number makes the response
/// stale.
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
        /// `no-cache` or `private` with field names, which apply to these fields only.
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
            // Only a quoted argument is a list of fields. With another argument, the directive applies to all fields.
            let namesFields = directive.isQuoted && directive.argument?.trimmed.isEmpty == false
            if !take(directive.name, directive.seconds ?? .zero) {
                words.formUnion(ResponseDirectives.word(directive.name, namesFields))
            }
        }
    }

    /// Stores the seconds of a directive that has a number of seconds; false for other directives.
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

    /// The fields named by `no-cache="…"` (RFC 9111 §5.2.2.4) or `private="…"` (§5.2.2.7).
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
    /// The most bytes of `CDN-Cache-Control`, which replaces `Cache-Control` and `Expires` (RFC 9213 §2.1): a
    /// dictionary of structured fields.
    ///
    /// Longer fields are ignored, because the time to parse parameters grows with the square of their number.
    private static let targetedLimit = 1024

    /// Nil if the field is malformed or empty, which counts as no field. Directives of a wrong type are ignored.
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
