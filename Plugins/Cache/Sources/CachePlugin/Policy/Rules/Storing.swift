import PlugboardKit

/// What is stored, and of whom it takes the place (RFC 9111 §3).
extension CachePolicy {
    /// Answers that depend on what is not in the key: on conditions, ranges, expectations and credentials of one request.
    private static let unstorable: Set<Int> = [206, 304, 401, 407, 412, 416, 417]

    /// What is to be stored of an answer to a request; nil if nothing.
    func storing(_ answer: ReceivedResponse) -> ResponseDecision.Storing? {
        let request = answer.forward.request
        guard answer.forward.mayStore, answer.status >= 200 else { return nil }
        var status = answer.status
        var fields = answer.fields
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
        } else if Self.unstorable.contains(status) {
            return nil
        } else if !fields.contains(.transferEncoding), let length = fields.firstValue(.contentLength, { $0.byteCount })
        {
            lengths = length...length
        }
        let facts = ResponseFacts(
            status: status, fields: fields, isShared: isShared, now: HTTPDate(answer.received.bounded))
        guard mayStore(facts, request) else { return nil }
        var stored = StoredResponse(
            key: request.key, url: request.url, status: status,
            fields: StoredFields.stored(fields, dropping: privateFields(facts, fields), received: answer.received),
            requested: answer.requested, received: answer.received,
            selecting: SelectingForm.selecting(fields, request.fields), version: request.own.version,
            timeToLive: timeToLive(facts, request), range: range)
        guard isUseful(stored, facts) else { return nil }
        stored.isInvalidated = false
        return ResponseDecision.Storing(
            answer: stored, replaced: replaced(by: stored, answer.forward), lengths: lengths)
    }

    /// The length of the whole that a part is of. A part that ends the whole by its Content-Range, and is shorter than that says, ends it where
    /// its bytes end: how many they are is known, and the other only told.
    private func complete(_ part: ContentRange, _ fields: Fields) -> Int? {
        guard part.bytes.upperBound == part.complete, !fields.contains(.transferEncoding),
            let length = fields.firstValue(.contentLength, { $0.byteCount }), length < part.bytes.count
        else { return part.complete }
        return part.bytes.lowerBound + length
    }

    /// RFC 9111 §3, and the program's own word.
    func mayStore(_ facts: ResponseFacts, _ request: RequestFacts) -> Bool {
        if timeToLive(facts, request) != nil, request.own.overrides { return true }
        let directives = facts.directives
        if directives.words.contains(.mustUnderstand) {
            // §5.2.2.3: no-store is then for caches that do not understand the status.
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

    /// How long the answer is fresh by the program's word; nil if the server's counts.
    func timeToLive(_ facts: ResponseFacts, _ request: RequestFacts) -> Duration? {
        guard let timeToLive = request.own.timeToLive, appliesToStatus(facts.status) else { return nil }
        return request.own.overrides || isSilent(facts) ? timeToLive : nil
    }

    func privateFields(_ facts: ResponseFacts, _ fields: Fields) -> [FieldName] {
        guard isShared, facts.directives.words.contains(.privateFields) else { return [] }
        return ResponseDirectives.fieldNames("private", of: fields)
    }

    /// What is stale from the start and cannot be validated would only take room.
    private func isUseful(_ answer: StoredResponse, _ facts: ResponseFacts) -> Bool {
        if facts.hasValidator { return true }
        guard answer.selecting.first?.name != "*" else { return false }
        let limits = [facts.directives.staleWhileRevalidate, facts.directives.staleIfError]
        if limits.contains(where: { $0.map { $0 > .zero } ?? false }) { return true }
        // Also what another cache has kept until it was stale, and what is not used without the server's word: a caller may take the one
        // (§5.2.1.2), and must be told why it does not get the other when the server is gone (§5.2.2.4).
        return (answer.timeToLive ?? lifetime(facts, received: answer.received.bounded)) > .zero
    }

    /// What the request would have selected, what differs in nothing, and what no request selects any more; and the oldest, where there are too many.
    func replaced(by answer: StoredResponse, _ forward: Forward) -> [CacheEntry] {
        let request = forward.request
        var (replaced, kept): ([CacheEntry], [CacheEntry]) = ([], [])
        for entry in forward.entries {
            let isOld =
                !request.isOfOwnVersion(entry) || entry.answer.selecting == answer.selecting
                || Selection.matches(entry.answer, request)
            if isOld, !isOtherPart(entry, answer) { replaced.append(entry) } else { kept.append(entry) }
        }
        let surplus = kept.count - max(variantLimit - 1, 0)
        guard surplus > 0 else { return replaced }
        return replaced + kept.sorted { $0.answer.received < $1.answer.received }.prefix(surplus)
    }

    /// Whether the entry holds other bytes of the same representation, or all of it, beside which a part is kept.
    private func isOtherPart(_ entry: CacheEntry, _ answer: StoredResponse) -> Bool {
        guard let new = answer.range, let tag = answer.entityTag, let other = entry.answer.entityTag,
            tag.matchesStrongly(other), entry.answer.version == answer.version
        else { return false }
        return entry.answer.range.map { $0.first != new.first } ?? true
    }
}
