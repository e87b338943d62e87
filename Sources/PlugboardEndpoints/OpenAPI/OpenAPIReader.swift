import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// Reads an OpenAPI document (3.0 or 3.1) as definitions: one for each operation.
///
/// An operation that cannot be read because of an error is left out, and the others can be called; errors are noted in
/// `defects`. Parts of the document that a definition cannot express are noted in `unsupported`; its operations can
/// be called without them. Few errors make the whole document unusable.
struct OpenAPIReader {
    /// The most parameters of all operations.
    static let sizeLimit = 200_000

    let root: ConfigurationNode
    let server: ServerChoice
    private let source: ConfigurationSource?
    /// The errors of the part that is read now: an operation, or another part of the document.
    var reading: ConfigurationReading
    /// The errors that make the whole document unusable.
    var fatal: ConfigurationReading
    private var defects: [ConfigurationError] = []
    private var refused: [String: [ConfigurationError]] = [:]
    var unsupported: ConfigurationReading
    var references: OpenAPIReferences
    /// Bodies by the paths of their schemas, because many operations refer to the same body.
    var bodies: [JSONPath: (properties: [DefinedParameter], errors: [ConfigurationError])] = [:]
    /// Errors of a body that was read for another operation.
    var bodyErrors: [ConfigurationError] = []
    var schemes: [String: SecurityScheme?] = [:]
    private var names: Set<String> = []
    private var size = 0
    /// The number of schemas that were read, including repeated reading.
    var work = 0
    static let workLimit = 1_000_000

    struct Result {
        var definitions: [Definition] = []
        var errors: [ConfigurationError] = []
        var defects: [ConfigurationError] = []
        var refused: [String: [ConfigurationError]] = [:]
        var unsupported: [ConfigurationError] = []
    }

    /// Whether a document claims to be an OpenAPI document, in any version.
    static func isOpenAPI(_ value: JSONValue) -> Bool { value["openapi"] != nil || value["swagger"] != nil }

    /// - Parameters:
    ///   - folder: The folder whose files references may name; nil for none.
    ///   - file: The path of the document itself.
    ///   - formats: Formats of the files that references name.
    static func read(
        _ root: ConfigurationNode, _ source: ConfigurationSource?, folder: String?, file: String?, server: ServerChoice,
        _ formats: [DocumentFormat]
    ) -> Result {
        var files = OpenAPIFiles(folder: folder, document: file, formats)
        let joined = ConfigurationNode(value: files.join(root.value), path: root.path)
        var reader = OpenAPIReader(joined, source, server, unreadable: files.unreadable)
        let definitions = reader.definitions()
        return Result(
            definitions: definitions, errors: reader.fatal.errors.inOrder, defects: reader.defects.inOrder,
            refused: reader.refused,
            unsupported: reader.unsupported.errors.inOrder.filter { !reader.defects.contains($0) })
    }

    private init(
        _ root: ConfigurationNode, _ source: ConfigurationSource?, _ server: ServerChoice, unreadable: [String: String]
    ) {
        self.root = root
        self.server = server
        self.source = source
        reading = ConfigurationReading(source: source)
        fatal = ConfigurationReading(source: source)
        unsupported = ConfigurationReading(source: source)
        references = OpenAPIReferences(root: root.value, unreadable: unreadable)
    }

    /// Ends the reading of an operation, or of a part of the document, and returns its errors, which become defects.
    @discardableResult
    private mutating func setAside() -> [ConfigurationError] {
        let errors = reading.errors + bodyErrors
        guard !errors.isEmpty else { return [] }
        bodyErrors = []
        for error in errors where hasRoom && !defects.contains(error) { defects.append(error) }
        // Finding the position of an error needs another pass over the text.
        reading = ConfigurationReading(source: hasRoom ? source : nil)
        return errors
    }

    /// Whether more defects are listed.
    private var hasRoom: Bool { defects.count < ConfigurationReading.errorLimit }

    /// Notes a defect that does not prevent calling the operation.
    mutating func noteDefect(_ path: JSONPath, _ reason: String) {
        guard hasRoom else { return }
        let defect = ConfigurationError(path, reason, in: source)
        if !defects.contains(defect) { defects.append(defect) }
    }

    private mutating func definitions() -> [Definition] {
        guard checkVersion(), let object = root.value.objectValue else { return [] }
        noteUnknown(of: root, OpenAPIKeys.document)
        for key in ["webhooks", "x-webhooks"] where object.contains(key) {
            unsupported.note([.key(key)], "are requests to a program and are not read", atKey: true)
        }
        readSchemes()
        setAside()
        checkServers()
        setAside()
        var definitions: [Definition] = []
        if let paths = object["paths"] {
            let node = root.member("paths", paths)
            guard let items = paths.objectValue else {
                fatal.note(node.path, "must be an object of paths, not \(paths.kind)")
                return []
            }
            for (path, item) in items where !path.hasPrefix("x-") {
                definitions += operations(of: path, node.member(path, item))
                guard work <= OpenAPIReader.workLimit else {
                    fatal.note(node.path, "have schemas that are joined too many times: they are read too often")
                    return []
                }
                guard size <= OpenAPIReader.sizeLimit else {
                    fatal.note(
                        node.path, "has more than \(OpenAPIReader.sizeLimit) parameters in all its operations")
                    return []
                }
            }
        }
        checkReferences()
        setAside()
        return definitions
    }

    private mutating func checkVersion() -> Bool {
        guard let object = root.value.objectValue else {
            fatal.note([], "must be an object, not \(root.value.kind)")
            return false
        }
        if object.contains("swagger") {
            fatal.note(["swagger"], "is the version of a Swagger document; convert it to OpenAPI 3.0 or 3.1 first")
            return false
        }
        guard let version = object["openapi"]?.stringValue else {
            fatal.note(["openapi"], "must be the version of OpenAPI as a string, such as \"3.1.0\"")
            return false
        }
        let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].elementsEqual("3".utf8), let minor = Int(Substring(parts[1])) else {
            fatal.note(["openapi"], "must be 3.0 or 3.1; other versions are not read")
            return false
        }
        if minor > 1 { noteDefect(["openapi"], "is newer than 3.1, as which it is read; what is new is ignored") }
        return true
    }

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private mutating func operations(of path: String, _ item: ConfigurationNode) -> [Definition] {
        defer { setAside() }
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
        let generalErrors = setAside()
        var definitions: [Definition] = []
        for method in OpenAPIReader.methods {
            guard let value = object[method] else { continue }
            let own = node.member(method, value)
            var definition = Definition("\(method.uppercased()) \(path)")
            if let operation = references.resolve(own, &reading) {
                if operation.value.objectValue != nil {
                    definition = self.definition(path, method.uppercased(), operation, in: node, general)
                    size += definition.parameters.count
                } else {
                    reading.note(own.path, "must be an operation: an object, not \(operation.value.kind)")
                }
            }
            let errors = generalErrors + setAside()
            if errors.isEmpty {
                definitions.append(definition)
            } else {
                refused[definition.name] = Array(errors.prefix(OpenAPIReader.shownErrors))
            }
        }
        return definitions
    }

    /// The most errors that are kept for an operation that was left out.
    private static let shownErrors = 3

    private mutating func definition(
        _ path: String, _ method: String, _ node: ConfigurationNode, in item: ConfigurationNode,
        _ general: [DefinedParameter]
    ) -> Definition {
        noteUnknown(of: node, OpenAPIKeys.operation)
        let divided = DividedPath(path)
        var definition = Definition(name(of: node, method, path), path: divided.path, method: Method(method))
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
        setFixedQuery(divided, of: &definition, at: node.path)
        readResponse(of: node, into: &definition)
        readSecurity(of: node, into: &definition)
        if node.value["callbacks"] != nil {
            unsupported.note(
                node.path.appending("callbacks"), "are requests to a program and are not read", atKey: true)
        }
        definition.complete(at: node.path, &reading)
        return definition
    }

    private mutating func name(of node: ConfigurationNode, _ method: String, _ path: String) -> String {
        let usual = "\(method) \(path)"
        guard let value = node.value["operationId"] else { return usual }
        let location = node.path.appending("operationId")
        guard let id = value.stringValue, !id.isEmpty else {
            noteDefect(location, "must be a string that is not empty; the operation is called \(Printable.text(usual))")
            return usual
        }
        if names.insert(id).inserted { return id }
        noteDefect(
            location,
            "is the operationId of another operation too; this operation is called \(Printable.text(usual))")
        return usual
    }

    /// The most bytes of a summary that are kept, because many operations can refer to the same text.
    private static let summaryLimit = 240

    /// The first line of the summary or description.
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

    /// Notes keys that OpenAPI does not have. They are ignored, and may be misspelled.
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

extension [ConfigurationError] {
    /// The errors in the order of the text.
    var inOrder: [ConfigurationError] {
        sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
    }
}
