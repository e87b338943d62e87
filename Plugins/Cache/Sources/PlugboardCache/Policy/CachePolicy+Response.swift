import PlugboardKit

extension CachePolicy {
    /// The decision for a response. Interim responses (1xx) pass.
    ///
    /// - Parameter resolve: Returns the URL that a reference in the response means, in normal form, or nil.
    func decision(on response: NetworkResponse, resolving resolve: (String) -> String?) -> ResponseDecision {
        let forward = response.forward
        guard response.status >= 200 else { return ResponseDecision(status: CacheStatus(forwarded: forward.reason)) }
        switch forward.request.kind {
        case .safe: return ResponseDecision(status: CacheStatus(forwarded: forward.reason))
        case .unsafe: return afterUnsafe(response, resolve)
        case .head: return afterHead(response)
        case .get, .search: break
        }
        if response.status == 304 { return afterNotModified(response) }
        if forward.completed != nil, [206, 416].contains(response.status) { return afterMissingPart(response) }
        if let substitute = substitute(response) { return substitute }
        return replacing(response)
    }

    // MARK: Unsafe methods

    /// RFC 9111 §4.4: a successful change invalidates what it may have changed. RFC 9110 §9.3.3: a response to a POST
    /// that describes the state of its own URL, and has explicit freshness, is stored.
    private func afterUnsafe(_ response: NetworkResponse, _ resolve: (String) -> String?) -> ResponseDecision {
        let request = response.forward.request
        var decision = ResponseDecision(status: CacheStatus(forwarded: response.forward.reason))
        guard (200...399).contains(response.status) else { return decision }
        decision.invalidates = [request.url]
        // If the key omits a part of the URL, responses to this URL are stored under the URL in the key.
        let urlInKey = request.key.url
        if urlInKey != request.url { decision.invalidates.append(urlInKey) }
        let origin = Origin(url: request.url)
        var isOfItself = false
        for name: FieldName in [.location, .contentLocation] {
            guard let reference = response.fields[name], let url = resolve(reference) else { continue }
            if name == .contentLocation { isOfItself = url == request.url }
            if url != request.url, origin != nil, Origin(url: url) == origin { decision.invalidates.append(url) }
        }
        guard request.isPost, isOfItself, response.status == 200, let storing = storing(response) else {
            return decision
        }
        let facts = facts(of: storing.response)
        guard explicitLifetime(facts, received: response.received) != nil else { return decision }
        decision.store = storing
        decision.purges = urlInKey
        decision.status.isStored = true
        return decision
    }

    // MARK: HEAD

    /// RFC 9111 §4.3.5: a HEAD invalidates a stored GET response that differs from it, and updates one that does not.
    private func afterHead(_ response: NetworkResponse) -> ResponseDecision {
        var decision = ResponseDecision(status: CacheStatus(forwarded: response.forward.reason))
        guard response.forward.mayStore, [200, 404, 410].contains(response.status) else { return decision }
        for entry in Selection(response.forward.request, response.forward.entries).matching {
            if response.status == 200, agrees(entry, response.fields), var updated = updated(entry, by: response) {
                // RFC 9111 §4.4: without an equal validator, the body may still be the one from before a change.
                updated.isInvalidated = entry.response.isInvalidated && !hasValidator(response.fields)
                decision.updates.append((entry, updated))
            } else {
                var invalidated = entry.response
                invalidated.isInvalidated = true
                decision.updates.append((entry, invalidated))
            }
        }
        return decision
    }

    /// Whether fields that agree with an entry have a validator.
    private func hasValidator(_ fields: Fields) -> Bool { fields.contains(.etag) || fields.contains(.lastModified) }

    private func agrees(_ entry: CacheEntry, _ fields: Fields) -> Bool {
        let now = HTTPDate(entry.response.received.bounded)
        if let tag = fields.firstValue(.etag, { EntityTag($0) }), tag != entry.response.entityTag { return false }
        if let date = fields.firstValue(.lastModified, { HTTPDate($0, now: now) }), date != entry.response.lastModified
        {
            return false
        }
        guard let length = fields.firstValue(.contentLength, { $0.byteCount }) else { return true }
        return entry.response.range.map { $0.complete ?? length } ?? entry.length == length
    }

    // MARK: Responses that replace stored ones

    /// RFC 5861 §4, RFC 9111 §4.3.3: serves a stored response instead of an error.
    private func substitute(_ response: NetworkResponse) -> ResponseDecision? {
        guard [500, 502, 503, 504].contains(response.status), let entry = response.forward.selected else { return nil }
        guard let reuse = stale(entry, response.forward, isUnreachable: false, now: response.received, response.status)
        else {
            return nil
        }
        return ResponseDecision(outcome: .reuse(reuse), status: reuse.status)
    }

    /// A stale response after a failure of the server; nil if that is not allowed.
    func stale(
        _ entry: CacheEntry, _ forward: Forward, isUnreachable: Bool, now: Duration, _ status: Int? = nil
    ) -> Reuse? {
        let facts = facts(of: entry)
        let freshness = freshness(of: entry, facts, own: forward.request.own, now: now)
        guard !entry.response.isInvalidated,
            maySubstitute(facts, freshness, for: forward.request, isUnreachable: isUnreachable)
        else { return nil }
        let cacheStatus = CacheStatus(
            isHit: status == nil, forwarded: status.map { _ in forward.reason }, forwardStatus: status)
        return reuse(
            entry, for: forward.request, facts, freshness, as: freshness.isFresh ? .fresh : .stale, cacheStatus)
    }

    /// Stores a new response. If it must not be stored, removes the stored responses that it supersedes.
    private func replacing(_ response: NetworkResponse) -> ResponseDecision {
        let forward = response.forward
        let store = storing(response)
        let isOfTheResource = (200...399).contains(response.status) || response.status == 404 || response.status == 410
        let supersedes = store == nil && forward.mayStore && isOfTheResource && response.status != 206
        return ResponseDecision(
            store: store, removes: supersedes ? Selection(forward.request, forward.entries).matching : [],
            status: CacheStatus(forwarded: forward.reason, isStored: store != nil))
    }
}
