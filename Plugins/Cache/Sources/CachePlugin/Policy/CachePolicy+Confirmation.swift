import PlugboardKit

extension CachePolicy {
    // MARK: 304

    /// RFC 9111 §4.3.4: which stored answers a 304 updates, and what the caller gets.
    func afterNotModified(_ answer: ReceivedResponse) -> ResponseDecision {
        let forward = answer.forward
        var decision = ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        let confirmed = confirmed(by: answer)
        guard let entry = confirmed.first else {
            // To a condition of the caller's own, it is the caller's answer.
            if !isToCaller(answer) { decision.outcome = .resend(forward.plain) }
            return decision
        }
        var used = entry
        for (index, entry) in confirmed.enumerated() {
            guard let updated = updated(entry, by: answer) else {
                decision.removes.append(entry)
                if index == 0 { used.answer = confirmedUnstored(entry, by: answer) }
                continue
            }
            decision.updates.append((entry, updated))
            if index == 0 { used.answer = updated }
        }
        guard !forward.validated.isEmpty else {
            if !isToCaller(answer) { decision.outcome = .resend(forward.plain) }
            return decision
        }
        let facts = facts(of: used.answer)
        let freshness = freshness(of: used.answer, facts, own: forward.request.own, now: answer.received)
        var status = decision.status
        status.forwardStatus = 304
        status.isStored = !decision.updates.isEmpty
        guard let reuse = reuse(used, for: forward.request, facts, freshness, as: .revalidated, status) else {
            decision.outcome = .resend(forward.plain)
            return decision
        }
        decision.outcome = .reuse(reuse)
        decision.status = reuse.status
        return decision
    }

    /// The stored answers that a 304 stands for, the one to be used first.
    private func confirmed(by answer: ReceivedResponse) -> [CacheEntry] {
        let forward = answer.forward
        guard forward.mayStore || !forward.validated.isEmpty else { return [] }
        guard !forward.validated.isEmpty else { return confirmedByTheWay(answer) }
        let asked = forward.validated
        if let tag = answer.fields.firstValue(.etag, { EntityTag($0) }) {
            let strong = asked.filter { $0.answer.entityTag?.matchesStrongly(tag) ?? false }
            if !strong.isEmpty { return strong }
            let weak = asked.filter { $0.answer.entityTag?.matchesWeakly(tag) ?? false }
            if let newest = weak.max(by: { $0.answer.received < $1.answer.received }) { return [newest] }
            // A tag that was not asked about. Where only one was named and nothing else could have been meant, the server has renamed it.
            return namesOneTagOnly(forward) ? asked : []
        }
        // Without a tag in the 304, any of several can be meant, the caller's own too.
        guard asked.count == 1, let entry = asked.first, !namesTagsOfCaller(beside: entry, forward) else { return [] }
        return asked
    }

    /// A 304 to the caller's own condition, with a strong validator of what is stored (RFC 9111 §4.3.4).
    private func confirmedByTheWay(_ answer: ReceivedResponse) -> [CacheEntry] {
        guard let tag = answer.fields.firstValue(.etag, { EntityTag($0) }) else { return [] }
        return answer.forward.entries.filter { entry in
            answer.forward.request.isOfOwnVersion(entry) && entry.answer.entityTag?.matchesStrongly(tag) ?? false
        }
    }

    private func namesOneTagOnly(_ forward: Forward) -> Bool {
        forward.validated.count == 1 && !forward.request.conditions.contains(.ifNoneMatch)
            && forward.edits.set.contains(.ifNoneMatch) && !forward.edits.set.contains(.ifModifiedSince)
    }

    /// Whether tags were named that are not this entry's.
    private func namesTagsOfCaller(beside entry: CacheEntry, _ forward: Forward) -> Bool {
        guard case .tags(let tags)? = EntityTagList(.ifNoneMatch, of: forward.request.fields) else { return false }
        return !tags.allSatisfy { $0 == entry.answer.entityTag }
    }

    /// Whether the 304 can be the answer to what the caller itself asked, and the cache did not.
    private func isToCaller(_ answer: ReceivedResponse) -> Bool {
        let forward = answer.forward
        if forward.validated.isEmpty { return forward.completed == nil }
        guard let tags = EntityTagList(.ifNoneMatch, of: forward.request.fields) else { return false }
        return answer.fields.firstValue(.etag) { EntityTag($0) }.map { tags.containsWeakly($0) } ?? false
    }

    // MARK: Updating

    /// A stored answer with what a later one says of it (RFC 9111 §3.2); nil if it may not be stored any more.
    func updated(_ entry: CacheEntry, by answer: ReceivedResponse) -> StoredResponse? {
        let updated = confirmedUnstored(entry, by: answer)
        let request = answer.forward.request
        guard answer.forward.mayStore, mayStore(facts(of: updated), request) else { return nil }
        return updated
    }

    /// The same, for this once.
    private func confirmedUnstored(_ entry: CacheEntry, by answer: ReceivedResponse) -> StoredResponse {
        let request = answer.forward.request
        let matches = Selection.matches(entry.answer, request)
        var updated = entry.answer
        let received = ResponseFacts(
            status: updated.status, fields: answer.fields, isShared: isShared, now: HTTPDate(answer.received.bounded))
        updated.fields = StoredFields.updated(
            updated.fields, by: answer.fields, isPartial: updated.range != nil,
            dropping: privateFields(received, answer.fields), received: answer.received)
        updated.requested = answer.requested
        updated.received = answer.received
        updated.isInvalidated = false
        updated.timeToLive = timeToLive(facts(of: updated), request) ?? updated.timeToLive
        // An answer that is confirmed for a request of another variant stays that variant's.
        if matches { updated.selecting = SelectingForm.selecting(updated.fields, request.fields) }
        return updated
    }

    // MARK: 206 and 416 to a range of the cache's own

    /// RFC 9111 §3.4: a part is put to another one only if both have the same strong validator.
    func afterMissingPart(_ answer: ReceivedResponse) -> ResponseDecision {
        let forward = answer.forward
        var decision = ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        guard let entry = forward.completed, let stored = entry.answer.range,
            let part = ContentRange(of: answer.fields), let complete = part.complete ?? stored.complete,
            stored.complete ?? complete == complete, answer.status == 206,
            isSameRepresentation(entry.answer, answer), let storedFirst = joins(entry, stored, part, complete)
        else {
            decision.removes = forward.completed.map { [$0] } ?? []
            var plain = forward.plain
            plain.entries.removeAll { $0.id == forward.completed?.id }
            plain.selected = nil
            decision.outcome = .resend(plain)
            return decision
        }
        var whole = confirmedUnstored(entry, by: answer)
        whole.status = 200
        whole.range = nil
        whole.fields.remove(.contentRange)
        whole.fields[.contentLength] = "\(complete)"
        if forward.mayStore, mayStore(facts(of: whole), forward.request) {
            decision.store = ResponseDecision.Storing(
                answer: whole, replaced: replaced(by: whole, forward), lengths: complete...complete)
        }
        decision.status.forwardStatus = 206
        decision.status.isStored = decision.store != nil
        decision.outcome = .complete(
            ResponseDecision.Completion(
                head: ResponseHead(status: 200, fields: whole.fields), entry: entry, storedFirst: storedFirst,
                receivedLength: part.bytes.count))
        return decision
    }

    /// Whether the received part stands behind the stored one (true) or before it (false), and both are the whole; nil if not.
    private func joins(
        _ entry: CacheEntry, _ stored: StoredResponse.StoredRange, _ part: ContentRange, _ complete: Int
    ) -> Bool? {
        let end = stored.first.addingClamped(entry.length)
        if stored.first == 0, part.bytes == end..<max(complete, end) { return true }
        if end == complete, part.bytes == 0..<max(stored.first, 0) { return false }
        return nil
    }

    private func isSameRepresentation(_ stored: StoredResponse, _ answer: ReceivedResponse) -> Bool {
        if let tag = stored.entityTag {
            return answer.fields.firstValue(.etag) { EntityTag($0) }.map { $0.matchesStrongly(tag) } ?? false
        }
        let now = HTTPDate(answer.received.bounded)
        guard let date = stored.strongLastModified, !answer.fields.contains(.etag) else { return false }
        return answer.fields.firstValue(.lastModified) { HTTPDate($0, now: now) } == date
    }
}
