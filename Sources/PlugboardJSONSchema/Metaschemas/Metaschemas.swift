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
        var ways: Set<SchemaPlace> = []
        for place in places {
            var inner = place
            while let pointer = SchemaIndex.parent(inner.pointer) {
                inner = SchemaPlace(document: 0, pointer: pointer)
                guard ways.insert(inner).inserted else { break }
            }
        }
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
            let own = parts.count == 1 ? value : try replacing(value, part.place, places, ways, with: filling)
            try check(own, part, metaschema)
        }
    }

    /// The schema of a place with a replacement for the ones below it at these places.
    ///
    /// - Parameter ways: All places that contain one of them. Nothing beside these is visited.
    private static func replacing(
        _ value: JSONValue, _ place: SchemaPlace, _ places: Set<SchemaPlace>, _ ways: Set<SchemaPlace>,
        with filling: JSONValue
    ) throws(SchemaError) -> JSONValue {
        try SchemaIndex.checkStack(place)
        func member(_ value: JSONValue, _ step: String) throws(SchemaError) -> JSONValue {
            let inner = SchemaPlace(document: place.document, pointer: "\(place.pointer)/\(step)")
            if places.contains(inner) { return filling }
            return ways.contains(inner) ? try replacing(value, inner, places, ways, with: filling) : value
        }
        switch value {
        case .array(var elements):
            for (position, element) in elements.enumerated() { elements[position] = try member(element, "\(position)") }
            return .array(elements)
        case .object(var object):
            for (key, value) in object { object[key] = try member(value, JSONPointer.escaped(key)) }
            return .object(object)
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
