import PlugboardKit
import PlugboardRanges

/// Decides what is stored, and what it replaces (RFC 9111 §3).
extension CachePolicy {
    /// Whether a response of this status depends on parts of the request that are not in the key.
    private static func isUnstorable(_ status: Int) -> Bool {
        switch status {
        case 206, 304, 401, 407, 412, 416, 417: true
        default: false
        }
    }

    /// What to store of a response; nil if it is not stored.
    func storing(_ response: NetworkResponse) -> ResponseDecision.Storing? {
        let request = response.forward.request
        guard response.forward.mayStore, response.status >= 200 else { return nil }
        var status = response.status
        var fields = response.fields
        var range: StoredResponse.StoredRange?
        var lengths: ClosedRange<Int>?
        if status == 206 {
            guard request.kind == .get, let part = ContentRange(of: fields) else { return nil }
            if part.isWhole {
                status = 200
                fields.remove(.contentRange)
                lengths = part.bytes.count...part.bytes.count
            } else {
                range = StoredResponse.StoredRange(first: part.bytes.lowerBound, complete: complete(part, fields))
                lengths = 1...part.bytes.count
            }
        } else if Self.isUnstorable(status) {
            return nil
        }
        let facts = ResponseFacts(
            status: status, fields: fields, isShared: isShared, now: HTTPDate(response.received.bounded))
        guard mayStore(facts, request) else { return nil }
        if response.status != 206, let length = facts.bodyLength { lengths = length...length }
        let stored = StoredResponse(
            key: request.key, url: request.url, status: status,
            fields: StoredFields.stored(fields, dropping: privateFields(facts, fields), received: response.received),
            requested: response.requested, received: response.received,
            selecting: facts.hasVary ? SelectingForm.selecting(fields, request.fields) : [],
            version: request.own.version,
            timeToLive: timeToLive(facts, request), range: range)
        guard isUseful(stored, facts) else { return nil }
        return ResponseDecision.Storing(
            response: stored, replaced: replaced(by: stored, response.forward), lengths: lengths)
    }

    /// The length of the whole that a part belongs to. If the part should reach the end of the whole but is shorter,
    /// the end of its bytes counts: the server announced a wrong length.
    private func complete(_ part: ContentRange, _ fields: Fields) -> Int? {
        guard part.bytes.upperBound == part.complete, !fields.contains(.transferEncoding),
            let length = fields.firstValue(.contentLength, { $0.byteCount }), length < part.bytes.count
        else { return part.complete }
        return part.bytes.lowerBound + length
    }

    /// Whether RFC 9111 §3, or the program's own rule, allows storing.
    func mayStore(_ facts: ResponseFacts, _ request: RequestFacts) -> Bool {
        if timeToLive(facts, request) != nil, request.own.overrides { return true }
        let directives = facts.directives
        if directives.words.contains(.mustUnderstand) {
            // §5.2.2.3: then no-store applies only to caches that do not implement the status.
            guard facts.isUnderstood else { return false }
        } else if directives.words.contains(.noStore) {
            return false
        }
        if isShared {
            if directives.words.contains(.isPrivate), !directives.words.contains(.privateFields) { return false }
            // §3.5
            if request.conditions.contains(.authorization), directives.sharedMaxAge == nil,
                directives.words.isDisjoint(with: [.isPublic, .mustRevalidate])
            {
                return false
            }
        }
        return facts.isHeuristicallyCacheable || explicitLifetime(facts, received: .zero) != nil
            || directives.words.contains(.isPublic) || (!isShared && directives.words.contains(.isPrivate))
            || timeToLive(facts, request) != nil
    }

    /// The program's time to live; nil if the server's counts.
    func timeToLive(_ facts: ResponseFacts, _ request: RequestFacts) -> Duration? {
        guard let timeToLive = request.own.timeToLive, appliesToStatus(facts.status) else { return nil }
        return request.own.overrides || isSilent(facts) ? timeToLive : nil
    }

    func privateFields(_ facts: ResponseFacts, _ fields: Fields) -> [FieldName] {
        guard isShared, facts.directives.words.contains(.privateFields) else { return [] }
        return ResponseDirectives.fieldNames("private", of: fields)
    }

    /// False for a response that is stale from the start and cannot be validated.
    private func isUseful(_ response: StoredResponse, _ facts: ResponseFacts) -> Bool {
        if facts.hasValidator { return true }
        guard response.selecting.first?.name != "*" else { return false }
        let (whileRevalidate, ifError) = (facts.directives.staleWhileRevalidate, facts.directives.staleIfError)
        if whileRevalidate ?? .zero > .zero || ifError ?? .zero > .zero { return true }
        // Even a response that arrives stale, or must not be used without validation, is useful: a caller may accept it
        // (§5.2.1.2), and without the server the 504 must say why it is not used (§5.2.2.4).
        return (response.timeToLive ?? lifetime(facts, received: response.received.bounded)) > .zero
    }

    /// The entries that the new one replaces: those that the request selects too, and the oldest above the limit.
    func replaced(by response: StoredResponse, _ forward: Forward) -> [CacheEntry] {
        if forward.entries.isEmpty { return [] }
        let request = forward.request
        var (replaced, kept): ([CacheEntry], [CacheEntry]) = ([], [])
        for entry in forward.entries {
            let isOld =
                !request.isOfOwnVersion(entry) || entry.response.selecting == response.selecting
                || Selection.matches(entry.response, request)
            if isOld, !isOtherPart(entry, response) { replaced.append(entry) } else { kept.append(entry) }
        }
        let surplus = kept.count - max(variantLimit - 1, 0)
        guard surplus > 0 else { return replaced }
        return replaced + kept.sorted { $0.response.received < $1.response.received }.prefix(surplus)
    }

    /// Whether the entry contains other bytes of the same representation, so that the new part is stored beside it.
    private func isOtherPart(_ entry: CacheEntry, _ response: StoredResponse) -> Bool {
        guard let new = response.range, let tag = response.entityTag, let other = entry.response.entityTag,
            tag.matchesStrongly(other), entry.response.version == response.version
        else { return false }
        return entry.response.range.map { $0.first != new.first } ?? true
    }
}
