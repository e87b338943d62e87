import PlugboardJSON

extension SchemaIndex {
    /// Indexes a schema that a reference leads to, at a place where no keyword has schemas.
    mutating func indexIfUnknown(_ place: SchemaPlace) throws(SchemaError) {
        guard byPlace[place] == nil, let value = value(place), let object = value.objectValue else { return }
        let resource = resource(of: place)
        let key = resources[resource].draft == .draft4 ? "id" : "$id"
        guard let id = object[key]?.stringValue else { return }
        let uri = URIReference.resolve(URIReference.split(id).uri, against: resources[resource].uri)
        guard byURI[ExactText(uri)] == nil else { return }
        try walk(value, place, resource: resource, base: resources[resource].uri, resources[resource].dialect)
    }

    /// Throws where the stack of this thread is too small to go deeper.
    static func checkStack(_ place: SchemaPlace) throws(SchemaError) {
        guard StackBound.position > StackBound.current else {
            throw SchemaError(
                kind: .limit, location: "#\(place.pointer)",
                reason: "The schema is nested deeper than the stack of this thread allows.")
        }
    }

    mutating func walk(
        _ value: JSONValue, _ place: SchemaPlace, resource: Int?, base: String, _ dialect: SchemaDialect
    ) throws(SchemaError) {
        try SchemaIndex.checkStack(place)
        var resource = resource
        var base = base
        guard let object = value.objectValue else {
            if resource == nil { try open(place, uri: base, dialect) }
            return
        }
        let dialect = try self.dialect(of: object, resource: resource, dialect, place)
        let draft = dialect.draft
        let hidesSiblings = draft <= .draft7 && object["$ref"]?.stringValue != nil
        let id = hidesSiblings ? nil : object[draft == .draft4 ? "id" : "$id"]?.stringValue
        let (uri, fragment) = URIReference.split(id ?? "")
        let isAnchorOnly = uri.isEmpty && fragment?.isEmpty == false
        if resource == nil || (id != nil && !isAnchorOnly) {
            base = URIReference.resolve(uri, against: base)
            resource = try open(place, uri: base, dialect)
        }
        guard let index = resource else { return }
        if let fragment, !fragment.isEmpty, draft <= .draft7 { resources[index].anchors[ExactText(fragment)] = place }
        if draft >= .draft2019 {
            if let anchor = object["$anchor"]?.stringValue { resources[index].anchors[ExactText(anchor)] = place }
            if let anchor = object["$dynamicAnchor"]?.stringValue, draft == .draft2020 {
                resources[index].anchors[ExactText(anchor)] = place
                resources[index].dynamicAnchors[ExactText(anchor)] = place
            }
            if object["$recursiveAnchor"]?.boolValue == true, draft == .draft2019 {
                resources[index].isRecursive = true
            }
        }
        if hidesSiblings && place.pointer != "" { return }
        for (key, value) in object {
            let pointer = "\(place.pointer)/\(JSONPointer.escaped(key))"
            switch SchemaIndex.shape(of: key) {
            case .none: continue
            case .schema:
                if let elements = value.arrayValue {
                    try walk(elements, place.document, pointer, index, base, dialect)
                } else {
                    try walk(
                        value, SchemaPlace(document: place.document, pointer: pointer), resource: index, base: base,
                        dialect)
                }
            case .list:
                try walk(value.arrayValue ?? [], place.document, pointer, index, base, dialect)
            case .map:
                for (name, value) in value.objectValue ?? [:] {
                    let place = SchemaPlace(
                        document: place.document, pointer: "\(pointer)/\(JSONPointer.escaped(name))")
                    try walk(value, place, resource: index, base: base, dialect)
                }
            }
        }
    }

    private mutating func walk(
        _ elements: [JSONValue], _ document: Int, _ pointer: String, _ resource: Int, _ base: String,
        _ dialect: SchemaDialect
    ) throws(SchemaError) {
        for (position, value) in elements.enumerated() {
            let place = SchemaPlace(document: document, pointer: "\(pointer)/\(position)")
            try walk(value, place, resource: resource, base: base, dialect)
        }
    }

    @discardableResult
    private mutating func open(
        _ place: SchemaPlace, uri: String, _ dialect: SchemaDialect
    ) throws(SchemaError) -> Int {
        let index = resources.count
        guard index < Int(UInt16.max) else {
            throw SchemaError(kind: .limit, location: uri, reason: "A schema can have 65,534 resources at most.")
        }
        resources.append(SchemaResource(uri: uri, place: place, dialect: dialect))
        byPlace[place] = index
        if byURI[ExactText(uri)] == nil { byURI[ExactText(uri)] = index }
        return index
    }

    /// The dialect of a schema with `$schema`, or else that of the enclosing schema.
    private mutating func dialect(
        of object: JSONObject, resource: Int?, _ inherited: SchemaDialect, _ place: SchemaPlace
    ) throws(SchemaError) -> SchemaDialect {
        guard resource == nil || object["$id"] != nil || object["id"] != nil,
            let uri = object["$schema"]?.stringValue.map({ URIReference.split($0).uri })
        else { return inherited }
        if let draft = SchemaDraft(metaschema: uri) { return SchemaDialect(draft: draft) }
        if uri == "http://json-schema.org/schema" { return SchemaDialect(draft: inherited.draft) }
        do throws(SchemaError) {
            return try SchemaIndex.dialect(of: uri, registry, place, depth: 0)
        } catch {
            isIncomplete = true
            throw error
        }
    }

    private static func dialect(
        of uri: String, _ registry: SchemaRegistry, _ place: SchemaPlace, depth: Int
    ) throws(SchemaError) -> SchemaDialect {
        guard let metaschema = registry.documents[ExactText(uri)]?.objectValue, depth < 16 else {
            throw SchemaError(
                kind: .missingDocument(uri), location: "#\(place.pointer)/$schema",
                reason: "The meta-schema \(uri) is not registered. Register the document under this URI.")
        }
        let base = metaschema["$schema"]?.stringValue.map { URIReference.split($0).uri }
        let draft: SchemaDraft
        if let base, let known = SchemaDraft(metaschema: base) {
            draft = known
        } else if let base, base != uri {
            draft = try dialect(of: base, registry, place, depth: depth + 1).draft
        } else {
            draft = .draft2020
        }
        guard let listed = metaschema["$vocabulary"]?.objectValue, draft >= .draft2019 else {
            return SchemaDialect(draft: draft, metaschema: uri)
        }
        var vocabulary: Vocabulary = []
        for (uri, isRequired) in listed {
            if let known = Vocabulary.known(uri) {
                // The `format` of 2019-09 is asserted only if its vocabulary is required.
                let isOptionalFormat =
                    known == .formatAssertion && draft == .draft2019 && isRequired.boolValue != true
                if !isOptionalFormat { vocabulary.formUnion(known) }
            } else if isRequired.boolValue == true {
                throw SchemaError(
                    kind: .invalid, location: "#\(place.pointer)/$schema",
                    reason: "The meta-schema requires the vocabulary \(uri), which is unknown here.")
            }
        }
        return SchemaDialect(draft: draft, vocabulary: vocabulary, metaschema: uri)
    }

    private enum Shape { case none, schema, list, map }

    private static func shape(of keyword: String) -> Shape {
        switch keyword {
        case "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
            "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties":
            .schema
        case "allOf", "anyOf", "oneOf", "prefixItems": .list
        case "$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties": .map
        default: .none
        }
    }
}
