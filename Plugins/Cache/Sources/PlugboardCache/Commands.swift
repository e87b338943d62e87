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
            arguments: #"{"pattern": "URLs, with * and ?", "url": "a URL", "what": "all (the default) or memory", "#
                + #""limit": "the most responses; 100 without it"}"#),
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

    func run(_ name: String, _ values: JSONValue, _ reply: Reply) {
        do throws(PlugboardError) {
            guard let definition = Commands.definitions.first(where: { $0.name == name }) else {
                throw PlugboardError(.commandUnknown, "The plugin cache has no command \(name).")
            }
            let arguments = try CommandArguments(values, of: definition, code: .cacheCommand)
            switch name {
            case "stats": stats(reply)
            case "list": list(try purge(arguments), try limit(arguments), reply, withFields: false)
            case "show": list(.url(try url(arguments)), .max, reply, withFields: true)
            case "purge": purge(try purge(arguments), reply)
            case "forget": purge(.all, reply)
            default: try response(arguments, values, reply)
            }
        } catch {
            reply.fail(error)
        }
    }

    // MARK: Arguments

    private func url(_ arguments: CommandArguments) throws(PlugboardError) -> String {
        guard let url = NormalURL(try arguments.required("url")) else {
            throw arguments.wrong(
                "url", "an absolute http or https URL without a user, and its host in ASCII (xn--…)")
        }
        return url.text
    }

    private func limit(_ arguments: CommandArguments) throws(PlugboardError) -> Int {
        guard let text = try arguments["limit"] else { return 100 }
        guard let limit = Int(text), limit >= 0 else { throw arguments.wrong("limit", "a number") }
        return limit
    }

    private func purge(_ arguments: CommandArguments) throws(PlugboardError) -> Purge {
        switch (try arguments["url"], try arguments["pattern"], try arguments["what"]) {
        case (.some, nil, nil): return .url(try url(arguments))
        case (nil, .some(let pattern), nil): return .pattern(pattern)
        case (nil, nil, nil), (nil, nil, "all"): return .all
        case (nil, nil, "memory"): return .memory
        case (nil, nil, .some): throw arguments.wrong("what", "all or memory")
        default: throw PlugboardError(.cacheCommand, "\(arguments.command) takes only one of url, pattern and what.")
        }
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
    private func response(
        _ arguments: CommandArguments, _ values: JSONValue, _ reply: Reply
    ) throws(PlugboardError) {
        let url = try url(arguments)
        var fields = Fields()
        for field in values["fields"]?.arrayValue ?? [] {
            guard let name = field[0]?.stringValue, let value = field[1]?.stringValue else {
                throw arguments.wrong("fields", "a list of pairs")
            }
            fields.append(FieldName(name), value)
        }
        let attribute = { (name: String) -> String? in
            name == CacheAttributes.keys.mode.name
                ? CacheMode.forceCache.rawValue : values["attributes"]?[name]?.stringValue
        }
        let method = PlugboardKit.Method(try arguments["method"] ?? "GET")
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
