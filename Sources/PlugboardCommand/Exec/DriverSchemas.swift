import PlugboardJSON
import PlugboardJSONSchema
import Synchronization

/// The schemas of `plugboard exec`: documents that lines register, and the ops `schemas` and `validate`.
final class DriverSchemas: Sendable {
    private let registry = Mutex(SchemaRegistry())

    /// The op `schemas`: registers documents by their URIs.
    func register(_ object: JSONObject) throws(DriverError) -> JSONObject {
        let line = try DriverFields(object, known: ["id", "op", "documents"])
        guard let documents = try line.read("documents", "an object of schemas by their URIs", \.objectValue) else {
            throw DriverError(.invalid, "documents is missing. It must be an object of schemas by their URIs.")
        }
        registry.withLock { registry in
            for (uri, document) in documents { registry.add(document, uri: uri) }
        }
        return ["id": object["id"] ?? .null, "ok": true]
    }

    /// The op `validate`: whether each instance is valid.
    func validate(_ object: JSONObject) throws(DriverError) -> JSONObject {
        let line = try DriverFields(object, known: ["id", "op", "schema", "draft", "formats", "instances"])
        guard let value = object["schema"] else { throw DriverError(.invalid, "schema is missing.") }
        guard let instances = try line.read("instances", "an array", \.arrayValue) else {
            throw DriverError(.invalid, "instances is missing. It must be an array.")
        }
        let schema = try compile(value, line)
        var valid: [JSONValue] = []
        for instance in instances {
            valid.append(.bool(schema.isValid(try DriverSchemas.document(JSONWriter.write(instance)))))
        }
        return ["id": object["id"] ?? .null, "valid": .array(valid)]
    }

    /// Compiles the schema of a line with its members `draft` and `formats`.
    func compile(_ value: JSONValue, _ line: DriverFields) throws(DriverError) -> JSONSchema {
        var options = JSONSchema.Options()
        let word = try line.word("draft", of: SchemaDraft.allCases.map(\.rawValue))
        if let word, let draft = SchemaDraft(rawValue: word) { options.draft = draft }
        if try line.bool("formats") ?? false { options.formats = true }
        do throws(SchemaError) {
            return try JSONSchema(value, options: options, registry: registry.withLock { $0 })
        } catch {
            throw DriverError(.invalid, "The schema cannot be compiled. \(error.description)")
        }
    }

    static func document(_ text: [UInt8]) throws(DriverError) -> JSONDocument {
        do throws(JSONDocumentError) {
            return try JSONDocument(text)
        } catch {
            throw DriverError(.invalid, "An instance is not valid JSON: \(error.description).")
        }
    }
}
