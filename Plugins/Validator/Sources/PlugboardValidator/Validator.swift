import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions
import Synchronization

/// Checks bodies against JSON Schemas before the program sees them.
///
/// It runs outside decode and the cache, so it checks what the program would read: decoded, stored or not. A source
/// around the body checks it while it is read. In the mode strict, the body is held until it is found valid, unless the
/// setting `streams` lets the program read it meanwhile; then an invalid body breaks.
struct Validator: Plugin {
    static let manifest = Manifest(
        id: "validator", version: "1.0.0", documentation: "Checks bodies against JSON Schemas.", priority: 200,
        hooks: [.request, .response, .event],
        events: ["cache.hit", "cache.stale", "cache.revalidated", "cache.miss", "cache.bypass", "resendScheduled"],
        attributes: ValidatorAttributes.definitions,
        commands: [
            CommandDefinition(
                "register", "Registers documents that schemas refer to, by URI.",
                arguments: #"{"documents": {"https://example.com/a.json": {}}}"#),
            CommandDefinition("forget", "Forgets the documents that were fetched."),
        ])

    typealias Settings = ValidatorSettings

    /// A rule of the settings with its schema, which is compiled again after documents were registered.
    final class Rule: Sendable {
        let rule: ValidatorRule
        let key: SchemaStore.Key
        private let compiled: Mutex<(schema: JSONSchema?, edition: Int)>

        /// - Parameter schema: Nil if the schema refers to documents that have to be fetched.
        init(_ rule: ValidatorRule, _ key: SchemaStore.Key, _ schema: JSONSchema?, _ edition: Int) {
            self.rule = rule
            self.key = key
            compiled = Mutex((schema, edition))
        }

        /// The schema that was compiled with the documents of an edition.
        func schema(_ edition: Int) -> JSONSchema? { compiled.withLock { $0.edition == edition ? $0.schema : nil } }

        func keep(_ schema: JSONSchema, _ edition: Int) { compiled.withLock { $0 = (schema, edition) } }
    }

    /// What the plugin knows of an exchange.
    final class Knowledge {
        /// Whether the response comes from the cache.
        var isStored = false
        /// Whether a body is checked while it is held; a message can have none.
        var hasBody = false
    }

    let settings: Settings
    let host: PluginHost
    let store: SchemaStore
    let responses: [Rule]
    let requests: [Rule]
    let operations: OpenAPIIndex
    let checked: PluginHost.Counter
    let invalid: PluginHost.Counter

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        checked = host.counter("checked")
        invalid = host.counter("invalid")
        store = SchemaStore(fetching: try SchemaFetching(settings, host), contents: settings.contents)
        var documents: [(uri: String, document: JSONValue)] = []
        for (uri, text) in settings.documents {
            documents.append((uri, try TextFile.value(text, host)))
        }
        var descriptions: [OpenAPIDocument] = []
        for (number, text) in settings.openapi.enumerated() {
            let description = try OpenAPIDocument(try TextFile.value(text, host), number: number)
            for defect in description.defects { host.log(.warning, "\(defect) Its bodies are not checked.") }
            descriptions.append(description)
            documents += description.documents()
        }
        operations = OpenAPIIndex(descriptions)
        store.register(documents)
        responses =
            try Validator.rules(settings.schemas, settings, store, host)
            + Validator.rules(settings.shapes, isShape: true, settings, store, host)
        requests = try Validator.rules(settings.requests, settings, store, host)
    }

    private static func rules(
        _ texts: [String: String], isShape: Bool = false, _ settings: Settings, _ store: SchemaStore,
        _ host: PluginHost
    ) throws -> [Rule] {
        // Longer rules are more specific, so they come first.
        try texts.sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }.map { text, source in
            guard let rule = ValidatorRule(text) else {
                throw PlugboardError(
                    .configuration,
                    "The rule \(Printable.text(text)) of validator must be [METHOD] URL [STATUS] [TYPE], with a method "
                        + "in capitals and a URL that has a scheme, such as https://, or begins with *.")
            }
            do throws(PlugboardError) {
                let key = SchemaStore.Key(
                    text: try TextFile.json(source, host), isShape: isShape, draft: settings.draft,
                    formats: settings.formats)
                return Rule(rule, key, try store.schema(key, inline: .max), store.edition)
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
        return decide(exchange, .request) { exchange throws(PlugboardError) in
            if let rule = rule(of: requests, exchange, status: nil, type) {
                return try find(rule, exchange)
            }
            return settings.checksOperationRequests ? try find(exchange, status: nil, type) : .nothing
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard mode(exchange) != .off, let response = exchange.response, hasBody(exchange, response) else {
            return .next
        }
        return decide(exchange, .response) { exchange throws(PlugboardError) in
            if !settings.stored, (exchange.state as? Knowledge)?.isStored == true { return .nothing }
            guard let response = exchange.response else { return .nothing }
            return try find(exchange, response)
        }
    }

    /// Finds the schema and puts the check around the body; decides after a hold.
    private func decide<Phase: HoldingPhase & SendableMetatype>(
        _ exchange: borrowing Exchange, _ side: Side,
        _ find: (borrowing Exchange) throws(PlugboardError) -> Found
    ) -> Verdict<Phase> {
        switch exchange.visit {
        case .held: return failing(held(exchange, side))
        case .overLimit: return failing(overLimit(exchange, side))
        default: break
        }
        do throws(PlugboardError) {
            switch try find(exchange) {
            case .nothing: return .next
            case .schema(let schema): return check(exchange, schema, side)
            case .key(let key):
                let inheritance = exchange.inheritance
                return .wait { [self] in
                    let schema = await load(key, inheritance)
                    return { exchange in
                        switch schema {
                        case .success(let schema): check(exchange, schema, side)
                        case .failure(let error): failing(unchecked(exchange, error))
                        }
                    }
                }
            }
        } catch {
            return failing(unchecked(exchange, error))
        }
    }

    func failing<Phase>(_ error: PlugboardError?) -> Verdict<Phase> { error.map { .fail($0) } ?? .next }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        guard !settings.stored else { return }
        // An exchange that follows a redirect can have one response of the cache and then one of the network.
        let isStored = event.is("cache.hit") || event.is("cache.stale") || event.is("cache.revalidated")
        switch exchange {
        case .some(let exchange): knowledge(exchange).isStored = isStored
        case .none: break
        }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        if name == "forget" {
            store.forget()
            reply.json([:])
            return
        }
        guard let documents = arguments["documents"]?.objectValue else {
            reply.fail(PlugboardError(.commandFailed, "register needs documents: an object of schemas by their URIs."))
            return
        }
        store.register(documents.map { ($0.key, $0.value) })
        reply.json(["registered": .number(JSONNumber(documents.count))])
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(validator_LTX_plugboard_plugin)
public func validatorPlugin() -> UnsafePointer<plug_plugin_v1> { Validator.descriptor }
