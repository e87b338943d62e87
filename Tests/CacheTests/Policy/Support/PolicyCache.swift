import PlugboardCacheOptions
import PlugboardKit

@testable import PlugboardCache

/// Carries out the policy's decisions, with a dictionary as the store, a closure as the server and a number as the
/// clock.
struct PolicyCache {
    var policy: CachePolicy
    var now = Duration.seconds(1_700_000_000)
    private(set) var entries: [CacheKey: [CacheEntry]] = [:]
    private var bodies: [Int64: String] = [:]
    private var lastID: Int64 = 0

    init(policy: CachePolicy = CachePolicy()) { self.policy = policy }

    /// A server's response, and its delay.
    struct Reply {
        var status = 200
        var fields = Fields()
        var body = ""
        var delay = 0
    }

    /// What the caller and the server got.
    struct Result {
        var status = 0
        var fields = Fields()
        var body = ""
        var asked: [Fields] = []
        /// The freshness of a response from the store.
        var freshness: Reuse.Freshness?
        var cacheStatus = CacheStatus()
        var hasFailed = false
        /// Background requests.
        var revalidations: [Fields] = []
    }

    typealias Server = (_ request: Fields) -> Reply?

    mutating func send(_ request: RequestFacts, _ server: Server) -> Result {
        var result = Result()
        switch policy.decision(for: request, entries: entries[request.key] ?? [], now: now) {
        case .reuse(let reuse):
            give(reuse, &result)
            if let revalidation = reuse.revalidation {
                var unseen = Result()
                forward(revalidation, server, &unseen)
                result.revalidations = unseen.asked
            }
        case .gatewayTimeout(let head, let status):
            (result.status, result.fields, result.cacheStatus) = (head.status, head.fields, status)
        case .forward(let forward): self.forward(forward, server, &result)
        }
        return result
    }

    private mutating func forward(_ forward: Forward, _ server: Server, _ result: inout Result) {
        let sent = forward.edits.applied(to: result.asked.last ?? forward.request.fields)
        result.asked.append(sent)
        let requested = now
        guard let reply = server(sent) else {
            switch policy.decision(afterFailureOf: forward, isUnreachable: true, now: now) {
            case .reuse(let reuse): give(reuse, &result)
            case .gatewayTimeout(let head, let status):
                (result.status, result.fields, result.cacheStatus) = (head.status, head.fields, status)
            case .pass: result.hasFailed = true
            }
            return
        }
        now += .seconds(reply.delay)
        let response = NetworkResponse(
            forward: forward, status: reply.status, fields: reply.fields, requested: requested, received: now)
        let decision = policy.decision(on: response) { reference in
            reference.hasPrefix("http") ? reference : reference.hasPrefix("/") ? "https://example.com\(reference)" : nil
        }
        change(decision)
        result.cacheStatus = decision.status
        var body = reply.body
        switch decision.outcome {
        case .pass: (result.status, result.fields) = (reply.status, reply.fields)
        case .reuse(let reuse): give(reuse, &result)
        case .complete(let whole):
            let stored = bodies[whole.entry.id] ?? ""
            body = whole.storedFirst ? stored + body : body + stored
            (result.status, result.fields) = (whole.head.status, whole.head.fields)
        case .resend(let plain): return self.forward(plain, server, &result)
        }
        if result.freshness == nil { result.body = body }
        if let store = decision.store { commit(store, body) }
    }

    private mutating func give(_ reuse: Reuse, _ result: inout Result) {
        (result.status, result.fields) = (reuse.head.status, reuse.head.fields)
        (result.freshness, result.cacheStatus) = (reuse.freshness, reuse.status)
        guard let part = reuse.body, let body = bodies[reuse.entry.id] else { return }
        result.body = String(decoding: Array(body.utf8)[part], as: UTF8.self)
    }

    private mutating func change(_ decision: ResponseDecision) {
        for update in decision.updates {
            for index in entries[update.response.key, default: []].indices
            where entries[update.response.key]?[index].id == update.entry.id {
                entries[update.response.key]?[index].response = update.response
            }
        }
        remove(decision.removes)
        for key in entries.keys {
            entries[key]?.removeAll { $0.response.url == decision.purges }
            for index in entries[key, default: []].indices {
                guard let url = entries[key]?[index].response.url, decision.invalidates.contains(url) else { continue }
                entries[key]?[index].response.isInvalidated = true
            }
        }
    }

    private mutating func commit(_ store: ResponseDecision.Storing, _ body: String) {
        if let lengths = store.lengths, !lengths.contains(body.utf8.count) { return }
        remove(store.replaced)
        lastID += 1
        bodies[lastID] = body
        entries[store.response.key, default: []].append(
            CacheEntry(id: lastID, response: store.response, length: body.utf8.count))
    }

    private mutating func remove(_ removed: [CacheEntry]) {
        for entry in removed { entries[entry.response.key]?.removeAll { $0.id == entry.id } }
    }
}

extension Forward.Edits {
    /// Applies edits as the plugin does.
    func applied(to fields: Fields) -> Fields {
        var fields = fields
        for name in removed + set.map({ FieldName($0.name) }) { fields.remove(name) }
        for field in set { fields.append(FieldName(field.name), field.value) }
        return fields
    }
}
