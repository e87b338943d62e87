import PlugboardKit

/// Makes the caller's response from a stored one (RFC 9111 §4.3.2, RFC 9110 §13.2.2, §14.2).
extension CachePolicy {
    /// Nil if bytes are missing, or if only the server can respond to the caller's range.
    func reuse(
        _ entry: CacheEntry, for request: RequestFacts, _ facts: ResponseFacts, _ freshness: Freshness,
        as kind: Reuse.Freshness, _ status: CacheStatus
    ) -> Reuse? {
        var status = status
        status.timeToLive = freshness.remainingSeconds
        func result(_ form: Reuse.Form, _ body: Range<Int>?) -> Reuse {
            Reuse(form: form, entry: entry, body: body, freshness: kind, status: status)
        }
        let age = kind == .revalidated ? nil : freshness.ageInSeconds
        let mustDrop = age != nil && facts.directives.words.contains(.noCacheFields)
        // The fast path, for nearly all requests and entries.
        if let age, !mustDrop, request.conditions.isDisjoint(with: .all), request.kind == .get,
            entry.response.range == nil
        {
            return result(.stored(age: age), hasBody(entry.response.status) ? 0..<entry.length : nil)
        }
        var head = age.map { entry.response.head(age: $0) } ?? entry.response.head
        // RFC 9111 §5.2.2.4: fields named by no-cache are not used without validation.
        if mustDrop {
            for name in ResponseDirectives.fieldNames("no-cache", of: entry.response.fields) {
                head.fields.remove(name)
            }
        }
        if isNotModified(entry.response, request) { return result(.made(notModified(head)), nil) }
        if request.kind == .get, request.conditions.contains(.range), wantsPart(entry.response, request) {
            guard let range = request.range, let part = entry.part(range) else { return nil }
            return result(.made(partial(head, entry, part)), part.isEmpty ? nil : part)
        }
        if let stored = entry.response.range {
            // A response to HEAD needs only the length.
            guard request.kind == .head, let complete = stored.complete else { return nil }
            head.status = 200
            head.fields.remove(.contentRange)
            head.fields[.contentLength] = "\(complete)"
        }
        return result(.made(head), request.kind != .head && hasBody(head.status) ? 0..<entry.length : nil)
    }

    private func hasBody(_ status: Int) -> Bool { status != 204 && status != 205 && status != 304 }

    /// Whether the caller's own conditions show that it has this response already (RFC 9110 §13.1.2, §13.1.3). They
    /// count only for successful responses (§13.2.1).
    private func isNotModified(_ response: StoredResponse, _ request: RequestFacts) -> Bool {
        guard request.kind != .search, (200...299).contains(response.status) else { return false }
        if request.conditions.contains(.ifNoneMatch), let tags = EntityTagList(.ifNoneMatch, of: request.fields) {
            return tags.containsWeakly(response.entityTag)
        }
        guard request.conditions.contains(.ifModifiedSince),
            let since = request.fields.firstValue(
                .ifModifiedSince, { HTTPDate($0, now: HTTPDate(response.received.bounded)) })
        else { return false }
        // RFC 9111 §4.3.2: without Last-Modified, the date of the response counts.
        return (response.lastModified ?? response.made) <= since
    }

    /// Removes the fields that describe the body, except those that update another cache (RFC 9110 §15.4.5).
    private func notModified(_ head: ResponseHead) -> ResponseHead {
        var head = head
        head.status = 304
        for name: FieldName in [.contentLength, .contentType, .contentEncoding, "Content-Language", .contentRange] {
            head.fields.remove(name)
        }
        if head.fields.contains(.etag) { head.fields.remove(.lastModified) }
        return head
    }

    /// Whether the range applies: an `If-Range` must be this representation's strong validator (RFC 9110 §13.1.5).
    private func wantsPart(_ response: StoredResponse, _ request: RequestFacts) -> Bool {
        guard response.status == 200 || response.range != nil else { return false }
        guard request.conditions.contains(.ifRange) else { return true }
        return request.fields.firstValue(.ifRange) { value in
            if value.first == UInt8(ascii: "\"") || value.part(0, 2).elementsEqual("W/".utf8) {
                guard let tag = EntityTag(value), let own = response.entityTag else { return false }
                return tag.matchesStrongly(own)
            }
            let now = HTTPDate(response.received.bounded)
            guard let date = HTTPDate(value, now: now), let own = response.strongLastModified else { return false }
            return date == own
        } ?? false
    }

    /// A 206 with a part of the stored bytes, or a 416 if the range is outside the whole (RFC 9110 §15.3.7, §15.5.17).
    private func partial(_ head: ResponseHead, _ entry: CacheEntry, _ part: Range<Int>) -> ResponseHead {
        var head = head
        let complete = entry.response.range.map(\.complete) ?? entry.length
        let size = complete.map { "\($0)" } ?? "*"
        head.fields[.contentLength] = "\(part.count)"
        if part.isEmpty {
            head.status = 416
            head.fields[.contentRange] = "bytes */\(size)"
            return head
        }
        let first = (entry.response.range?.first ?? 0).addingClamped(part.lowerBound)
        head.status = 206
        head.fields[.contentRange] = "bytes \(first)-\(first.addingClamped(part.count - 1))/\(size)"
        return head
    }
}

extension StoredResponse {
    var head: ResponseHead { ResponseHead(status: status, fields: fields) }

    func head(age: Int64) -> ResponseHead {
        var head = head
        // Reserves room for Age and Cache-Status, so that the fields shared with the store are copied once.
        head.fields.reserve(fields: fields.count + 2, bytes: fields.byteCount + 96)
        head.fields[.age] = String(age)
        return head
    }
}
