import PlugboardKit
import PlugboardRanges

extension CachePolicy {
    // MARK: 304

    /// RFC 9111 §4.3.4: selects the stored responses that a 304 updates, and what the caller gets.
    func afterNotModified(_ response: NetworkResponse) -> ResponseDecision {
        let forward = response.forward
        var decision = ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        let confirmed = confirmed(by: response)
        guard let entry = confirmed.first else {
            // A 304 to the caller's own condition passes to the caller.
            if !isToCaller(response) { decision.outcome = .resend(forward.plain()) }
            return decision
        }
        var used = entry
        for (index, entry) in confirmed.enumerated() {
            guard let updated = updated(entry, by: response) else {
                decision.removes.append(entry)
                if index == 0 { used.response = confirmedUnstored(entry, by: response) }
                continue
            }
            decision.updates.append((entry, updated))
            if index == 0 { used.response = updated }
        }
        guard !forward.validated.isEmpty else {
            if !isToCaller(response) { decision.outcome = .resend(forward.plain()) }
            return decision
        }
        let facts = facts(of: used.response)
        let freshness = freshness(of: used.response, facts, own: forward.request.own, now: response.received)
        var status = decision.status
        status.forwardStatus = 304
        status.isStored = !decision.updates.isEmpty
        guard let reuse = reuse(used, for: forward.request, facts, freshness, as: .revalidated, status) else {
            decision.outcome = .resend(forward.plain())
            return decision
        }
        decision.outcome = .reuse(reuse)
        decision.status = reuse.status
        return decision
    }

    /// The stored responses that a 304 confirms; the one to use comes first.
    private func confirmed(by response: NetworkResponse) -> [CacheEntry] {
        let forward = response.forward
        guard forward.mayStore || !forward.validated.isEmpty else { return [] }
        guard !forward.validated.isEmpty else { return confirmedByTheWay(response) }
        let asked = forward.validated
        if let tag = response.fields.firstValue(.etag, { EntityTag($0) }) {
            let strong = asked.filter { $0.response.entityTag?.matchesStrongly(tag) ?? false }
            if !strong.isEmpty { return strong }
            let weak = asked.filter { $0.response.entityTag?.matchesWeakly(tag) ?? false }
            if let newest = weak.max(by: { $0.response.received < $1.response.received }) { return [newest] }
            // RFC 9111 §4.3.4: a 304 with another tag is about a body that is not stored.
            return []
        }
        // A 304 without a tag may mean any of several tags, including the caller's.
        guard asked.count == 1, let entry = asked.first, !namesTagsOfCaller(beside: entry, forward) else { return [] }
        return asked
    }

    /// A 304 to the caller's own condition confirms stored responses with the same strong validator (RFC 9111 §4.3.4).
    private func confirmedByTheWay(_ response: NetworkResponse) -> [CacheEntry] {
        guard let tag = response.fields.firstValue(.etag, { EntityTag($0) }) else { return [] }
        return response.forward.entries.filter { entry in
            response.forward.request.isOfOwnVersion(entry) && entry.response.entityTag?.matchesStrongly(tag) ?? false
        }
    }

    /// Whether the request also names tags other than this entry's.
    private func namesTagsOfCaller(beside entry: CacheEntry, _ forward: Forward) -> Bool {
        guard case .tags(let tags)? = EntityTagList(.ifNoneMatch, of: forward.request.fields) else { return false }
        return !tags.allSatisfy { $0 == entry.response.entityTag }
    }

    /// Whether the 304 may respond to a condition of the caller that the cache did not add.
    private func isToCaller(_ response: NetworkResponse) -> Bool {
        let forward = response.forward
        if forward.validated.isEmpty { return forward.completed == nil }
        guard let tags = EntityTagList(.ifNoneMatch, of: forward.request.fields) else { return false }
        return response.fields.firstValue(.etag) { EntityTag($0) }.map { tags.containsWeakly($0) } ?? false
    }

    // MARK: Updating

    /// A stored response updated by a later one (RFC 9111 §3.2); nil if it must not be stored any more.
    func updated(_ entry: CacheEntry, by response: NetworkResponse) -> StoredResponse? {
        let updated = confirmedUnstored(entry, by: response)
        let request = response.forward.request
        guard response.forward.mayStore, mayStore(facts(of: updated), request) else { return nil }
        return updated
    }

    /// The updated response for this exchange, even if it must not be stored.
    private func confirmedUnstored(_ entry: CacheEntry, by response: NetworkResponse) -> StoredResponse {
        let request = response.forward.request
        let matches = Selection.matches(entry.response, request)
        var updated = entry.response
        let received = ResponseFacts(
            status: updated.status, fields: response.fields, isShared: isShared,
            now: HTTPDate(response.received.bounded))
        updated.fields = StoredFields.updated(
            updated.fields, by: response.fields, isPartial: updated.range != nil,
            dropping: privateFields(received, response.fields), received: response.received)
        updated.requested = response.requested
        updated.received = response.received
        updated.isInvalidated = false
        updated.timeToLive = timeToLive(facts(of: updated), request) ?? updated.timeToLive
        // A response that is confirmed for a request of another variant keeps its selecting fields.
        if matches { updated.selecting = SelectingForm.selecting(updated.fields, request.fields) }
        return updated
    }

    // MARK: 206 and 416 to a range of the cache's own

    /// The most fields that a received part may have to be joined with a stored one. Fields are replaced one by one.
    private static let mostFieldsOfPart = 1000

    /// RFC 9111 §3.4: parts are combined only if both have the same strong validator.
    func afterMissingPart(_ response: NetworkResponse) -> ResponseDecision {
        let forward = response.forward
        var decision = ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        guard let entry = forward.completed, let stored = entry.response.range,
            let part = ContentRange(of: response.fields), let complete = part.complete ?? stored.complete,
            stored.complete ?? complete == complete, response.status == 206,
            isSameRepresentation(entry.response, response), let storedFirst = joins(entry, stored, part, complete),
            response.fields.count <= CachePolicy.mostFieldsOfPart
        else {
            decision.removes = forward.completed.map { [$0] } ?? []
            decision.outcome = .resend(forward.plain(without: forward.completed))
            return decision
        }
        var whole = confirmedUnstored(entry, by: response)
        whole.status = 200
        whole.range = nil
        whole.fields.remove(.contentRange)
        whole.fields[.contentLength] = "\(complete)"
        if forward.mayStore, mayStore(facts(of: whole), forward.request) {
            decision.store = ResponseDecision.Storing(
                response: whole, replaced: replaced(by: whole, forward), lengths: complete...complete)
        }
        decision.status.forwardStatus = 206
        decision.status.isStored = decision.store != nil
        decision.outcome = .complete(
            ResponseDecision.Completion(
                head: ResponseHead(status: 200, fields: whole.fields), entry: entry, storedFirst: storedFirst,
                receivedLength: part.bytes.count))
        return decision
    }

    /// True if the received part follows the stored one, false if it precedes it; nil if the two are not the whole.
    private func joins(
        _ entry: CacheEntry, _ stored: StoredResponse.StoredRange, _ part: ContentRange, _ complete: Int
    ) -> Bool? {
        let end = stored.first.addingClamped(entry.length)
        if stored.first == 0, part.bytes == end..<max(complete, end) { return true }
        if end == complete, part.bytes == 0..<max(stored.first, 0) { return false }
        return nil
    }

    private func isSameRepresentation(_ stored: StoredResponse, _ response: NetworkResponse) -> Bool {
        if let tag = stored.entityTag {
            return response.fields.firstValue(.etag) { EntityTag($0) }.map { $0.matchesStrongly(tag) } ?? false
        }
        let now = HTTPDate(response.received.bounded)
        guard let date = stored.strongLastModified, !response.fields.contains(.etag) else { return false }
        return response.fields.firstValue(.lastModified) { HTTPDate($0, now: now) } == date
    }
}
