import PlugboardCacheOptions
import PlugboardKit

/// A request that is sent to the server, and what was known of it then. Kept until the response comes.
struct Forward: Sendable {
    let request: RequestFacts
    /// The changes to the forwarded request.
    var edits = Edits()
    /// Why it is forwarded (RFC 9211 §2.2).
    var reason: CacheStatus.ForwardReason
    /// The entries with its key.
    var entries: [CacheEntry] = []
    /// The entry that the request selects, if any; it may be served if the server fails.
    var selected: CacheEntry?
    /// The entries that the added conditions ask about, and that a 304 may confirm.
    var validated: [CacheEntry] = []
    /// The incomplete entry whose missing part is requested (RFC 9111 §3.3).
    var completed: CacheEntry?
    /// Whether the response may be stored. An unsafe method invalidates entries even if not.
    var mayStore = true
    /// Whether identical requests may wait for this one, because nothing in it is specific to its caller.
    var mayBeShared = false

    /// First, all fields named in `removed` or `set` are removed; then the fields of `set` are added in order.
    struct Edits: Sendable {
        var set = Fields()
        var removed: [FieldName] = []
    }

    init(
        _ request: RequestFacts, _ reason: CacheStatus.ForwardReason, _ entries: [CacheEntry] = [],
        selected: CacheEntry? = nil
    ) {
        self.request = request
        self.reason = reason
        self.entries = entries
        self.selected = selected
        mayStore = request.kind != .safe && request.mode != .noStore && !request.directives.noStore
        mayBeShared =
            mayStore && (request.kind == .get || request.kind == .search) && request.conditions.isDisjoint(with: .all)
            && (request.mode == .default || request.mode == .forceCache)
            && !request.directives.noCache && request.directives.maxAge == nil
        addWordsOfMode()
    }

    /// Adds the fields of the mode (Fetch, HTTP-network-or-cache fetch, steps 8.20 and 8.21) for other caches on the
    /// way.
    private mutating func addWordsOfMode() {
        switch request.mode {
        case .noCache:
            if !request.directives.isPresent { edits.set.append(.cacheControl, "max-age=0") }
        case .reload, .noStore:
            if !request.fields.contains(.pragma) { edits.set.append(.pragma, "no-cache") }
            if !request.directives.isPresent { edits.set.append(.cacheControl, "no-cache") }
        case .default, .forceCache, .onlyIfCached: break
        }
    }

    /// The same, but the entries that the response can only replace do not hold their bodies in memory.
    var withoutBodies: Forward {
        if entries.isEmpty { return self }
        var forward = self
        for index in entries.indices { forward.entries[index].pieces = nil }
        return forward
    }

    /// The caller's own request, sent after the cache's conditions did not help. Its edits undo those of this one.
    var plain: Forward {
        var plain = Forward(request, reason, entries, selected: selected)
        plain.mayStore = mayStore
        for name in edits.set.map({ FieldName($0.name) }) + edits.removed where !plain.edits.set.contains(name) {
            plain.edits.removed.append(name)
            for value in request.fields.values(name) { plain.edits.set.append(name, value) }
        }
        return plain
    }
}
