import CacheOptions
import JSON
import PlugboardKit

/// What one can ask the cache to do: each command, its arguments and its answer. Not on the loop.
struct Commands {
    static let definitions = [
        CommandDefinition("stats", "What is stored, and what became of the requests so far."),
        CommandDefinition(
            "list", "Stored answers, without their fields and bodies.",
            arguments: #"{"pattern": "URLs, with * and ?; all if left out", "limit": "answers at most; 100"}"#),
        CommandDefinition(
            "show", "All stored answers of a URL with their fields, secret ones redacted.",
            arguments: #"{"url": "the URL"}"#),
        CommandDefinition(
            "purge", "Drops stored answers: of a URL, by a pattern of URLs, or what is named.",
            arguments: #"{"url": "a URL", "pattern": "URLs, with * and ?", "what": "all (the default) or memory"}"#),
        CommandDefinition("forget", "Drops all that is remembered."),
        CommandDefinition(
            "response", "The stored answer to a request, fresh or not, as message/http; null if there is none.",
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
                "url has to be an absolute http or https URL without a user, its host in ASCII (xn--…)")
        }
        return url.text
    }

    private func limit(_ arguments: JSONValue) throws(PlugboardError) -> Int {
        guard let limit = arguments["limit"] else { return 100 }
        guard let number = limit.intValue, number >= 0 else { throw Commands.misused("limit has to be a number") }
        return Int(clamping: number)
    }

    private func purge(_ arguments: JSONValue) throws(PlugboardError) -> Purge {
        let known: Set = ["url", "pattern", "what", "limit"]
        let names = arguments.objectValue?.keys ?? []
        if let unknown = names.first(where: { !known.contains($0) }) {
            let near = nearest(unknown, in: known.sorted()).map { ". Did you mean \($0)?" } ?? ""
            throw Commands.misused("there is no argument \(unknown)\(near)")
        }
        if names.count(where: { $0 != "limit" }) > 1 {
            throw Commands.misused("only one of url, pattern and what can be said")
        }
        if arguments["url"] != nil { return .url(try url(arguments)) }
        if let pattern = arguments["pattern"] {
            guard let text = pattern.stringValue else { throw Commands.misused("pattern has to be a text") }
            return .pattern(text)
        }
        switch arguments["what"]?.stringValue ?? (arguments["what"] == nil ? "all" : "") {
        case "all": return .all
        case "memory": return .memory
        default: throw Commands.misused("what has to be all or memory")
        }
    }

    private static func misused(_ what: String) -> PlugboardError {
        PlugboardError(.cacheCommand, "The cache cannot do that: \(what)\(what.hasSuffix("?") ? "" : ".")")
    }

    // MARK: Answers

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
        cache.store.purge(what) { reply.json(["removed": number($0)]) }
    }

    private func list(_ what: Purge, _ limit: Int, _ reply: Reply, withFields: Bool) {
        let now = cache.host.wallClock
        cache.store.list(what, limit: limit) { [policy = cache.policy] entries in
            let answers = entries.map { CachedEntry($0, policy: policy, now: now).json(withFields: withFields) }
            reply.json(["answers": .array(answers)])
        }
    }

    /// The stored answer that the request selects, as the standard selects it, and however old it is.
    private func response(_ arguments: JSONValue, _ reply: Reply) throws(PlugboardError) {
        let url = try url(arguments)
        var fields = Fields()
        for field in arguments["fields"]?.arrayValue ?? [] {
            guard let name = field[0]?.stringValue, let value = field[1]?.stringValue else {
                throw Commands.misused("fields has to be a list of pairs")
            }
            fields.append(FieldName(name), value)
        }
        let attribute = { (name: String) -> String? in
            name == CacheAttributes.mode.name
                ? CacheMode.forceCache.rawValue : arguments["attributes"]?[name]?.stringValue
        }
        let method = PlugboardKit.Method(arguments["method"]?.stringValue ?? "GET")
        guard
            let question = cache.questions.question(
                method, url, fields, rule: cache.questions.rule(attribute), body: .absent, attribute)
        else {
            reply.json(.null)
            return
        }
        let cache = cache
        cache.store.entries(question.facts.key) { entries in
            let decision = cache.policy.decision(for: question.facts, entries: entries, now: cache.host.wallClock)
            guard case .reuse(let reuse) = decision else {
                reply.json(.null)
                return
            }
            reply.body(Body(StoredMessageSource(reuse.head, reuse.body.map { cache.store.body(of: reuse.entry, $0) })))
        }
    }
}

private func number(_ count: Int) -> JSONValue { .number(JSONNumber(count)) }
