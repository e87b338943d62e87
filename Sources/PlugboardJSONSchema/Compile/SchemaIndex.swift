import PlugboardJSON

/// A place in a document, which identifies a schema.
struct SchemaPlace: Hashable {
    /// An index of the documents.
    let document: Int
    /// The JSON Pointer from the document's root.
    let pointer: String

    static func == (left: SchemaPlace, right: SchemaPlace) -> Bool {
        left.document == right.document && left.pointer.hasSameUTF8(as: right.pointer)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(document)
        pointer.hashUTF8(into: &hasher)
    }
}

/// The dialect that `$schema` selects for a schema.
struct SchemaDialect: Equatable {
    let draft: SchemaDraft
    var vocabulary = Vocabulary.standard
    /// The URI of a meta-schema that is not one of a draft.
    var metaschema: String?
}

/// A schema with a URI of its own: a document, or an embedded schema with `$id`.
struct SchemaResource {
    let uri: String
    let place: SchemaPlace
    let dialect: SchemaDialect
    var vocabulary: Vocabulary { dialect.vocabulary }
    var draft: SchemaDraft { dialect.draft }
    var anchors: [ExactText: SchemaPlace] = [:]
    var dynamicAnchors: [ExactText: SchemaPlace] = [:]
    /// The value of `$recursiveAnchor` of 2019-09.
    var isRecursive = false
}

/// The documents of a schema with their resources and anchors.
struct SchemaIndex {
    var resources: [SchemaResource] = []
    private var documents: [JSONValue] = []
    var byURI: [ExactText: Int] = [:]
    var byPlace: [SchemaPlace: Int] = [:]
    var registry: SchemaRegistry
    /// Whether reading of a document stopped before its end, because a meta-schema is missing.
    var isIncomplete = false
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
        try walk(document, place, resource: nil, base: uri, SchemaDialect(draft: draft ?? self.draft))
        if byURI[ExactText(uri)] == nil { byURI[ExactText(uri)] = start }
        return start
    }

    func value(_ place: SchemaPlace) -> JSONValue? { JSONPointer.value(place.pointer, in: documents[place.document]) }

    /// The pointer without its last step; nil for the root's.
    static func parent(_ pointer: String) -> String? {
        pointer.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(pointer[..<$0]) }
    }

    /// The resource that contains a place: that of the nearest enclosing schema with a URI.
    func resource(of place: SchemaPlace) -> Int {
        var pointer = place.pointer[...]
        while true {
            if let index = byPlace[SchemaPlace(document: place.document, pointer: String(pointer))] { return index }
            guard let slash = pointer.utf8.lastIndex(of: UInt8(ascii: "/")) else { return 0 }
            pointer = pointer[..<slash]
        }
    }

    /// The absolute location of a place: the URI of its resource and a JSON Pointer relative to the resource.
    func location(of place: SchemaPlace) -> String {
        let resource = resources[resource(of: place)]
        return "\(resource.uri)#\(Substring(place.pointer.utf8.dropFirst(resource.place.pointer.utf8.count)))"
    }

    /// The resource of a URI without fragment.
    mutating func resource(uri: String) throws(SchemaError) -> Int? {
        let key = ExactText(uri)
        if let index = byURI[key] { return index }
        if let document = registry.documents[key] { return try add(document, uri: uri) }
        if let document = Metaschemas.document(uri) { return try add(document, uri: uri) }
        guard !isRegistryIndexed else { return nil }
        // An embedded resource of a registered document may have this URI.
        isRegistryIndexed = true
        for (uri, document) in registry.documents where byURI[uri] == nil { _ = try add(document, uri: uri.text) }
        return byURI[key]
    }

    /// The target of a reference of a resource, and the dynamic anchor that the reference names.
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
        guard let fragment = JSONPointer.text(ofFragment: rawFragment ?? "") else {
            throw SchemaError(kind: .missingTarget, location: location, reason: "The fragment is not UTF-8.")
        }
        if fragment.isEmpty { return (target.place, nil) }
        if fragment.utf8.first == UInt8(ascii: "/") {
            let place = SchemaPlace(document: target.place.document, pointer: target.place.pointer + fragment)
            if value(place) != nil { return (place, nil) }
        } else if let place = target.anchors[ExactText(fragment)] {
            return (place, target.dynamicAnchors[ExactText(fragment)] == nil ? nil : fragment)
        }
        throw SchemaError(
            kind: .missingTarget, location: location,
            reason: "The reference leads to \(uri)#\(fragment), but this document has no schema there.")
    }
}
