import PlugboardKit

/// The entries of a key that a request selects (RFC 9111 §4.1).
struct Selection {
    /// The entries of the request's own version.
    let usable: [CacheEntry]
    /// The entries whose selecting fields match the request; the preferred first.
    let matching: [CacheEntry]

    init(_ request: RequestFacts, _ entries: [CacheEntry]) {
        if let only = entries.first, entries.count == 1 {
            let isUsable = request.isOfOwnVersion(only)
            usable = isUsable ? entries : []
            let isMatching =
                isUsable && (only.response.selecting.isEmpty || Selection.matches(only.response, request))
            matching = isMatching ? entries : []
            return
        }
        usable = entries.filter(request.isOfOwnVersion)
        let matching = usable.filter { Selection.matches($0.response, request) }
        self.matching = matching.count < 2 ? matching : Selection.ranked(matching, request)
    }

    /// Whether all selecting fields match; false if the response varies by `*`.
    static func matches(_ response: StoredResponse, _ request: RequestFacts) -> Bool {
        response.selecting.allSatisfy { field in
            guard field.name != "*" else { return false }
            return SelectingForm.value(of: field.name, in: request.fields) == field.value
                || (field.name == "accept-language" && isInPreferredLanguage(response, request))
        }
    }

    /// Whether the response has the one language that the request prefers, so that the server has no better response.
    private static func isInPreferredLanguage(_ response: StoredResponse, _ request: RequestFacts) -> Bool {
        var languages: [String] = []
        response.fields.forEachMember(.contentLanguage) { languages.append(Fields.text($0.map(lowercaseASCII))) }
        var best: Preference?
        var isSingle = false
        request.fields.forEachMember(.acceptLanguage) { member in
            let preference = Preference(member)
            if preference.weight > best?.weight ?? 0 {
                (best, isSingle) = (preference, true)
            } else if preference.weight == best?.weight {
                isSingle = false
            }
        }
        return isSingle && languages.count == 1 && languages.first == best?.name
    }

    /// First those that can serve the request, then those with selecting fields, then the most recent (RFC 9111 §4.1).
    private static func ranked(_ entries: [CacheEntry], _ request: RequestFacts) -> [CacheEntry] {
        let range = request.kind == .get ? request.range : nil
        return entries.sorted { left, right in
            let (leftServes, rightServes) = (left.serves(range), right.serves(range))
            if leftServes != rightServes { return leftServes }
            if left.response.selecting.isEmpty != right.response.selecting.isEmpty {
                return right.response.selecting.isEmpty
            }
            let (leftDate, rightDate) = (left.response.made, right.response.made)
            return leftDate != rightDate ? leftDate > rightDate : left.response.received > right.response.received
        }
    }
}

extension CacheEntry {
    /// Whether the stored bytes contain the range, or are the whole.
    func serves(_ range: ByteRange?) -> Bool {
        guard response.range != nil else { return true }
        return range.flatMap(part) != nil
    }

    /// The part of the stored body for a range of the whole; empty if the range is outside the whole, nil if bytes are
    /// missing.
    func part(_ range: ByteRange) -> Range<Int>? {
        guard let stored = response.range else { return range.bytes(of: length) }
        let end = stored.first.addingClamped(length)
        let bytes: Range<Int>
        if let complete = stored.complete {
            bytes = range.bytes(of: complete)
            if bytes.isEmpty { return 0..<0 }
        } else {
            // If the length of the whole is unknown, only a range with two ends is usable.
            guard case .from(let first, through: let last?) = range, last < end else { return nil }
            bytes = first..<last + 1
        }
        guard bytes.lowerBound >= stored.first, bytes.upperBound <= end else { return nil }
        return bytes.lowerBound - stored.first..<bytes.upperBound - stored.first
    }
}

extension StoredResponse {
    /// When the origin generated the response: its `Date`, or when it arrived.
    var made: HTTPDate {
        let received = HTTPDate(received.bounded)
        return fields.firstValue(.date) { HTTPDate($0, now: received) } ?? received
    }

    var entityTag: EntityTag? { fields.firstValue(.etag) { EntityTag($0) } }

    var lastModified: HTTPDate? {
        fields.firstValue(.lastModified) { HTTPDate($0, now: HTTPDate(received.bounded)) }
    }

    /// The modification date, if it is a strong validator (RFC 9110 §8.8.2.2): at least a minute before the response.
    var strongLastModified: HTTPDate? {
        lastModified.flatMap { made.seconds.subtractingClamped($0.seconds) >= 60 ? $0 : nil }
    }
}

extension RequestFacts {
    /// The requested range of bytes, if it is a single one.
    var range: ByteRange? {
        conditions.contains(.range) ? fields.firstValue(.range) { ByteRange($0) } : nil
    }
}

extension FieldName {
    static let acceptLanguage: FieldName = "Accept-Language"
    static let pragma: FieldName = "Pragma"
}

extension Int {
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }
}
