import MetaschemaDocuments
import PlugboardJSON

/// The meta-schemas of the drafts, as json-schema.org publishes them.
enum Metaschemas {
    /// The meta-schema or vocabulary with a URI.
    static func document(_ uri: String) -> JSONValue? {
        metaschema_text(uri).flatMap { try? JSONParser.parse(String(cString: $0)) }
    }

    /// Refuses a schema that does not match its meta-schema in places that are not compiled: unused definitions, and
    /// keywords that a validator ignores. Embedded schemas of another dialect are checked against its meta-schema.
    static func check(_ schema: JSONValue, _ index: SchemaIndex) throws(SchemaError) {
        let own = index.resources.filter { $0.place.document == 0 }
        let parts = own.filter { part in
            guard let parent = SchemaIndex.parent(part.place.pointer) else { return true }
            let around = index.resource(of: SchemaPlace(document: 0, pointer: parent))
            return index.resources[around].dialect != part.dialect
        }
        let places = Set(parts.map(\.place))
        var known = compiled
        for part in parts {
            guard let value = index.value(part.place) else { continue }
            let uri = part.dialect.metaschema ?? part.draft.metaschema
            if known[uri] == nil, let document = index.registry.documents[ExactText(uri)] {
                var options = JSONSchema.Options()
                options.baseURI = uri
                known[uri] = try compile(document, options, index.registry)
            }
            guard let metaschema = known[uri] else { continue }
            // Draft 4 does not have the schema `true`.
            let filling: JSONValue = part.draft == .draft4 ? [:] : true
            let own = parts.count == 1 ? value : replacing(value, part.place, places, with: filling)
            try check(own, part, metaschema)
        }
    }

    /// The schema of a place with a replacement for the ones below it at these places.
    private static func replacing(
        _ value: JSONValue, _ place: SchemaPlace, _ places: Set<SchemaPlace>, with filling: JSONValue
    ) -> JSONValue {
        func member(_ value: JSONValue, _ step: String) -> JSONValue {
            let inner = SchemaPlace(document: place.document, pointer: "\(place.pointer)/\(step)")
            return places.contains(inner) ? filling : replacing(value, inner, places, with: filling)
        }
        switch value {
        case .array(let elements): return .array(elements.enumerated().map { member($1, "\($0)") })
        case .object(let object):
            return .object(JSONObject(object.map { ($0.key, member($0.value, JSONPointer.escaped($0.key))) }))
        default: return value
        }
    }

    private static func check(
        _ schema: JSONValue, _ part: SchemaResource, _ metaschema: JSONSchema
    ) throws(SchemaError) {
        var options = JSONDocument.Options()
        options.depthLimit = JSONDocument.Options.deepest
        options.sizeLimit = 1 << 30
        guard let document = try? JSONDocument(JSONWriter.write(schema) as [UInt8], options: options) else { return }
        let result = metaschema.validate(document, limit: 1)
        // A schema that is too large to be checked against its meta-schema is compiled without this check.
        guard let error = result.leaves.first, !result.isLimited else { return }
        throw SchemaError(
            kind: .invalid, location: "#\(part.place.pointer)\(error.instanceLocation)",
            reason: "This does not follow the meta-schema \(part.dialect.metaschema ?? "of \(part.draft.rawValue)"). "
                + error.message)
    }

    /// Compiles a schema without checking it against its meta-schema, which would not be compiled yet.
    private static func compile(
        _ metaschema: JSONValue, _ options: JSONSchema.Options, _ registry: SchemaRegistry
    ) throws(SchemaError) -> JSONSchema {
        var compiler = SchemaCompiler(metaschema, options: options, registry: registry)
        if let missing = try compiler.advance().first { throw missing }
        return JSONSchema(try compiler.finish())
    }

    /// The meta-schemas of the drafts by URI.
    private static let compiled: [String: JSONSchema] = {
        var schemas: [String: JSONSchema] = [:]
        for draft in SchemaDraft.allCases {
            guard let text = document(draft.metaschema) else { continue }
            schemas[draft.metaschema] = try? compile(text, JSONSchema.Options(), SchemaRegistry())
        }
        return schemas
    }()
}
