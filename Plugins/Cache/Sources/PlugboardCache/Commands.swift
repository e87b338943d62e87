import PlugboardCacheOptions
import PlugboardJSON
import PlugboardKit
import Synchronization

/// The commands of the cache, with their arguments and replies. Called off the loop.
struct Commands {
    static let definitions = [
        CommandDefinition(
            "stats", "Shows the numbers of stored responses and bytes, and how the cache took part in requests."),
        CommandDefinition(
            "list", "Lists stored responses, without their fields and bodies.",
            arguments:
                #"{"pattern": "URLs, with * and ?; all without it", "limit": "the most responses; 100 without it"}"#),
        CommandDefinition(
            "show", "Shows all stored responses of a URL with their fields; secret values are redacted.",
            arguments: #"{"url": "the URL"}"#),
        CommandDefinition(
            "purge", "Removes stored responses: those of a URL, of a URL pattern, or all.",
            arguments: #"{"url": "a URL", "pattern": "URLs, with * and ?", "what": "all (the default) or memory"}"#),
        CommandDefinition("forget", "Removes all stored responses."),
        CommandDefinition(
            "response",
            "Replies with the stored response to a request, fresh or not, as message/http; null if there is none.",
            arguments: #"{"url": "the URL", "method": "GET", "fields": [["name", "value"]], "attributes": {}}"#),
    ]

    let cache: Cache

    func run(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        do throws(PlugboardError) {
            switch name {
            case "stats": stats(reply)
            case "list": list(try purge(arguments), try limit(arguments), reply, withFields: false)
            case "show": list(.url(try url(arguments)), .max, reply, withFields: true)
            case "purge": purge(try purge(arguments), reply)
            case "forget": purge(.all, reply)
            default: try response(arguments, reply)
            }
        } catch {
            reply.fail(error)
        }
    }

    // MARK: Arguments

    private func url(_ arguments: JSONValue) throws(PlugboardError) -> String {
        guard let text = arguments["url"]?.stringValue, let url = NormalURL(text) else {
            throw Commands.misused(
                "url must be an absolute http or https URL without a user, and its host in ASCII (xn--…)")
        }
        return url.text
    }

    private func limit(_ arguments: JSONValue) throws(PlugboardError) -> Int {
        guard let limit = arguments["limit"] else { return 100 }
        guard let number = limit.intValue, number >= 0 else { throw Commands.misused("limit must be a number") }
        return Int(clamping: number)
    }

    private func purge(_ arguments: JSONValue) throws(PlugboardError) -> Purge {
        let known: Set = ["url", "pattern", "what", "limit"]
        let names = arguments.objectValue?.keys ?? []
        if let unknown = names.first(where: { !known.contains($0) }) {
            let near = Spelling.nearest(unknown, in: known.sorted()).map { ". Did you mean \($0)?" } ?? ""
            throw Commands.misused("there is no argument \(unknown)\(near)")
        }
        if names.count(where: { $0 != "limit" }) > 1 {
            throw Commands.misused("only one of url, pattern and what is allowed")
        }
        if arguments["url"] != nil { return .url(try url(arguments)) }
        if let pattern = arguments["pattern"] {
            guard let text = pattern.stringValue else { throw Commands.misused("pattern must be a string") }
            return .pattern(text)
        }
        switch arguments["what"]?.stringValue ?? (arguments["what"] == nil ? "all" : "") {
        case "all": return .all
        case "memory": return .memory
        default: throw Commands.misused("what must be all or memory")
        }
    }

    private static func misused(_ what: String) -> PlugboardError {
        PlugboardError(
            .cacheCommand, "An argument of the command is wrong: \(what)\(what.hasSuffix("?") ? "" : ".")")
    }

    // MARK: Replies

    private func stats(_ reply: Reply) {
        cache.store.statistics { [tally = cache.tally] store in
            var object: JSONObject = [
                "memoryEntries": number(store.memoryEntries), "memoryBytes": number(store.memoryBytes),
                "entries": number(store.entries), "bytes": number(store.bytes), "evicted": number(store.evicted),
            ]
            let parts: [(String, Part)] = [
                ("hits", .hit), ("stale", .stale), ("revalidated", .revalidated), ("misses", .miss),
                ("bypassed", .bypass), ("stored", .stored),
            ]
            for (name, part) in parts { object[name] = number(tally.count(part)) }
            reply.json(.object(object))
        }
    }

    private func purge(_ what: Purge, _ reply: Reply) {
        // A look-up of this URL also finds what is stored under the URL in its key.
        guard case .url(let url) = what, let other = cache.lookupRules.urlInKey(of: url), other != url else {
            return cache.store.purge(what) { reply.json(["removed": number($0)]) }
        }
        let store = cache.store
        store.purge(what) { count in store.purge(.url(other)) { reply.json(["removed": number(count + $0)]) } }
    }

    private func list(_ what: Purge, _ limit: Int, _ reply: Reply, withFields: Bool) {
        let now = cache.host.wallClock
        cache.store.list(what, limit: limit) { [policy = cache.policy] entries in
            let responses = entries.map { CachedEntry($0, policy: policy, now: now).json(withFields: withFields) }
            reply.json(["responses": .array(responses)])
        }
    }

    /// Replies with the stored response that the request selects, however old it is.
    private func response(_ arguments: JSONValue, _ reply: Reply) throws(PlugboardError) {
        let url = try url(arguments)
        var fields = Fields()
        for field in arguments["fields"]?.arrayValue ?? [] {
            guard let name = field[0]?.stringValue, let value = field[1]?.stringValue else {
                throw Commands.misused("fields must be a list of pairs")
            }
            fields.append(FieldName(name), value)
        }
        let attribute = { (name: String) -> String? in
            name == CacheAttributes.keys.mode.name
                ? CacheMode.forceCache.rawValue : arguments["attributes"]?[name]?.stringValue
        }
        let method = PlugboardKit.Method(arguments["method"]?.stringValue ?? "GET")
        let cache = cache
        guard let known = withUTF8Bytes(url, { cache.lookupRules.url($0) }) else {
            reply.json(.null)
            return
        }
        let lookup = cache.lookupRules.lookup(
            method, known, fields, rule: cache.lookupRules.rule(attribute), body: .absent,
            route: cache.host.route(of: Request(.get, url)), attribute)
        cache.store.entries(lookup.facts.key) { entries in
            let decision = cache.policy.decision(for: lookup.facts, entries: entries, now: cache.host.wallClock)
            guard case .reuse(let reuse) = decision else {
                reply.json(.null)
                return
            }
            reply.body(Body(StoredMessageSource(reuse.head, reuse.body.map { cache.store.body(of: reuse.entry, $0) })))
        }
    }
}

private func number(_ count: Int) -> JSONValue { .number(JSONNumber(count)) }

/// A stored response as JSON, for replies.
struct CachedEntry {
    private let entry: CacheEntry
    private let freshness: Freshness

    init(_ entry: CacheEntry, policy: CachePolicy, now: Duration) {
        self.entry = entry
        freshness = policy.freshness(of: entry.response, now: now)
    }

    func json(withFields: Bool) -> JSONValue {
        let response = entry.response
        var object: JSONObject = [
            "url": .string(response.url), "status": number(response.status), "bytes": number(entry.length),
            "age": number(freshness.ageInSeconds), "timeToLive": number(freshness.remainingSeconds),
        ]
        if !response.selecting.isEmpty { object["vary"] = .array(response.selecting.map { .string($0.name) }) }
        if !response.version.isEmpty { object["version"] = .string(response.version) }
        if response.isInvalidated { object["invalidated"] = true }
        if response.range != nil { object["partial"] = true }
        if withFields {
            object["fields"] = .array(
                response.fields.map { [.string($0.name), .string($0.isSecret ? "…" : $0.value)] })
        }
        return .object(object)
    }

    private func number(_ count: some BinaryInteger) -> JSONValue { .number(JSONNumber(count)) }
}

/// A stored response in the form of HTTP/1.1 (RFC 9112 §2.1), so that one body contains both head and body.
final class StoredMessageSource: BodySource {
    private let head: Mutex<Bytes?>
    private let body: (any BodySource)?

    init(_ head: ResponseHead, _ body: (any BodySource)?) {
        var text: [UInt8] = Array("HTTP/1.1 \(head.status) \r\n".utf8)
        head.fields.forEachField { name, value in
            text += name
            text += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            text += value
            text += [13, 10]
        }
        self.head = Mutex(Bytes(text + [13, 10]))
        self.body = body
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let first = head.withLock { head in
            defer { head = nil }
            return head
        }
        if let first {
            pull.give(first)
        } else if let body {
            body.pull(pull)
        } else {
            pull.end()
        }
    }

    func release() { body?.release() }
}
