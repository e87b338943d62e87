import PlugboardKit

extension CachePolicy {
    /// What becomes of an answer. Interim answers (1xx) pass.
    ///
    /// - Parameter resolve: The URL that a reference in the answer means, in normal form; nil if it means none.
    func decision(on answer: ReceivedResponse, resolving resolve: (String) -> String?) -> ResponseDecision {
        let forward = answer.forward
        guard answer.status >= 200 else { return ResponseDecision(status: CacheStatus(forwarded: forward.reason)) }
        switch forward.request.kind {
        case .safe: return ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        case .unsafe: return afterUnsafe(answer, resolve)
        case .head: return afterHead(answer)
        case .get, .search: break
        }
        if answer.status == 304 { return afterNotModified(answer) }
        if forward.completed != nil, [206, 416].contains(answer.status) { return afterMissingPart(answer) }
        return substitute(answer) ?? replacing(answer)
    }

    // MARK: Unsafe methods

    /// RFC 9111 §4.4: what a successful change may have changed is not used without validation. RFC 9110 §9.3.3: what a POST gives as the state
    /// of its own URL, with explicit freshness, is stored as such.
    private func afterUnsafe(_ answer: ReceivedResponse, _ resolve: (String) -> String?) -> ResponseDecision {
        let request = answer.forward.request
        var decision = ResponseDecision(status: CacheStatus(forwarded: answer.forward.reason))
        guard (200...399).contains(answer.status) else { return decision }
        decision.invalidates = [request.url]
        let origin = Origin(url: request.url)
        var isOfItself = false
        for name: FieldName in [.location, .contentLocation] {
            guard let reference = answer.fields[name], let url = resolve(reference) else { continue }
            if name == .contentLocation { isOfItself = url == request.url }
            if url != request.url, origin != nil, Origin(url: url) == origin { decision.invalidates.append(url) }
        }
        guard request.isPost, isOfItself, answer.status == 200, let storing = storing(answer) else { return decision }
        let facts = facts(of: storing.answer)
        guard explicitLifetime(facts, received: answer.received) != nil else { return decision }
        decision.store = storing
        decision.purges = request.url
        decision.status.isStored = true
        return decision
    }

    // MARK: HEAD

    /// RFC 9111 §4.3.5: a GET's answer that differs in what both have is not used without validation; one that does not is updated.
    private func afterHead(_ answer: ReceivedResponse) -> ResponseDecision {
        var decision = ResponseDecision(status: CacheStatus(forwarded: answer.forward.reason))
        guard answer.forward.mayStore, [200, 404, 410].contains(answer.status) else { return decision }
        for entry in Selection(answer.forward.request, answer.forward.entries).matching {
            if answer.status == 200, agrees(entry, answer.fields), let updated = updated(entry, by: answer) {
                decision.updates.append((entry, updated))
            } else {
                var invalidated = entry.answer
                invalidated.isInvalidated = true
                decision.updates.append((entry, invalidated))
            }
        }
        return decision
    }

    private func agrees(_ entry: CacheEntry, _ fields: Fields) -> Bool {
        let now = HTTPDate(entry.answer.received.bounded)
        if let tag = fields.firstValue(.etag, { EntityTag($0) }), tag != entry.answer.entityTag { return false }
        if let date = fields.firstValue(.lastModified, { HTTPDate($0, now: now) }), date != entry.answer.lastModified {
            return false
        }
        guard let length = fields.firstValue(.contentLength, { $0.byteCount }) else { return true }
        return entry.answer.range.map { $0.complete ?? length } ?? entry.length == length
    }

    // MARK: Answers that take the place of what is stored

    /// RFC 5861 §4, RFC 9111 §4.3.3: what is stored, in place of an error.
    private func substitute(_ answer: ReceivedResponse) -> ResponseDecision? {
        guard [500, 502, 503, 504].contains(answer.status), let entry = answer.forward.selected else { return nil }
        guard let reuse = stale(entry, answer.forward, isUnreachable: false, now: answer.received, answer.status) else {
            return nil
        }
        return ResponseDecision(outcome: .reuse(reuse), status: reuse.status)
    }

    /// What is stored, although it is stale, after the server has failed; nil if that is not allowed.
    func stale(
        _ entry: CacheEntry, _ forward: Forward, isUnreachable: Bool, now: Duration, _ status: Int? = nil
    ) -> Reuse? {
        let facts = facts(of: entry.answer)
        let freshness = freshness(of: entry.answer, facts, own: forward.request.own, now: now)
        guard !entry.answer.isInvalidated,
            maySubstitute(facts, freshness, for: forward.request, isUnreachable: isUnreachable)
        else { return nil }
        let cacheStatus = CacheStatus(
            isHit: status == nil, forwarded: status.map { _ in forward.reason }, forwardStatus: status)
        return reuse(
            entry, for: forward.request, facts, freshness, as: freshness.isFresh ? .fresh : .stale, cacheStatus)
    }

    /// A final answer of its own: it is stored, or what is stored goes, for the server has another answer now.
    private func replacing(_ answer: ReceivedResponse) -> ResponseDecision {
        var decision = ResponseDecision(status: CacheStatus(forwarded: answer.forward.reason))
        decision.store = storing(answer)
        decision.status.isStored = decision.store != nil
        let isOfTheResource = (200...399).contains(answer.status) || answer.status == 404 || answer.status == 410
        if decision.store == nil, answer.forward.mayStore, isOfTheResource, answer.status != 206 {
            decision.removes = Selection(answer.forward.request, answer.forward.entries).matching
        }
        return decision
    }
}
