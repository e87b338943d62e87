import PlugboardJSON

/// A place in a document: what its keywords are, and which resource it belongs to.
struct SchemaPlace: Hashable {
    /// An index of the documents.
    let document: Int
    /// The JSON Pointer from the document's root.
    let pointer: String
}

/// A schema with a URI of its own: a document, or an embedded schema with `$id`.
struct SchemaResource {
    let uri: String
    let place: SchemaPlace
    let draft: SchemaDraft
    let vocabulary: Vocabulary
    var anchors: [String: SchemaPlace] = [:]
    var dynamicAnchors: [String: SchemaPlace] = [:]
    /// 2019-09's `$recursiveAnchor`.
    var isRecursive = false
}

/// The documents of a schema with their resources and anchors.
struct SchemaIndex {
    private(set) var resources: [SchemaResource] = []
    private var documents: [JSONValue] = []
    private var byURI: [String: Int] = [:]
    private var byPlace: [SchemaPlace: Int] = [:]
    private let registry: SchemaRegistry
    private let draft: SchemaDraft
    private var isRegistryIndexed = false

    init(_ registry: SchemaRegistry, draft: SchemaDraft) {
        self.registry = registry
        self.draft = draft
    }

    /// Adds a document under a URI and returns its resource.
    mutating func add(_ document: JSONValue, uri: String, draft: SchemaDraft? = nil) throws(SchemaError) -> Int {
        let place = SchemaPlace(document: documents.count, pointer: "")
        documents.append(document)
        let start = resources.count
        try walk(document, place, resource: nil, base: uri, draft ?? self.draft)
        if byURI[uri] == nil { byURI[uri] = start }
        return start
    }

    func value(_ place: SchemaPlace) -> JSONValue? {
        var value = documents[place.document]
        for step in place.pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let next = SchemaIndex.step(value, step) else { return nil }
            value = next
        }
        return value
    }

    private static func step(_ value: JSONValue, _ step: Substring) -> JSONValue? {
        switch value {
        case .array(let elements):
            guard let index = Int(step), elements.indices.contains(index) else { return nil }
            return elements[index]
        case .object(let object): return object[unescape(step)]
        default: return nil
        }
    }

    static func unescape(_ step: Substring) -> String {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var text = ""
        var isEscape = false
        for scalar in step.unicodeScalars {
            if isEscape {
                text.unicodeScalars.append(scalar == "1" ? "/" : "~")
                isEscape = false
            } else if scalar == "~" {
                isEscape = true
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func escape(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
        return key.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The resource that a place stands in: that of the nearest schema with a URI around it.
    func resource(of place: SchemaPlace) -> Int {
        var pointer = place.pointer[...]
        while true {
            if let index = byPlace[SchemaPlace(document: place.document, pointer: String(pointer))] { return index }
            guard let slash = pointer.lastIndex(of: "/") else { return 0 }
            pointer = pointer[..<slash]
        }
    }

    /// The absolute location of a place: the URI of its resource and a JSON Pointer from there.
    func location(of place: SchemaPlace) -> String {
        let resource = resources[resource(of: place)]
        return "\(resource.uri)#\(place.pointer.dropFirst(resource.place.pointer.count))"
    }

    /// The resource of a URI without fragment.
    mutating func resource(uri: String) throws(SchemaError) -> Int? {
        if let index = byURI[uri] { return index }
        if let document = registry.documents[uri] { return try add(document, uri: uri) }
        if let document = Metaschemas.document(uri) { return try add(document, uri: uri) }
        guard !isRegistryIndexed else { return nil }
        // An embedded resource of a registered document may have the URI.
        isRegistryIndexed = true
        for (uri, document) in registry.documents where byURI[uri] == nil { _ = try add(document, uri: uri) }
        return byURI[uri]
    }

    /// The place that a reference of a resource leads to, and the dynamic anchor it names.
    mutating func target(
        of reference: String, in resource: Int, at location: String
    ) throws(SchemaError) -> (place: SchemaPlace, anchor: String?) {
        let (relative, rawFragment) = URIReference.split(reference)
        let uri = URIReference.resolve(relative, against: resources[resource].uri)
        guard let index = try self.resource(uri: uri) else {
            throw SchemaError(
                kind: .missingDocument(uri), location: location,
                reason: "The reference leads to \(uri), which is not registered. Register the document under this URI.")
        }
        let target = resources[index]
        guard let fragment = URIReference.decode(rawFragment ?? "") else {
            throw SchemaError(kind: .missingTarget, location: location, reason: "The fragment is not UTF-8.")
        }
        if fragment.isEmpty { return (target.place, nil) }
        if fragment.utf8.first == UInt8(ascii: "/") {
            let place = SchemaPlace(document: target.place.document, pointer: target.place.pointer + fragment)
            if value(place) != nil { return (place, nil) }
        } else if let place = target.anchors[fragment] {
            return (place, target.dynamicAnchors[fragment] == nil ? nil : fragment)
        }
        throw SchemaError(
            kind: .missingTarget, location: location,
            reason: "The reference leads to \(uri)#\(fragment), but this document has no schema there.")
    }
}

// MARK: Walking over a document

extension SchemaIndex {
    /// Indexes a schema that stands where no keyword has schemas, and that a reference leads to.
    mutating func indexIfUnknown(_ place: SchemaPlace) throws(SchemaError) {
        guard byPlace[place] == nil, let value = value(place), let object = value.objectValue else { return }
        let resource = resource(of: place)
        let key = resources[resource].draft == .draft4 ? "id" : "$id"
        guard let id = object[key]?.stringValue else { return }
        let uri = URIReference.resolve(URIReference.split(id).uri, against: resources[resource].uri)
        guard byURI[uri] == nil else { return }
        try walk(value, place, resource: resource, base: resources[resource].uri, resources[resource].draft)
    }

    private mutating func walk(
        _ value: JSONValue, _ place: SchemaPlace, resource: Int?, base: String, _ draft: SchemaDraft
    ) throws(SchemaError) {
        var resource = resource
        var base = base
        guard let object = value.objectValue else {
            if resource == nil { try open(place, uri: base, draft, .standard) }
            return
        }
        let (own, vocabulary) = try dialect(of: object, resource: resource, draft, place)
        let draft = own
        let hidesSiblings = draft <= .draft7 && object["$ref"]?.stringValue != nil
        let id = hidesSiblings ? nil : object[draft == .draft4 ? "id" : "$id"]?.stringValue
        let (uri, fragment) = URIReference.split(id ?? "")
        let isAnchorOnly = uri.isEmpty && fragment?.isEmpty == false
        if resource == nil || (id != nil && !isAnchorOnly) {
            base = URIReference.resolve(uri, against: base)
            resource = try open(place, uri: base, draft, vocabulary)
        }
        guard let index = resource else { return }
        if let fragment, !fragment.isEmpty, draft <= .draft7 { resources[index].anchors[fragment] = place }
        if draft >= .draft2019 {
            if let anchor = object["$anchor"]?.stringValue { resources[index].anchors[anchor] = place }
            if let anchor = object["$dynamicAnchor"]?.stringValue, draft == .draft2020 {
                resources[index].anchors[anchor] = place
                resources[index].dynamicAnchors[anchor] = place
            }
            if object["$recursiveAnchor"]?.boolValue == true, draft == .draft2019 {
                resources[index].isRecursive = true
            }
        }
        if hidesSiblings && place.pointer != "" { return }
        for (key, value) in object {
            let pointer = "\(place.pointer)/\(SchemaIndex.escape(key))"
            switch SchemaIndex.shape(of: key) {
            case .none: continue
            case .schema:
                if let elements = value.arrayValue {
                    try walk(elements, place.document, pointer, index, base, draft)
                } else {
                    try walk(
                        value, SchemaPlace(document: place.document, pointer: pointer), resource: index, base: base,
                        draft)
                }
            case .list:
                try walk(value.arrayValue ?? [], place.document, pointer, index, base, draft)
            case .map:
                for (name, value) in value.objectValue ?? [:] {
                    let place = SchemaPlace(
                        document: place.document, pointer: "\(pointer)/\(SchemaIndex.escape(name))")
                    try walk(value, place, resource: index, base: base, draft)
                }
            }
        }
    }

    private mutating func walk(
        _ elements: [JSONValue], _ document: Int, _ pointer: String, _ resource: Int, _ base: String,
        _ draft: SchemaDraft
    ) throws(SchemaError) {
        for (position, value) in elements.enumerated() {
            let place = SchemaPlace(document: document, pointer: "\(pointer)/\(position)")
            try walk(value, place, resource: resource, base: base, draft)
        }
    }

    @discardableResult
    private mutating func open(
        _ place: SchemaPlace, uri: String, _ draft: SchemaDraft, _ vocabulary: Vocabulary
    ) throws(SchemaError) -> Int {
        let index = resources.count
        guard index < Int(UInt16.max) else {
            throw SchemaError(kind: .limit, location: uri, reason: "A schema can have 65,534 resources at most.")
        }
        resources.append(SchemaResource(uri: uri, place: place, draft: draft, vocabulary: vocabulary))
        byPlace[place] = index
        if byURI[uri] == nil { byURI[uri] = index }
        return index
    }

    /// The draft and vocabularies of a schema with `$schema`; else those of the schema around it.
    private mutating func dialect(
        of object: JSONObject, resource: Int?, _ draft: SchemaDraft, _ place: SchemaPlace
    ) throws(SchemaError) -> (SchemaDraft, Vocabulary) {
        let inherited = resource.map { resources[$0].vocabulary } ?? .standard
        guard resource == nil || object["$id"] != nil || object["id"] != nil,
            let uri = object["$schema"]?.stringValue.map({ URIReference.split($0).uri })
        else { return (draft, inherited) }
        if let draft = SchemaDraft(metaschema: uri) { return (draft, .standard) }
        if uri == "http://json-schema.org/schema" { return (draft, .standard) }
        return try SchemaIndex.dialect(of: uri, registry, place, depth: 0)
    }

    private static func dialect(
        of uri: String, _ registry: SchemaRegistry, _ place: SchemaPlace, depth: Int
    ) throws(SchemaError) -> (SchemaDraft, Vocabulary) {
        guard let metaschema = registry.documents[uri]?.objectValue, depth < 16 else {
            throw SchemaError(
                kind: .missingDocument(uri), location: "#\(place.pointer)/$schema",
                reason: "The meta-schema \(uri) is not registered. Register the document under this URI.")
        }
        let base = metaschema["$schema"]?.stringValue.map { URIReference.split($0).uri }
        let draft: SchemaDraft
        if let base, let known = SchemaDraft(metaschema: base) {
            draft = known
        } else if let base, base != uri {
            draft = try dialect(of: base, registry, place, depth: depth + 1).0
        } else {
            draft = .draft2020
        }
        guard let listed = metaschema["$vocabulary"]?.objectValue, draft >= .draft2019 else {
            return (draft, .standard)
        }
        var vocabulary: Vocabulary = []
        for (uri, isRequired) in listed {
            if let known = Vocabulary.known(uri) {
                // 2019-09's format asserts only if it is required.
                let isOptionalFormat =
                    known == .formatAssertion && draft == .draft2019 && isRequired.boolValue != true
                if !isOptionalFormat { vocabulary.formUnion(known) }
            } else if isRequired.boolValue == true {
                throw SchemaError(
                    kind: .invalid, location: "#\(place.pointer)/$schema",
                    reason: "The meta-schema requires the vocabulary \(uri), which is unknown here.")
            }
        }
        return (draft, vocabulary)
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
