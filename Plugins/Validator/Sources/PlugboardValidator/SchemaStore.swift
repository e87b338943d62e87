import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions
import Synchronization

/// The documents that schemas refer to, and the schemas of attributes that were compiled, by their content.
final class SchemaStore: Sendable {
    private struct Key: Hashable {
        let text: String
        let isShape: Bool
        let draft: ValidatorDraft
        let formats: Bool
    }

    private struct State {
        var registry = SchemaRegistry()
        var compiled: [Key: JSONSchema] = [:]
    }

    /// Compiled schemas of attributes; with more, all are dropped.
    static let limit = 256
    private let state = Mutex(State())

    /// Registers documents by URI. Schemas that were compiled before are compiled again when they are next used.
    func register(_ documents: [(uri: String, document: JSONValue)]) {
        state.withLock { state in
            for (uri, document) in documents { state.registry.add(document, uri: uri) }
            state.compiled = [:]
        }
    }

    func forget() { state.withLock { $0.compiled = [:] } }

    /// The compiled form of a text; an error says what is wrong with it.
    func schema(
        _ text: String, isShape: Bool, draft: ValidatorDraft, formats: Bool
    ) throws(PlugboardError) -> JSONSchema {
        let key = Key(text: text, isShape: isShape, draft: draft, formats: formats)
        let (known, registry) = state.withLock { ($0.compiled[key], $0.registry) }
        if let known { return known }
        let schema = try SchemaStore.compile(key, registry)
        state.withLock { state in
            if state.compiled.count >= SchemaStore.limit { state.compiled = [:] }
            state.compiled[key] = schema
        }
        return schema
    }

    private static func compile(_ key: Key, _ registry: SchemaRegistry) throws(PlugboardError) -> JSONSchema {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(key.text)
        } catch {
            throw PlugboardError(.validatorSchema, "The schema is not valid JSON: \(error.description).")
        }
        do throws(SchemaError) {
            if key.isShape { return try JSONSchema(try Shape(value)) }
            var options = JSONSchema.Options()
            options.draft = SchemaDraft(rawValue: key.draft.rawValue) ?? .draft2020
            if key.formats { options.formats = true }
            return try JSONSchema(value, options: options, registry: registry)
        } catch {
            throw PlugboardError(.validatorSchema, "The schema cannot be compiled. \(error.description)")
        }
    }
}
