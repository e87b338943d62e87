import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// Checks bodies against JSON Schemas before the program sees them.
///
/// It stands outside decode and the cache, so it checks what the program would read: decoded, stored or not.
struct Validator: Plugin {
    static let manifest = Manifest(
        id: "validator", version: "1.0.0", documentation: "Checks bodies against JSON Schemas.", priority: 200,
        hooks: [.request, .response],
        attributes: ValidatorAttributes.definitions,
        commands: [
            CommandDefinition(
                "register", "Registers documents that schemas refer to, by URI.",
                arguments: #"{"documents": {"https://example.com/a.json": {}}}"#)
        ])

    typealias Settings = ValidatorSettings

    private struct Rule {
        let rule: ValidatorRule
        let schema: JSONSchema
    }

    /// Larger bodies are checked by another thread.
    private static let inlineLimit = 64 << 10

    private let settings: Settings
    private let host: PluginHost
    private let store = SchemaStore()
    private let responses: [Rule]
    private let requests: [Rule]
    private let checked: PluginHost.Counter
    private let invalid: PluginHost.Counter

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        checked = host.counter("checked")
        invalid = host.counter("invalid")
        var documents: [(uri: String, document: JSONValue)] = []
        for (uri, text) in settings.documents {
            documents.append((uri, try JSONParser.parse(try TextFile.json(text))))
        }
        store.register(documents)
        responses = try Validator.rules(settings.schemas, settings, store)
        requests = try Validator.rules(settings.requests, settings, store)
        store.forget()
    }

    private static func rules(
        _ texts: [String: String], _ settings: Settings, _ store: SchemaStore
    ) throws -> [Rule] {
        // The longer rule is the more special one, and counts.
        try texts.sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }.map { text, source in
            guard let rule = ValidatorRule(text) else {
                throw PlugboardError(
                    .configuration, "The rule \(Printable.text(text)) of validator must be [METHOD] URL [STATUS].")
            }
            do throws(PlugboardError) {
                let schema = try store.schema(
                    try TextFile.json(source), isShape: false, draft: settings.draft, formats: settings.formats)
                return Rule(rule: rule, schema: schema)
            } catch {
                throw PlugboardError(.configuration, "The rule \(Printable.text(text)) of validator: \(error.reason)")
            }
        }
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        guard !requests.isEmpty, mode(exchange) != .off, isJSON(exchange.request) else { return .next }
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        guard let schema = requests.first(where: { $0.rule.applies(method: method, url: url, status: nil) })?.schema
        else { return .next }
        switch exchange.visit {
        case .first: return .hold(upTo: limit(exchange))
        case .overLimit: return settings.passesLarger ? .next : .fail(tooLarge(exchange, "request"))
        default: break
        }
        let large = exchange.withHeldBody { $0.count > Validator.inlineLimit ? Array($0) : nil }
        guard let large else {
            let error = exchange.withHeldBody { Validator.error($0, schema, "request") }
            return judge(error, exchange).map { .fail($0) } ?? .next
        }
        return .wait { [self] in
            let error = large.withUnsafeBytes { Validator.error($0, schema, "request") }
            return { exchange in judge(error, exchange).map { .fail($0) } ?? .next }
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard mode(exchange) != .off, let response = exchange.response, hasBody(exchange, response) else {
            return .next
        }
        let found: JSONSchema?
        do throws(PlugboardError) {
            found = try schema(exchange, response)
        } catch {
            return .fail(error)
        }
        guard let schema = found else { return .next }
        switch exchange.visit {
        case .first: return .hold(upTo: limit(exchange))
        case .overLimit: return settings.passesLarger ? .next : .fail(tooLarge(exchange, "response"))
        default: break
        }
        let large = exchange.withHeldBody { $0.count > Validator.inlineLimit ? Array($0) : nil }
        guard let large else {
            let error = exchange.withHeldBody { Validator.error($0, schema, "response") }
            return judge(error, exchange).map { .fail($0) } ?? .next
        }
        return .wait { [self] in
            let error = large.withUnsafeBytes { Validator.error($0, schema, "response") }
            return { exchange in judge(error, exchange).map { .fail($0) } ?? .next }
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

    private func mode(_ exchange: borrowing Exchange) -> ValidatorMode {
        exchange[ValidatorAttributes.keys.mode] ?? settings.mode
    }

    private func limit(_ exchange: borrowing Exchange) -> ByteCount {
        exchange[ValidatorAttributes.keys.limit] ?? settings.limit
    }

    /// Responses that are complete representations.
    private func hasBody(_ exchange: borrowing Exchange, _ response: borrowing Head) -> Bool {
        exchange.request.method != .head && ![204, 205, 206, 304].contains(response.status)
    }

    private func schema(
        _ exchange: borrowing Exchange, _ response: borrowing Head
    ) throws(PlugboardError) -> JSONSchema? {
        let draft = exchange[ValidatorAttributes.keys.draft] ?? settings.draft
        let formats = exchange[ValidatorAttributes.keys.formats] ?? settings.formats
        let status = response.status
        if let text = exchange[ValidatorAttributes.keys.schema] {
            guard (200...299).contains(status) else { return nil }
            return try store.schema(text, isShape: false, draft: draft, formats: formats)
        }
        if let text = exchange[ValidatorAttributes.keys.shape] {
            guard (200...299).contains(status) else { return nil }
            return try store.schema(text, isShape: true, draft: draft, formats: formats)
        }
        guard !responses.isEmpty, isJSON(response) else { return nil }
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        return responses.first { $0.rule.applies(method: method, url: url, status: status) }?.schema
    }

    /// `application/json`, and types that end with `+json`.
    private func isJSON(_ head: borrowing Head) -> Bool {
        guard let type = head[.contentType] else { return false }
        let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        return essence.elementsEqual("application/json".utf8) || essence.suffix(5).elementsEqual("+json".utf8)
    }

    // MARK: What follows

    private func tooLarge(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError {
        PlugboardError(
            .validatorLimit, "The \(what)'s body is larger than the \(limit(exchange)) that validator checks.")
    }

    private static func error(
        _ body: UnsafeRawBufferPointer, _ schema: JSONSchema, _ what: String
    ) -> PlugboardError? {
        do throws(JSONDocumentError) {
            let result = schema.validate(try JSONDocument(body), limit: 3)
            guard !result.isValid else { return nil }
            let reasons = result.leaves.prefix(3).map(\.description).joined(separator: " ")
            return PlugboardError(.validatorInvalid, "The \(what)'s body does not match its schema. \(reasons)")
        } catch {
            return PlugboardError(.validatorJSON, "The \(what)'s body is not valid JSON: \(error.description).")
        }
    }

    /// The error to fail with; nil lets the body pass.
    private func judge(_ error: PlugboardError?, _ exchange: borrowing Exchange) -> PlugboardError? {
        checked.add()
        guard let error else { return nil }
        invalid.add()
        host.publish("validator.invalid", exchange: exchange.id, details: Fields(["reason": error.reason]))
        guard mode(exchange) == .warn else { return error }
        host.log(.warning, "\(Printable.url(exchange.request.url)): \(error.reason)")
        return nil
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(validator_LTX_plugboard_plugin)
public func validatorPlugin() -> UnsafePointer<plug_plugin_v1> { Validator.descriptor }
