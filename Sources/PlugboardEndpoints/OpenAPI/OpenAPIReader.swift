import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// Reads an OpenAPI document (3.0 or 3.1) as definitions: one for each operation.
///
/// Errors make the document unusable. What it says and a definition cannot express is noted in `unsupported`, and its
/// operations can be called without it.
struct OpenAPIReader {
    /// The most parameters of all operations.
    static let sizeLimit = 200_000

    let root: ConfigurationNode
    let server: ServerChoice
    var reading: ConfigurationReading
    var unsupported: ConfigurationReading
    var references: OpenAPIReferences
    /// Bodies by the paths of their schemas, because many operations refer to the same.
    var bodies: [JSONPath: [DefinedParameter]] = [:]
    var schemes: [String: SecurityScheme?] = [:]
    private var names: Set<String> = []
    private var size = 0
    /// How many schemas were read, with those that were read again.
    var work = 0
    static let workLimit = 1_000_000

    struct Result {
        var definitions: [Definition] = []
        var errors: [ConfigurationError] = []
        var unsupported: [ConfigurationError] = []
    }

    /// Whether a document says that it is one of OpenAPI, in any version.
    static func isOpenAPI(_ value: JSONValue) -> Bool { value["openapi"] != nil || value["swagger"] != nil }

    static func read(_ root: ConfigurationNode, _ source: ConfigurationSource?, server: ServerChoice) -> Result {
        var reader = OpenAPIReader(root, source, server)
        let definitions = reader.definitions()
        return Result(
            definitions: reader.reading.errors.isEmpty ? definitions : [], errors: reader.reading.errors.inOrder,
            unsupported: reader.unsupported.errors.inOrder)
    }

    private init(_ root: ConfigurationNode, _ source: ConfigurationSource?, _ server: ServerChoice) {
        self.root = root
        self.server = server
        reading = ConfigurationReading(source: source)
        unsupported = ConfigurationReading(source: source)
        references = OpenAPIReferences(root: root.value)
    }

    private mutating func definitions() -> [Definition] {
        guard checkVersion(), let object = root.value.objectValue else { return [] }
        noteUnknown(of: root, OpenAPIKeys.document)
        for key in ["webhooks", "x-webhooks"] where object.contains(key) {
            unsupported.note([.key(key)], "are requests to a program, which are not read", atKey: true)
        }
        readSchemes()
        checkServers()
        var definitions: [Definition] = []
        if let paths = object["paths"] {
            let node = root.member("paths", paths)
            guard let items = paths.objectValue else {
                reading.note(node.path, "must be an object of paths, not \(paths.kind)")
                return []
            }
            for (path, item) in items where !path.hasPrefix("x-") {
                definitions += operations(of: path, node.member(path, item))
                guard size <= OpenAPIReader.sizeLimit else {
                    reading.note(
                        node.path, "has more than \(OpenAPIReader.sizeLimit) parameters in all its operations")
                    return []
                }
            }
        }
        checkReferences()
        return definitions
    }

    private mutating func checkVersion() -> Bool {
        guard let object = root.value.objectValue else {
            reading.note([], "must be an object, not \(root.value.kind)")
            return false
        }
        if object.contains("swagger") {
            reading.note(["swagger"], "is the version of a Swagger document; convert it to OpenAPI 3.0 or 3.1 first")
            return false
        }
        guard let version = object["openapi"]?.stringValue else {
            reading.note(["openapi"], "must be the version of OpenAPI as a string, such as \"3.1.0\"")
            return false
        }
        guard version.hasPrefix("3.0.") || version.hasPrefix("3.1.") || version == "3.0" || version == "3.1" else {
            reading.note(["openapi"], "must be 3.0 or 3.1; other versions are not read")
            return false
        }
        return true
    }

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private mutating func operations(of path: String, _ item: ConfigurationNode) -> [Definition] {
        guard path.utf8.first == UInt8(ascii: "/") else {
            reading.note(item.path, "must begin with a slash", atKey: true)
            return []
        }
        guard let node = references.resolve(item, &reading) else { return [] }
        guard let object = node.value.objectValue else {
            reading.note(node.path, "must be an object of operations, not \(node.value.kind)")
            return []
        }
        noteUnknown(of: node, OpenAPIKeys.pathItem)
        let general = parameters(of: node)
        var definitions: [Definition] = []
        for method in OpenAPIReader.methods {
            guard let value = object[method] else { continue }
            let operation = node.member(method, value)
            guard value.objectValue != nil else {
                reading.note(operation.path, "must be an operation: an object, not \(value.kind)")
                continue
            }
            let definition = definition(path, method.uppercased(), operation, in: node, general)
            size += definition.parameters.count
            definitions.append(definition)
        }
        return definitions
    }

    private mutating func definition(
        _ path: String, _ method: String, _ node: ConfigurationNode, in item: ConfigurationNode,
        _ general: [DefinedParameter]
    ) -> Definition {
        noteUnknown(of: node, OpenAPIKeys.operation)
        var definition = Definition(name(of: node, method, path), path: path, method: Method(method))
        definition.documentation = OpenAPIReader.summary(of: node.value) ?? ""
        definition.isDeprecated = flag("deprecated", of: node)
        definition.takesOtherParameters = false
        setServer(of: &definition, node, item)
        var known: [PlaceAndName: Int] = [:]
        for parameter in general + parameters(of: node) {
            let key = PlaceAndName(parameter)
            if let index = known[key] {
                definition.parameters[index] = parameter
            } else {
                known[key] = definition.parameters.count
                definition.parameters.append(parameter)
            }
        }
        if let body = node.value["requestBody"] {
            readBody(node.member("requestBody", body), into: &definition)
        }
        definition.parameters = OpenAPIReader.distinct(definition.parameters)
        if definition.parameters.count > DefinedParameter.countLimit {
            reading.note(node.path, "has more than \(DefinedParameter.countLimit) parameters")
        }
        readResponse(of: node, into: &definition)
        readSecurity(of: node, into: &definition)
        if node.value["callbacks"] != nil {
            unsupported.note(
                node.path.appending("callbacks"), "are requests to a program, which are not read", atKey: true)
        }
        definition.complete(at: node.path, &reading)
        return definition
    }

    private mutating func name(of node: ConfigurationNode, _ method: String, _ path: String) -> String {
        var name = "\(method) \(path)"
        if let value = node.value["operationId"] {
            let location = node.path.appending("operationId")
            if let id = value.stringValue, !id.isEmpty {
                name = id
            } else {
                reading.note(location, "must be a string that is not empty")
            }
            if names.contains(name) {
                reading.note(location, "is the operationId of another operation too; each must be its own")
            }
        }
        names.insert(name)
        return name
    }

    struct PlaceAndName: Hashable {
        let place: DefinedParameter.Place?
        let name: String

        init(_ parameter: DefinedParameter) {
            place = parameter.place
            name = parameter.sentName
        }
    }

    /// Parameters whose names are different: of two with one name, the second is called `PLACE.name`.
    private static func distinct(_ parameters: [DefinedParameter]) -> [DefinedParameter] {
        var known: Set<String> = []
        return parameters.map { parameter in
            if known.insert(parameter.name).inserted { return parameter }
            let renamed = parameter.renamed("\(parameter.place?.rawValue ?? "query").\(parameter.name)")
            known.insert(renamed.name)
            return renamed
        }
    }

    /// The most bytes of a first line that are kept: many operations can refer to one.
    private static let summaryLimit = 240

    /// The first line of what people read.
    static func summary(of value: JSONValue) -> String? {
        for key in ["summary", "description"] {
            guard let text = value[key]?.stringValue else { continue }
            let line = text.utf8.prefix { $0 != 0x0A && $0 != 0x0D }
            guard !line.isEmpty else { continue }
            let isShort = line.count <= summaryLimit
            return String(decoding: line.prefix(summaryLimit), as: UTF8.self) + (isShort ? "" : "…")
        }
        return nil
    }

    mutating func flag(_ key: String, of node: ConfigurationNode) -> Bool {
        guard let value = node.value[key] else { return false }
        if let flag = value.boolValue { return flag }
        reading.note(node.path.appending(.key(key)), "must be true or false, not \(value.kind)")
        return false
    }

    /// Notes keys that OpenAPI does not have: they are ignored, and may be misspelled.
    mutating func noteUnknown(of node: ConfigurationNode, _ keys: [String]) {
        guard let object = node.value.objectValue else { return }
        for key in object.keys where !key.hasPrefix("x-") && !keys.contains(key) {
            guard unsupported.errors.count < ConfigurationReading.errorLimit else { return }
            let near = Spelling.nearest(key, in: keys).map { "; did you mean \($0)?" } ?? ""
            unsupported.noteOnce(
                node.path.appending(.key(key)), "is not a key of OpenAPI and is ignored\(near)", atKey: true)
        }
    }
}

extension DefinedParameter {
    fileprivate func renamed(_ name: String) -> DefinedParameter {
        var parameter = DefinedParameter(name, place)
        parameter.sentName = sentName
        parameter.kind = kind
        parameter.elementKind = elementKind
        parameter.values = values
        parameter.takesNull = takesNull
        parameter.isRequired = isRequired
        parameter.fallback = fallback
        parameter.style = style
        parameter.explodes = explodes
        parameter.allowsReserved = allowsReserved
        parameter.contentType = contentType
        parameter.documentation = documentation
        parameter.isDeprecated = isDeprecated
        return parameter
    }
}

extension [ConfigurationError] {
    /// In the order of the text.
    var inOrder: [ConfigurationError] {
        sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
    }
}

/// The keys of the objects of OpenAPI 3.0 and 3.1.
enum OpenAPIKeys {
    static let document = [
        "openapi", "info", "jsonSchemaDialect", "servers", "paths", "webhooks", "components", "security", "tags",
        "externalDocs", "$self",
    ]
    static let pathItem = [
        "$ref", "summary", "description", "get", "put", "post", "delete", "options", "head", "patch", "trace",
        "servers", "parameters",
    ]
    static let operation = [
        "tags", "summary", "description", "externalDocs", "operationId", "parameters", "requestBody", "responses",
        "callbacks", "deprecated", "security", "servers",
    ]
    static let parameter = [
        "$ref", "name", "in", "description", "required", "deprecated", "allowEmptyValue", "style", "explode",
        "allowReserved", "schema", "example", "examples", "content", "summary",
    ]
    static let requestBody = ["$ref", "description", "content", "required", "summary"]
    static let server = ["url", "description", "variables", "name"]
}
