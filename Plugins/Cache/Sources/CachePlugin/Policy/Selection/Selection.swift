import PlugboardKit

/// Which of the answers under a key a request selects (RFC 9111 §4.1).
struct Selection {
    /// Answers of the request's own version: the others are as good as not there.
    let usable: [CacheEntry]
    /// Those whose selecting fields are the request's, the preferred first.
    let matching: [CacheEntry]

    init(_ request: RequestFacts, _ entries: [CacheEntry]) {
        usable = entries.filter(request.isOfOwnVersion)
        let matching = usable.filter { Selection.matches($0.answer, request) }
        self.matching = matching.count < 2 ? matching : Selection.ranked(matching, request)
    }

    /// Whether all fields that the answer varies by are the same; never of one that varies by `*`.
    static func matches(_ answer: StoredResponse, _ request: RequestFacts) -> Bool {
        answer.selecting.allSatisfy { field in
            guard field.name != "*" else { return false }
            return SelectingForm.value(of: field.name, in: request.fields) == field.value
                || (field.name == "accept-language" && isInPreferredLanguage(answer, request))
        }
    }

    /// Whether the answer is in the one language that the request likes best of all: the server has no better one for it.
    private static func isInPreferredLanguage(_ answer: StoredResponse, _ request: RequestFacts) -> Bool {
        var languages: [String] = []
        answer.fields.forEachMember(.contentLanguage) { languages.append(Fields.text($0.map(lowercaseASCII))) }
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

    /// First what can answer the request, then what names its selecting fields, then the most recent (RFC 9111 §4.1).
    private static func ranked(_ entries: [CacheEntry], _ request: RequestFacts) -> [CacheEntry] {
        let range = request.kind == .get ? request.range : nil
        return entries.sorted { left, right in
            let (leftServes, rightServes) = (left.serves(range), right.serves(range))
            if leftServes != rightServes { return leftServes }
            if left.answer.selecting.isEmpty != right.answer.selecting.isEmpty { return right.answer.selecting.isEmpty }
            let (leftDate, rightDate) = (left.answer.made, right.answer.made)
            return leftDate != rightDate ? leftDate > rightDate : left.answer.received > right.answer.received
        }
    }
}

extension CacheEntry {
    /// Whether the stored bytes are enough: all of them, or those of the range that is asked for.
    func serves(_ range: ByteRange?) -> Bool {
        guard answer.range != nil else { return true }
        return range.flatMap(part) != nil
    }

    /// The part of the stored body that a range of the whole means; empty if the whole has no such bytes, nil if they are not here.
    func part(_ range: ByteRange) -> Range<Int>? {
        guard let stored = answer.range else { return range.bytes(of: length) }
        let end = stored.first.addingClamped(length)
        let bytes: Range<Int>
        if let complete = stored.complete {
            bytes = range.bytes(of: complete)
            if bytes.isEmpty { return 0..<0 }
        } else {
            // Of a whole of unknown length, only a range with two ends is known.
            guard case .from(let first, through: let last?) = range, last < end else { return nil }
            bytes = first..<last + 1
        }
        guard bytes.lowerBound >= stored.first, bytes.upperBound <= end else { return nil }
        return bytes.lowerBound - stored.first..<bytes.upperBound - stored.first
    }
}

extension StoredResponse {
    /// When the origin made it: by its `Date`, or when it came.
    var made: HTTPDate {
        let received = HTTPDate(received.bounded)
        return fields.firstValue(.date) { HTTPDate($0, now: received) } ?? received
    }

    var entityTag: EntityTag? { fields.firstValue(.etag) { EntityTag($0) } }

    var lastModified: HTTPDate? {
        fields.firstValue(.lastModified) { HTTPDate($0, now: HTTPDate(received.bounded)) }
    }

    /// When it was modified last, if that can be told from all other times (RFC 9110 §8.8.2.2): it was older than a minute.
    var strongLastModified: HTTPDate? {
        lastModified.flatMap { made.seconds.subtractingClamped($0.seconds) >= 60 ? $0 : nil }
    }
}

extension RequestFacts {
    /// The one range of bytes that is asked for, if it is one.
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
