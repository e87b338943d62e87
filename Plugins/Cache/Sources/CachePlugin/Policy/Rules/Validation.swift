import PlugboardKit

/// How what is stored is asked about (RFC 9111 §4.3.1), and the rest of a part asked for (§3.3).
extension Forward {
    /// More entity tags make a request long, and hardly ever help.
    private static let tagLimit = 8

    /// With the conditions that let the server confirm what is stored, or send only what is missing.
    ///
    /// The selected answer is asked about; if none is, all that could be meant by its entity tag. HEAD goes as it is: its answer says as much as a 304.
    func validating(_ selection: Selection) -> Forward {
        guard request.kind == .get, !request.conditions.contains(.originOnly) else { return self }
        if let selected, !selected.serves(request.range) { return completing(selected) }
        let candidates =
            selected.map { [$0] }
            ?? selection.usable.filter { $0.answer.entityTag != nil && $0.serves(request.range) }
            .sorted { $0.answer.received > $1.answer.received }
        var tagged: [(entry: CacheEntry, tag: EntityTag)] = []
        for entry in candidates {
            guard let tag = entry.answer.entityTag, tagged.count < Forward.tagLimit else { continue }
            tagged.append((entry, tag))
        }
        switch EntityTagList(.ifNoneMatch, of: request.fields) {
        case .any: return self
        case .tags(let callers): return naming(tagged, beside: callers)
        case nil: return naming(tagged, andDateOf: selected)
        }
    }

    /// The caller's tags and the cache's own in one list (RFC 9111 §4.3.2).
    private func naming(_ tagged: [(entry: CacheEntry, tag: EntityTag)], beside callers: [EntityTag]) -> Forward {
        var forward = self
        forward.validated = tagged.map(\.entry)
        var texts: [String] = []
        for (_, tag) in tagged where !callers.contains(tag) && !texts.contains(tag.text) { texts.append(tag.text) }
        if !texts.isEmpty {
            texts.insert(contentsOf: request.fields.values(.ifNoneMatch), at: 0)
            forward.edits.set.append(.ifNoneMatch, texts.joined(separator: ", "))
        }
        return forward
    }

    /// Both validators of the selected answer, in place of a date of the caller's own, which `reuse` judges when this is known to hold.
    private func naming(
        _ tagged: [(entry: CacheEntry, tag: EntityTag)], andDateOf selected: CacheEntry?
    ) -> Forward {
        var forward = self
        var texts: [String] = []
        for (_, tag) in tagged where !texts.contains(tag.text) { texts.append(tag.text) }
        let modified = selected.flatMap { $0.answer.lastModified == nil ? nil : $0.answer.fields[.lastModified] }
        guard !texts.isEmpty || modified != nil else { return self }
        forward.validated = selected.map { [$0] } ?? tagged.map(\.entry)
        if !texts.isEmpty { forward.edits.set.append(.ifNoneMatch, texts.joined(separator: ", ")) }
        if let modified {
            forward.edits.set.append(.ifModifiedSince, modified)
        } else if request.conditions.contains(.ifModifiedSince) {
            forward.edits.removed.append(.ifModifiedSince)
        }
        return forward
    }

    /// Asks for what stands before or behind the stored part. The part must have a strong validator, or nothing may be put to it
    /// (RFC 9111 §3.4).
    private func completing(_ entry: CacheEntry) -> Forward {
        guard request.conditions.isDisjoint(with: .all), let stored = entry.answer.range else { return self }
        let end = stored.first.addingClamped(entry.length)
        let missing: String
        if stored.first == 0, entry.length > 0, stored.complete.map({ end < $0 }) ?? true {
            missing = "bytes=\(end)-"
        } else if stored.first > 0, end == stored.complete {
            missing = "bytes=0-\(stored.first - 1)"
        } else {
            return self
        }
        guard let validator = entry.answer.strongValidator else { return self }
        var forward = self
        forward.reason = .partial
        forward.completed = entry
        forward.edits.set.append(.range, missing)
        forward.edits.set.append(.ifRange, validator)
        return forward
    }
}

extension StoredResponse {
    /// For `If-Range` (RFC 9110 §13.1.5); nil if there is none that is strong.
    var strongValidator: String? {
        if let tag = entityTag { return tag.isWeak ? nil : tag.text }
        return strongLastModified == nil ? nil : fields[.lastModified]
    }
}
