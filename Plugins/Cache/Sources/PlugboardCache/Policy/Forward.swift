import PlugboardCacheOptions
import PlugboardKit

/// A request that is sent to the server, with the entries known at that time. Kept until the response comes.
///
/// A reference, because the decision, the turn and the response share it.
final class Forward: Sendable {
    let request: RequestFacts
    /// The changes to the forwarded request.
    let edits: Edits
    /// Why it is forwarded (RFC 9211 §2.2).
    let reason: CacheStatus.ForwardReason
    /// The entries with its key.
    let entries: [CacheEntry]
    /// The entry that the request selects, if any; it may be served if the server fails.
    let selected: CacheEntry?
    /// The entries that the added conditions ask about, and that a 304 may confirm.
    let validated: [CacheEntry]
    /// The incomplete entry whose missing part is requested (RFC 9111 §3.3).
    let completed: CacheEntry?

    /// First, all fields named in `removed` or `set` are removed; then the fields of `set` are added in order.
    struct Edits: Sendable {
        var set = Fields()
        var removed: [FieldName] = []

        var isEmpty: Bool { removed.isEmpty && set.isEmpty }
    }

    /// - Parameter edits: The changes; nil for those of the request's mode.
    init(
        _ request: RequestFacts, _ reason: CacheStatus.ForwardReason, _ entries: [CacheEntry] = [],
        selected: CacheEntry? = nil, validated: [CacheEntry] = [], completed: CacheEntry? = nil, edits: Edits? = nil
    ) {
        self.request = request
        self.edits = edits ?? Forward.wordsOfMode(request)
        self.reason = reason
        self.entries = entries
        self.selected = selected
        self.validated = validated
        self.completed = completed
    }

    /// Whether the response may be stored. An unsafe method invalidates entries even if this is false.
    var mayStore: Bool {
        request.kind != .safe && request.mode != .noStore && !request.directives.noStore && request.isVerified
    }

    /// Whether identical requests may wait for this one, because nothing in it is specific to its caller.
    var mayBeShared: Bool {
        mayStore && (request.kind == .get || request.kind == .search) && request.conditions.isDisjoint(with: .all)
            && (request.mode == .default || request.mode == .forceCache)
            && !request.directives.noCache && request.directives.maxAge == nil
    }

    /// The fields that the mode adds for other caches (Fetch, HTTP-network-or-cache fetch, steps 8.20 and 8.21).
    private static func wordsOfMode(_ request: RequestFacts) -> Edits {
        var edits = Edits()
        switch request.mode {
        case .noCache:
            if !request.directives.isPresent { edits.set.append(.cacheControl, "max-age=0") }
        case .reload, .noStore:
            if !request.fields.contains(.pragma) { edits.set.append(.pragma, "no-cache") }
            if !request.directives.isPresent { edits.set.append(.cacheControl, "no-cache") }
        case .default, .forceCache, .onlyIfCached: break
        }
        return edits
    }

    /// The same request with these edits, which validate the entries or request the missing part of one.
    func editing(
        _ edits: Edits, _ reason: CacheStatus.ForwardReason? = nil, validated: [CacheEntry] = [],
        completed: CacheEntry? = nil
    ) -> Forward {
        Forward(
            request, reason ?? self.reason, entries, selected: selected, validated: validated, completed: completed,
            edits: edits)
    }

    /// The same request, except that the entries that the response can only replace do not hold their bodies in memory.
    var withoutBodies: Forward {
        if entries.isEmpty { return self }
        let heads = entries.map { entry in
            var head = entry
            head.pieces = nil
            return head
        }
        return Forward(
            request, reason, heads, selected: selected, validated: validated, completed: completed, edits: edits)
    }

    /// The caller's own request, sent after the cache's conditions did not help. Its edits undo those of this one.
    ///
    /// - Parameter removed: An entry that is removed meanwhile, so that it cannot be selected.
    func plain(without removed: CacheEntry? = nil) -> Forward {
        var plain = Forward.wordsOfMode(request)
        for name in edits.set.map({ FieldName($0.name) }) + edits.removed where !plain.set.contains(name) {
            plain.removed.append(name)
            for value in request.fields.values(name) { plain.set.append(name, value) }
        }
        guard let removed else { return Forward(request, reason, entries, selected: selected, edits: plain) }
        return Forward(request, reason, entries.filter { $0.id != removed.id }, edits: plain)
    }
}
