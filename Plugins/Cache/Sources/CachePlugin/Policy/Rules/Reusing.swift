import PlugboardKit

/// How a stored answer becomes the caller's (RFC 9111 §4.3.2, RFC 9110 §13.2.2, §14.2).
extension CachePolicy {
    /// Nil if the stored bytes are not enough, or the caller's range is one that only the server can answer.
    func reuse(
        _ entry: CacheEntry, for request: RequestFacts, _ facts: ResponseFacts, _ freshness: Freshness,
        as kind: Reuse.Freshness, _ status: CacheStatus
    ) -> Reuse? {
        var fields = entry.answer.fields
        // Room for Age and Cache-Status, so that what is shared with the store is copied once.
        fields.reserve(fields: fields.count + 2, bytes: fields.byteCount + 96)
        var head = ResponseHead(status: entry.answer.status, fields: fields)
        if kind != .revalidated {
            head.fields[.age] = "\(freshness.ageInSeconds)"
            // RFC 9111 §5.2.2.4: the fields that it names are not used without the server's word.
            if facts.directives.words.contains(.noCacheFields) {
                for name in ResponseDirectives.fieldNames("no-cache", of: entry.answer.fields) {
                    head.fields.remove(name)
                }
            }
        }
        var status = status
        status.timeToLive = freshness.remainingSeconds
        func result(_ body: Range<Int>?) -> Reuse {
            Reuse(head: head, entry: entry, body: body, freshness: kind, status: status)
        }
        if isNotModified(entry.answer, request) {
            head = notModified(head)
            return result(nil)
        }
        if request.kind == .get, request.conditions.contains(.range), wantsPart(entry.answer, request) {
            guard let range = request.range, let part = entry.part(range) else { return nil }
            head = partial(head, entry, part)
            return result(part.isEmpty ? nil : part)
        }
        if let stored = entry.answer.range {
            // HEAD needs no bytes, only their number.
            guard request.kind == .head, let complete = stored.complete else { return nil }
            head.status = 200
            head.fields.remove(.contentRange)
            head.fields[.contentLength] = "\(complete)"
        }
        let hasBody = request.kind != .head && ![204, 205, 304].contains(head.status)
        return result(hasBody ? 0..<entry.length : nil)
    }

    /// Whether the caller's own conditions say that it has this answer already (RFC 9110 §13.1.2, §13.1.3). They count only where the
    /// answer would be a success (§13.2.1).
    private func isNotModified(_ answer: StoredResponse, _ request: RequestFacts) -> Bool {
        guard request.kind != .search, (200...299).contains(answer.status) else { return false }
        if let tags = EntityTagList(.ifNoneMatch, of: request.fields) { return tags.containsWeakly(answer.entityTag) }
        guard request.conditions.contains(.ifModifiedSince),
            let since = request.fields.firstValue(
                .ifModifiedSince, { HTTPDate($0, now: HTTPDate(answer.received.bounded)) })
        else { return false }
        // RFC 9111 §4.3.2: without Last-Modified, by when it was made.
        return (answer.lastModified ?? answer.made) <= since
    }

    /// Of what describes the representation, only what helps to update another cache (RFC 9110 §15.4.5).
    private func notModified(_ head: ResponseHead) -> ResponseHead {
        var head = head
        head.status = 304
        for name: FieldName in [.contentLength, .contentType, .contentEncoding, "Content-Language", .contentRange] {
            head.fields.remove(name)
        }
        if head.fields.contains(.etag) { head.fields.remove(.lastModified) }
        return head
    }

    /// Whether the range counts: its `If-Range`, if there is one, must be this representation's strong validator (RFC 9110 §13.1.5).
    private func wantsPart(_ answer: StoredResponse, _ request: RequestFacts) -> Bool {
        guard answer.status == 200 || answer.range != nil else { return false }
        guard request.conditions.contains(.ifRange) else { return true }
        return request.fields.firstValue(.ifRange) { value in
            if value.first == UInt8(ascii: "\"") || value.part(0, 2).elementsEqual("W/".utf8) {
                guard let tag = EntityTag(value), let own = answer.entityTag else { return false }
                return tag.matchesStrongly(own)
            }
            let now = HTTPDate(answer.received.bounded)
            guard let date = HTTPDate(value, now: now), let own = answer.strongLastModified else { return false }
            return date == own
        } ?? false
    }

    /// 206 with a part of the stored bytes, or 416 if the whole has none of them (RFC 9110 §15.3.7, §15.5.17).
    private func partial(_ head: ResponseHead, _ entry: CacheEntry, _ part: Range<Int>) -> ResponseHead {
        var head = head
        let complete = entry.answer.range.map(\.complete) ?? entry.length
        let size = complete.map { "\($0)" } ?? "*"
        head.fields[.contentLength] = "\(part.count)"
        if part.isEmpty {
            head.status = 416
            head.fields[.contentRange] = "bytes */\(size)"
            return head
        }
        let first = (entry.answer.range?.first ?? 0).addingClamped(part.lowerBound)
        head.status = 206
        head.fields[.contentRange] = "bytes \(first)-\(first.addingClamped(part.count - 1))/\(size)"
        return head
    }
}
