import PlugboardKit

/// Adds the conditions that validate stored responses (RFC 9111 §4.3.1), and requests the missing rest of a part
/// (§3.3).
extension Forward {
    /// The most entity tags of a request. More would make it long, and rarely help.
    private static let tagLimit = 8

    /// Adds the conditions with which the server can confirm a stored response, or send only its missing part.
    ///
    /// The selected response is validated; without one, all responses that have an entity tag. A HEAD is forwarded
    /// unchanged, because its response says as much as a 304.
    func validating(_ selection: Selection) -> Forward {
        guard request.kind == .get, !request.conditions.contains(.originOnly) else { return self }
        // Most misses: there is nothing to validate.
        if selected == nil, selection.usable.isEmpty { return self }
        if let selected, !selected.serves(request.range) { return completing(selected) }
        let candidates =
            selected.map { [$0] }
            ?? selection.usable.filter { $0.response.entityTag != nil && $0.serves(request.range) }
            .sorted { $0.response.received > $1.response.received }
        var tagged: [(entry: CacheEntry, tag: EntityTag)] = []
        for entry in candidates {
            guard let tag = entry.response.entityTag, tagged.count < Forward.tagLimit else { continue }
            tagged.append((entry, tag))
        }
        switch EntityTagList(.ifNoneMatch, of: request.fields) {
        case .any: return self
        case .tags(let callers): return naming(tagged, beside: callers)
        case nil: return naming(tagged, andDateOf: selected)
        }
    }

    /// Combines the caller's tags and the cache's own in one list (RFC 9111 §4.3.2).
    private func naming(_ tagged: [(entry: CacheEntry, tag: EntityTag)], beside callers: [EntityTag]) -> Forward {
        var edits = edits
        var texts: [String] = []
        for (_, tag) in tagged where !callers.contains(tag) && !texts.contains(tag.text) { texts.append(tag.text) }
        if !texts.isEmpty {
            texts.insert(contentsOf: request.fields.values(.ifNoneMatch), at: 0)
            edits.set.append(.ifNoneMatch, texts.joined(separator: ", "))
        }
        return editing(edits, validated: tagged.map(\.entry))
    }

    /// Adds both validators of the selected response, instead of the caller's own date, which `reuse` evaluates later.
    private func naming(
        _ tagged: [(entry: CacheEntry, tag: EntityTag)], andDateOf selected: CacheEntry?
    ) -> Forward {
        var edits = edits
        var texts: [String] = []
        for (_, tag) in tagged where !texts.contains(tag.text) { texts.append(tag.text) }
        let modified = selected.flatMap { $0.response.lastModified == nil ? nil : $0.response.fields[.lastModified] }
        guard !texts.isEmpty || modified != nil else { return self }
        if !texts.isEmpty { edits.set.append(.ifNoneMatch, texts.joined(separator: ", ")) }
        if let modified {
            edits.set.append(.ifModifiedSince, modified)
        } else if request.conditions.contains(.ifModifiedSince) {
            edits.removed.append(.ifModifiedSince)
        }
        return editing(edits, validated: selected.map { [$0] } ?? tagged.map(\.entry))
    }

    /// Requests the bytes before or after the stored part. The part must have a strong validator, because otherwise
    /// nothing may be joined to it (RFC 9111 §3.4).
    private func completing(_ entry: CacheEntry) -> Forward {
        guard request.conditions.isDisjoint(with: .all), let stored = entry.response.range else { return self }
        let end = stored.first.addingClamped(entry.length)
        let missing: String
        if stored.first == 0, entry.length > 0, stored.complete.map({ end < $0 }) ?? true {
            missing = "bytes=\(end)-"
        } else if stored.first > 0, end == stored.complete {
            missing = "bytes=0-\(stored.first - 1)"
        } else {
            return self
        }
        guard let validator = entry.response.strongValidator else { return self }
        var edits = edits
        edits.set.append(.range, missing)
        edits.set.append(.ifRange, validator)
        return editing(edits, .partial, completed: entry)
    }
}

extension StoredResponse {
    /// The validator for `If-Range` (RFC 9110 §13.1.5); nil without a strong one.
    var strongValidator: String? {
        if let tag = entityTag { return tag.isWeak ? nil : tag.text }
        return strongLastModified == nil ? nil : fields[.lastModified]
    }
}
