import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// Finds the schema that applies to a body.
extension Validator {
    enum Found {
        case nothing
        case schema(JSONSchema)
        /// The schema must be loaded by another thread.
        case key(SchemaStore.Key)
    }

    func mode(_ exchange: borrowing Exchange) -> ValidatorMode {
        exchange[ValidatorAttributes.keys.mode] ?? settings.mode
    }

    func knowledge(_ exchange: borrowing Exchange) -> Knowledge {
        if let known = exchange.state as? Knowledge { return known }
        let knowledge = Knowledge()
        exchange.state = knowledge
        return knowledge
    }

    /// Whether the response is a complete representation.
    func hasBody(_ exchange: borrowing Exchange, _ response: borrowing Head) -> Bool {
        exchange.request.method != .head && ![204, 205, 206, 304].contains(response.status)
    }

    func find(_ exchange: borrowing Exchange, _ response: borrowing Head) throws(PlugboardError) -> Found {
        let status = response.status
        let schema = exchange[ValidatorAttributes.keys.schema]
        if let text = schema ?? exchange[ValidatorAttributes.keys.shape] {
            guard (200...299).contains(status) else { return .nothing }
            return try find(
                SchemaStore.Key(
                    text: text, isShape: schema == nil,
                    draft: exchange[ValidatorAttributes.keys.draft] ?? settings.draft,
                    formats: exchange[ValidatorAttributes.keys.formats] ?? settings.formats, routes: routes(exchange)))
        }
        guard !responses.isEmpty || !operations.isEmpty, let type = type(response) else { return .nothing }
        if let rule = rule(of: responses, exchange, status: status, type) {
            return try find(rule, exchange)
        }
        return try find(exchange, status: status, type)
    }

    /// Finds the schema in the OpenAPI document of the operation.
    func find(_ exchange: borrowing Exchange, status: Int?, _ type: String) throws(PlugboardError) -> Found {
        let (method, url) = (exchange.request.method.name, exchange.request.url)
        guard !operations.isEmpty, MediaRange.isJSON(type),
            let found = operations.schema(method: method, url: url, status: status, type: type)
        else { return .nothing }
        // Schemas of a document can be large however short the reference is.
        return try find(
            SchemaStore.Key(
                text: found.text, draft: found.draft, formats: settings.formats, routes: routes(exchange)), inline: 0)
    }

    func rule(of rules: [Rule], _ exchange: borrowing Exchange, status: Int?, _ type: String) -> Rule? {
        guard !rules.isEmpty, let url = URLWildcard.comparable(exchange.request.url) else { return nil }
        let method = exchange.request.method.name
        return rules.first { $0.rule.applies(method: method, url: url, status: status, type: type) }
    }

    /// Exchanges with the same value share the documents that a schema refers to.
    private func routes(_ exchange: borrowing Exchange) -> String { store.fetches ? exchange.ownRoutes : "" }

    func find(_ rule: Rule, _ exchange: borrowing Exchange) throws(PlugboardError) -> Found {
        let routes = routes(exchange)
        if !routes.isEmpty {
            var key = rule.key
            key.routes = routes
            return try find(key)
        }
        if let schema = rule.schema(store.edition) { return .schema(schema) }
        let edition = store.edition
        let found = try find(rule.key)
        if case .schema(let schema) = found { rule.keep(schema, edition) }
        return found
    }

    func find(
        _ key: SchemaStore.Key, inline limit: Int = SchemaStore.inlineLimit
    ) throws(PlugboardError) -> Found {
        try store.schema(key, inline: limit).map { .schema($0) } ?? .key(key)
    }

    func load(_ key: SchemaStore.Key, _ inheritance: Inheritance) async -> Result<JSONSchema, PlugboardError> {
        do throws(PlugboardError) {
            return .success(try await store.load(key, inheriting: inheritance))
        } catch {
            return .failure(error)
        }
    }

    /// Type and subtype of a body, in lowercase.
    func type(_ head: borrowing Head) -> String? { head[.contentType].map(MediaRange.essence) }
}
