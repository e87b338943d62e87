import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// Reads from schemas what applies to values that people write: types, allowed values and defaults. The server checks
/// everything else.
extension OpenAPIReader {
    /// The most nested levels of `allOf`.
    private static let depthLimit = 16

    /// Sets the properties of a parameter that its schema describes.
    mutating func describe(_ parameter: inout DefinedParameter, by schema: ConfigurationNode) {
        guard mayRead() else { return }
        guard let node = references.resolve(schema, &reading) else { return }
        if case .bool = node.value { return }
        guard let object = node.value.objectValue else {
            reading.noteOnce(node.path, "must be a schema: an object, not \(node.value.kind)")
            return
        }
        let (kind, takesNull) = kind(of: node, depth: 0)
        parameter.kind = kind
        parameter.takesNull = takesNull
        if kind == .array, let items = object["items"],
            let node = references.resolve(node.member("items", items), &reading)
        {
            let (elements, _) = self.kind(of: node, depth: 0)
            parameter.elementKind = OpenAPIReader.isBinary(node.value) ? .file : elements
        }
        if let values = object["enum"] {
            if let list = values.arrayValue {
                work += list.count
                // A value that the type does not allow can never be sent.
                parameter.values = list.filter { kind.takes($0) }
                if list.contains(where: \.isNull) { parameter.takesNull = true }
            } else {
                reading.noteOnce(node.path.appending("enum"), "must be a list of values, not \(values.kind)")
            }
        }
        if let value = object["const"] { parameter.values = [value] }
        if parameter.documentation.isEmpty { parameter.documentation = OpenAPIReader.summary(of: node.value) ?? "" }
        if object["deprecated"]?.boolValue == true { parameter.isDeprecated = true }
    }

    /// False if the document takes too long to read, which is an error of the whole document.
    private mutating func mayRead() -> Bool {
        work += 1
        return work <= OpenAPIReader.workLimit
    }

    static func isBinary(_ schema: JSONValue) -> Bool {
        if let format = schema["format"]?.stringValue { return format == "binary" }
        // OpenAPI 3.1 §4.8.14.2: binary data has no type, but a media type.
        return schema["type"] == nil && schema["contentMediaType"] != nil
            || schema["contentMediaType"]?.stringValue == "application/octet-stream"
    }

    /// The single type of a schema, or `any`.
    mutating func kind(of node: ConfigurationNode, depth: Int) -> (DefinedParameter.Kind, takesNull: Bool) {
        guard let object = node.value.objectValue, mayRead() else { return (.any, true) }
        var takesNull = object["nullable"]?.boolValue ?? false
        switch object["type"] {
        case .string(let word)?:
            if word == "null" { return (.any, true) }
            guard let kind = OpenAPIReader.kind(word) else {
                reading.noteOnce(node.path.appending("type"), OpenAPIReader.unknownType(word))
                return (.any, takesNull)
            }
            return (kind, takesNull)
        case .array(let words)?:
            var kinds: Set<DefinedParameter.Kind> = []
            for (index, word) in words.enumerated() {
                if word.stringValue == "null" {
                    takesNull = true
                } else if let kind = word.stringValue.flatMap({ OpenAPIReader.kind($0) }) {
                    kinds.insert(kind)
                } else {
                    reading.noteOnce(
                        node.path.appending("type").appending(.index(index)),
                        OpenAPIReader.unknownType(word.stringValue ?? ""))
                }
            }
            if kinds == [.integer, .number] { return (.number, takesNull) }
            return (kinds.count == 1 ? kinds.first ?? .any : .any, takesNull)
        case let other?:
            reading.noteOnce(
                node.path.appending("type"), "must be the name of a type or a list of them, not \(other.kind)")
            return (.any, takesNull)
        case nil: break
        }
        if object.contains("properties") { return (.object, takesNull) }
        if object.contains("items") { return (.array, takesNull) }
        guard depth < OpenAPIReader.depthLimit else { return (.any, true) }
        if let (kind, null) = kindOfChoices(in: node, depth: depth) { return (kind, takesNull || null) }
        guard let parts = object["allOf"]?.arrayValue else { return (.any, true) }
        let list = node.path.appending("allOf")
        for (index, part) in parts.prefix(64).enumerated() {
            let own = ConfigurationNode(value: part, path: list.appending(.index(index)))
            guard let part = references.resolve(own, &reading) else { continue }
            let (kind, null) = kind(of: part, depth: depth + 1)
            if kind != .any { return (kind, takesNull || null) }
        }
        return (.any, true)
    }

    /// The single type of all schemas of `anyOf` or `oneOf` except null, by which OpenAPI 3.1 writes nullable values.
    private mutating func kindOfChoices(
        in node: ConfigurationNode, depth: Int
    ) -> (DefinedParameter.Kind, takesNull: Bool)? {
        for key in ["anyOf", "oneOf"] {
            guard let parts = node.value[key]?.arrayValue else { continue }
            let list = node.path.appending(.key(key))
            var kinds: Set<DefinedParameter.Kind> = []
            var takesNull = false
            for (index, part) in parts.prefix(64).enumerated() {
                let own = ConfigurationNode(value: part, path: list.appending(.index(index)))
                guard let part = references.resolve(own, &reading) else { continue }
                if part.value["type"]?.stringValue == "null" {
                    takesNull = true
                } else {
                    kinds.insert(kind(of: part, depth: depth + 1).0)
                }
            }
            if kinds.count == 1, let kind = kinds.first, kind != .any { return (kind, takesNull) }
        }
        return nil
    }

    private static func kind(_ word: String) -> DefinedParameter.Kind? {
        let kinds: [DefinedParameter.Kind] = [.string, .integer, .number, .boolean, .array, .object]
        return kinds.first { $0.rawValue == word }
    }

    private static func unknownType(_ word: String) -> String {
        unknown("type", word, known: ["string", "integer", "number", "boolean", "array", "object", "null"])
    }

    /// The properties of an object schema, including those of the schemas in its `allOf`.
    mutating func properties(of node: ConfigurationNode) -> [DefinedParameter] {
        if let known = bodies[node.path] {
            bodyErrors += known.errors
            return known.properties
        }
        // Errors that were noted before would not be noted again.
        let isFirst = reading.errors.isEmpty && bodyErrors.isEmpty
        var collected = Properties()
        collect(node, into: &collected, depth: 0)
        let properties = collected.names.compactMap { name -> DefinedParameter? in
            guard var parameter = collected.parameters[name] else { return nil }
            parameter.isRequired = collected.required.contains(name)
            return parameter
        }
        if isFirst { bodies[node.path] = (properties, reading.errors) }
        return properties
    }

    private struct Properties {
        var names: [String] = []
        var parameters: [String: DefinedParameter] = [:]
        var required: Set<String> = []
        var visits = 0
    }

    private mutating func collect(_ node: ConfigurationNode, into collected: inout Properties, depth: Int) {
        guard let object = node.value.objectValue, mayRead() else { return }
        collected.visits += 1
        guard depth < OpenAPIReader.depthLimit, collected.visits <= 256 else {
            reading.noteOnce(node.path, "is joined (allOf) from too many schemas, or from itself")
            return
        }
        if let required = object["required"]?.arrayValue {
            for name in required { if let name = name.stringValue { collected.required.insert(name) } }
        }
        if let parts = object["allOf"]?.arrayValue {
            let list = node.path.appending("allOf")
            for (index, part) in parts.enumerated() {
                let own = ConfigurationNode(value: part, path: list.appending(.index(index)))
                if let part = references.resolve(own, &reading) { collect(part, into: &collected, depth: depth + 1) }
            }
        }
        guard let properties = object["properties"] else { return }
        let list = node.member("properties", properties)
        guard let members = properties.objectValue else {
            reading.noteOnce(list.path, "must be an object of schemas, not \(properties.kind)")
            return
        }
        guard members.count + collected.names.count <= DefinedParameter.countLimit else {
            reading.noteOnce(list.path, "has more than \(DefinedParameter.countLimit) properties")
            return
        }
        for (name, schema) in members where !name.isEmpty {
            let own = list.member(name, schema)
            guard let node = references.resolve(own, &reading) else { continue }
            if node.value["readOnly"]?.boolValue == true || schema["readOnly"]?.boolValue == true {
                collected.required.remove(name)
                continue
            }
            var parameter = DefinedParameter(name, .body)
            parameter.documentation = OpenAPIReader.summary(of: schema) ?? ""
            describe(&parameter, by: own)
            if OpenAPIReader.isBinary(node.value), parameter.kind != .array { parameter.kind = .file }
            if collected.parameters.updateValue(parameter, forKey: name) == nil { collected.names.append(name) }
        }
    }
}
