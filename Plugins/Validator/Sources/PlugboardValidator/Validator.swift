import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// Checks bodies against JSON Schemas before the program sees them.
///
/// It stands outside decode and the cache, so it checks what the program would read: decoded, stored or not. A source
/// around the body checks it while it is read. In the mode strict, the body is held until it is found valid, unless the
/// setting `streams` lets the program read it meanwhile; where it is not valid, reading it ends.
struct Validator: Plugin {
    static let manifest = Manifest(
        id: "validator", version: "1.0.0", documentation: "Checks bodies against JSON Schemas.", priority: 200,
        hooks: [.request, .response, .event], events: ["cache.hit", "cache.stale", "cache.revalidated"],
        attributes: ValidatorAttributes.definitions,
        commands: [
            CommandDefinition(
                "register", "Registers documents that schemas refer to, by URI.",
                arguments: #"{"documents": {"https://example.com/a.json": {}}}"#)
        ])

    typealias Settings = ValidatorSettings

    private struct Rule {
        let rule: ValidatorRule
        let key: SchemaStore.Key
        /// Nil if the schema refers to documents that have to be fetched.
        let schema: JSONSchema?
    }

    /// What the plugin knows of an exchange.
    private final class Knowledge {
        /// Whether the response comes from the cache.
        var isStored = false
        /// The body that is held.
        var body: CheckedBody?
    }

    private let settings: Settings
    private let host: PluginHost
    private let store: SchemaStore
    private let responses: [Rule]
    private let requests: [Rule]
    private let operations: OpenAPIIndex
    private let checked: PluginHost.Counter
    private let invalid: PluginHost.Counter

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        checked = host.counter("checked")
        invalid = host.counter("invalid")
        store = SchemaStore(fetching: try SchemaFetching(settings, host))
        var documents: [(uri: String, document: JSONValue)] = []
        for (uri, text) in settings.documents {
            documents.append((uri, try JSONParser.parse(try TextFile.json(text))))
        }
        var descriptions: [OpenAPIDocument] = []
        for (number, text) in settings.openapi.enumerated() {
            let description = try OpenAPIDocument(try JSONParser.parse(try TextFile.json(text)), number: number)
            descriptions.append(description)
            documents += description.documents()
        }
        operations = OpenAPIIndex(descriptions)
        store.register(documents)
        responses = try Validator.rules(settings.schemas, settings, store)
        requests = try Validator.rules(settings.requests, settings, store)
    }

    private static func rules(
        _ texts: [String: String], _ settings: Settings, _ store: SchemaStore
    ) throws -> [Rule] {
        // The longer rule is the more special one, and counts.
        try texts.sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }.map { text, source in
            guard let rule = ValidatorRule(text) else {
                throw PlugboardError(
                    .configuration,
                    "The rule \(Printable.text(text)) of validator must be [METHOD] URL [STATUS] [TYPE].")
            }
            do throws(PlugboardError) {
                let key = SchemaStore.Key(
                    text: try TextFile.json(source), draft: settings.draft, formats: settings.formats)
                return Rule(rule: rule, key: key, schema: try store.schema(key, inline: .max))
            } catch {
                throw PlugboardError(.configuration, "The rule \(Printable.text(text)) of validator: \(error.reason)")
            }
        }
    }

    // MARK: Hooks

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        guard !requests.isEmpty || settings.checksOperationRequests && !operations.isEmpty, mode(exchange) != .off,
            let type = type(exchange.request)
        else { return .next }
        switch exchange.visit {
        case .held: return held(exchange, "request").map { .fail($0) } ?? .next
        case .overLimit: return overLimit(exchange, "request").map { .fail($0) } ?? .next
        default: break
        }
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        let found: Found
        do throws(PlugboardError) {
            if let rule = requests.first(where: { $0.rule.applies(method: method, url: url, status: nil, type: type) })
            {
                found = try find(rule)
            } else if settings.checksOperationRequests {
                found = try find(exchange, status: nil, type)
            } else {
                found = .nothing
            }
        } catch {
            return .fail(error)
        }
        switch found {
        case .nothing: return .next
        case .schema(let schema): return check(exchange, schema)
        case .key(let key):
            return .wait { [self] in
                let schema = await load(key)
                return { exchange in
                    switch schema {
                    case .success(let schema): check(exchange, schema)
                    case .failure(let error): .fail(error)
                    }
                }
            }
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard mode(exchange) != .off, let response = exchange.response, hasBody(exchange, response) else {
            return .next
        }
        switch exchange.visit {
        case .held: return held(exchange, "response").map { .fail($0) } ?? .next
        case .overLimit: return overLimit(exchange, "response").map { .fail($0) } ?? .next
        default: break
        }
        if !settings.stored, (exchange.state as? Knowledge)?.isStored == true { return .next }
        let found: Found
        do throws(PlugboardError) {
            found = try find(exchange, response)
        } catch {
            return .fail(error)
        }
        switch found {
        case .nothing: return .next
        case .schema(let schema): return check(exchange, schema)
        case .key(let key):
            return .wait { [self] in
                let schema = await load(key)
                return { exchange in
                    switch schema {
                    case .success(let schema): check(exchange, schema)
                    case .failure(let error): .fail(error)
                    }
                }
            }
        }
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        guard !settings.stored else { return }
        switch exchange {
        case .some(let exchange): knowledge(exchange).isStored = true
        case .none: break
        }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        guard let documents = arguments["documents"]?.objectValue else {
            reply.fail(PlugboardError(.commandFailed, "register needs documents: an object of schemas by their URIs."))
            return
        }
        store.register(documents.map { ($0.key, $0.value) })
        reply.json(["registered": .number(JSONNumber(documents.count))])
    }

    // MARK: What applies

    private enum Found {
        case nothing
        case schema(JSONSchema)
        /// To be loaded by another thread.
        case key(SchemaStore.Key)
    }

    private func mode(_ exchange: borrowing Exchange) -> ValidatorMode {
        exchange[ValidatorAttributes.keys.mode] ?? settings.mode
    }

    private func knowledge(_ exchange: borrowing Exchange) -> Knowledge {
        if let known = exchange.state as? Knowledge { return known }
        let knowledge = Knowledge()
        exchange.state = knowledge
        return knowledge
    }

    /// Responses that are complete representations.
    private func hasBody(_ exchange: borrowing Exchange, _ response: borrowing Head) -> Bool {
        exchange.request.method != .head && ![204, 205, 206, 304].contains(response.status)
    }

    private func find(_ exchange: borrowing Exchange, _ response: borrowing Head) throws(PlugboardError) -> Found {
        let status = response.status
        let schema = exchange[ValidatorAttributes.keys.schema]
        if let text = schema ?? exchange[ValidatorAttributes.keys.shape] {
            guard (200...299).contains(status) else { return .nothing }
            return try find(
                SchemaStore.Key(
                    text: text, isShape: schema == nil,
                    draft: exchange[ValidatorAttributes.keys.draft] ?? settings.draft,
                    formats: exchange[ValidatorAttributes.keys.formats] ?? settings.formats))
        }
        guard !responses.isEmpty || !operations.isEmpty, let type = type(response) else { return .nothing }
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        if let rule = responses.first(where: { $0.rule.applies(method: method, url: url, status: status, type: type) })
        {
            return try find(rule)
        }
        return try find(exchange, status: status, type)
    }

    /// The schema of an operation's document.
    private func find(_ exchange: borrowing Exchange, status: Int?, _ type: String) throws(PlugboardError) -> Found {
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        guard !operations.isEmpty, MediaRange.isJSON(type),
            let found = operations.schema(method: method, url: url, status: status, type: type)
        else { return .nothing }
        // Schemas of a document can be large however short the reference is.
        return try find(
            SchemaStore.Key(text: found.text, draft: found.draft, formats: settings.formats), inline: 0)
    }

    private func find(_ rule: Rule) throws(PlugboardError) -> Found {
        if let schema = rule.schema { return .schema(schema) }
        return try find(rule.key)
    }

    private func find(
        _ key: SchemaStore.Key, inline limit: Int = SchemaStore.inlineLimit
    ) throws(PlugboardError) -> Found {
        try store.schema(key, inline: limit).map { .schema($0) } ?? .key(key)
    }

    private func load(_ key: SchemaStore.Key) async -> Result<JSONSchema, PlugboardError> {
        do throws(PlugboardError) { return .success(try await store.load(key)) } catch { return .failure(error) }
    }

    /// Type and subtype of a body, in lowercase.
    private func type(_ head: borrowing Head) -> String? { head[.contentType].map(MediaRange.essence) }

    // MARK: What follows

    private func judge(_ exchange: borrowing Exchange, _ what: String) -> Judge {
        Judge(
            host: host, checked: checked, invalid: invalid, exchange: exchange.id,
            url: Printable.url(exchange.request.url), what: what, mode: mode(exchange),
            limit: exchange[ValidatorAttributes.keys.limit] ?? settings.limit)
    }

    private func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> RequestVerdict {
        let judge = judge(exchange, "request")
        // A request that is sent in part cannot be taken back, so that only the mode warn lets it flow.
        let flows = judge.mode == .warn
        let knowledge = knowledge(exchange)
        knowledge.body = nil
        exchange.wrapRequestBody { inner in
            let body = CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
            knowledge.body = body
            return body
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    private func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> ResponseVerdict {
        let judge = judge(exchange, "response")
        let flows = judge.mode == .warn || exchange[ValidatorAttributes.keys.streams] ?? settings.streams
        let knowledge = knowledge(exchange)
        knowledge.body = nil
        exchange.wrapResponseBody { inner in
            let body = CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
            knowledge.body = body
            return body
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    /// A held body has come to its end, so it is valid; where there was none, nothing was checked.
    private func held(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        let knowledge = knowledge(exchange)
        defer { knowledge.body = nil }
        guard knowledge.body == nil else { return nil }
        let judge = judge(exchange, what)
        do throws(JSONDocumentError) { _ = try JSONDocument("") } catch { return judge.judge(judge.error(of: error)) }
        return nil
    }

    private func overLimit(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        let knowledge = knowledge(exchange)
        defer { knowledge.body = nil }
        guard settings.passesLarger else { return judge(exchange, what).tooLarge }
        knowledge.body?.letPass()
        return nil
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(validator_LTX_plugboard_plugin)
public func validatorPlugin() -> UnsafePointer<plug_plugin_v1> { Validator.descriptor }
