import PlugboardJSON

/// The meta-schemas of the drafts, as json-schema.org publishes them.
enum Metaschemas {
    /// The meta-schema or vocabulary of a URI.
    static func document(_ uri: String) -> JSONValue? {
        for texts in [draft2020, draft2019, draft7, draft6, draft4] {
            if let text = texts[uri] { return try? JSONParser.parse(text) }
        }
        return nil
    }

    /// Refuses a schema that does not match the meta-schema of its draft, where the compiler has not seen it: unused
    /// definitions, and keywords that mean nothing to a validator.
    ///
    /// Schemas of several drafts or with vocabularies of their own are left to the compiler, and draft 4, whose older
    /// schemas have `required` as a boolean.
    static func check(_ schema: JSONValue, _ program: Program) throws(SchemaError) {
        guard let draft = program.uniformDraft, let metaschema = compiled[draft] else { return }
        var options = JSONDocument.Options()
        options.depthLimit = JSONDocument.Options.deepest
        options.sizeLimit = 1 << 30
        guard let document = try? JSONDocument(JSONWriter.write(schema) as [UInt8], options: options),
            let error = metaschema.validate(document, limit: 1).leaves.first, !error.rule.isEmpty
        else { return }
        throw SchemaError(
            kind: .invalid, location: "#\(error.instanceLocation)",
            reason: "This does not follow the meta-schema of \(draft.rawValue). \(error.message)")
    }

    private static let compiled: [SchemaDraft: JSONSchema] = {
        var schemas: [SchemaDraft: JSONSchema] = [:]
        for draft in SchemaDraft.allCases where draft > .draft4 {
            guard let text = document(draft.metaschema),
                let program = try? SchemaCompiler.compile(text, options: .init(), registry: SchemaRegistry())
            else { continue }
            schemas[draft] = JSONSchema(program)
        }
        return schemas
    }()
}
