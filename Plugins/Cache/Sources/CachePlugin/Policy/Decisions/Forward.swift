import CacheOptions
import PlugboardKit

/// A request that goes on to the server, and what was known when it did. The plugin keeps it until the answer is there.
struct Forward: Sendable {
    let request: RequestFacts
    /// What the plugin changes in the forwarded request.
    var edits = Edits()
    /// Why (RFC 9211 §2.2).
    var reason: CacheStatus.ForwardReason
    /// What was found under the key.
    var entries: [CacheEntry] = []
    /// The one that the request selects, if any; what may be served if the server fails.
    var selected: CacheEntry?
    /// The entries that the added conditions stand for: what a 304 may confirm.
    var validated: [CacheEntry] = []
    /// The stored part whose missing rest is asked for (RFC 9111 §3.3).
    var completed: CacheEntry?
    /// False: nothing of the answer is stored. What an unsafe method invalidates, it invalidates all the same.
    var mayStore = true
    /// Whether an identical request may wait for this one's answer: nothing in it is of this caller alone.
    var mayBeShared = false

    /// Applied so: all fields go whose names are in `removed` or in `set`; then those of `set` come, in order.
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

    /// What Fetch adds to requests of these modes (HTTP-network-or-cache fetch, steps 8.20 and 8.21), so that caches on the way obey too.
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

    /// The same as the caller made it, for when the cache's own conditions led to nothing. The edits undo those of this one.
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
