import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

extension OpenAPIReader {
    /// Sets the body of an operation's requests, and the parameters that are members of the body.
    mutating func readBody(_ own: ConfigurationNode, into definition: inout Definition) {
        guard let node = references.resolve(own, &reading) else { return }
        noteUnknown(of: node, OpenAPIKeys.requestBody)
        let list = node.member("content", node.value["content"] ?? .null)
        guard let types = list.value.objectValue, !types.isEmpty, types.count <= 100 else {
            reading.noteOnce(list.path, "must be an object of media types")
            return
        }
        let isRequired = flag("required", of: node)
        guard let (type, form) = OpenAPIReader.preferred(Array(types.keys)) else { return }
        let media = list.member(type, types[type] ?? .null)
        var body = DefinedBody(form, contentType: type, isRequired: isRequired, isObject: false)
        if type.utf8.contains(UInt8(ascii: "*")) { body.contentType = "application/octet-stream" }
        defer { definition.body = body }
        guard form != .text, form != .raw, let value = media.value["schema"],
            let schema = references.resolve(media.member("schema", value), &reading)
        else {
            body.isObject = form == .form || form == .multipart || form == .json && media.value["schema"] == nil
            definition.takesOtherParameters = body.isObject
            return
        }
        let kind = kind(of: schema, depth: 0).0
        body.isObject = kind == .object || kind == .any
        guard body.isObject else { return }
        var properties = properties(of: schema)
        let isOpen = OpenAPIReader.isOpen(schema.value) || properties.isEmpty
        definition.takesOtherParameters = isOpen
        readEncoding(of: media, into: &properties, form)
        for index in properties.indices where properties[index].kind == .file && form != .multipart {
            properties[index].kind = .string
        }
        definition.parameters += properties
    }

    /// Whether an object may have members that its schema does not list.
    private static func isOpen(_ schema: JSONValue) -> Bool {
        switch schema["additionalProperties"] {
        case .bool(let isOpen)?: isOpen
        case .object?: true
        default: schema["oneOf"] != nil || schema["anyOf"] != nil
        }
    }

    /// The media type that Plugboard writes best; the first of those that it writes as bytes.
    static func preferred(_ types: [String]) -> (type: String, form: DefinedBody.Form)? {
        let ranked = types.map { type -> (type: String, form: DefinedBody.Form, rank: Int) in
            let word = type.prefix { $0 != ";" && $0 != " " }.lowercased()
            return switch word {
            case "application/json": (type, .json, 0)
            case _ where JSONParser.isJSON(word): (type, .json, 1)
            case "application/x-www-form-urlencoded": (type, .form, 2)
            case "multipart/form-data": (type, .multipart, 3)
            case _ where word.hasPrefix("text/"): (type, .text, 4)
            default: (type, .raw, 5)
            }
        }
        return ranked.min { $0.rank < $1.rank }.map { ($0.type, $0.form) }
    }

    /// Reads how properties of forms are written.
    private mutating func readEncoding(
        of media: ConfigurationNode, into properties: inout [DefinedParameter], _ form: DefinedBody.Form
    ) {
        for index in properties.indices where form == .form {
            // OpenAPI §4.8.15.1: lists are repeated, and objects are JSON.
            properties[index].style = properties[index].kind == .object ? .json : .form
        }
        guard form != .json, let value = media.value["encoding"] else { return }
        let list = media.member("encoding", value)
        guard let object = value.objectValue else {
            reading.noteOnce(list.path, "must be an object, not \(value.kind)")
            return
        }
        let indices = Dictionary(uniqueKeysWithValues: properties.indices.map { (properties[$0].sentName, $0) })
        for (name, encoding) in object {
            let node = list.member(name, encoding)
            guard let index = indices[name] else {
                unsupported.noteOnce(node.path, "is not a property of the body and is ignored", atKey: true)
                continue
            }
            if encoding["headers"] != nil {
                unsupported.noteOnce(node.path.appending("headers"), "of a part are not sent", atKey: true)
            }
            if let type = encoding["contentType"]?.stringValue { properties[index].contentType = type }
            if let style = encoding["style"] {
                let known: [DefinedParameter.Style] = [.form, .spaceDelimited, .pipeDelimited, .deepObject]
                if let style = known.first(where: { $0.rawValue == style.stringValue }) {
                    properties[index].style = style
                } else {
                    reading.noteOnce(
                        node.path.appending("style"),
                        "must be one of \(known.map(\.rawValue).joined(separator: ", "))")
                }
            }
            if encoding["explode"] != nil { properties[index].explodes = flag("explode", of: node) }
            if encoding["allowReserved"] != nil { properties[index].allowsReserved = flag("allowReserved", of: node) }
        }
    }

    /// Sets the expected content, from the first successful response.
    mutating func readResponse(of node: ConfigurationNode, into definition: inout Definition) {
        guard let value = node.value["responses"] else { return }
        let list = node.member("responses", value)
        guard let responses = value.objectValue else {
            reading.noteOnce(list.path, "must be an object of responses by status, not \(value.kind)")
            return
        }
        let successes = responses.keys.filter { $0.utf8.first == UInt8(ascii: "2") }.sorted()
        var types: [String] = []
        for status in successes.prefix(20) {
            let own = list.member(status, responses[status] ?? .null)
            guard let response = references.resolve(own, &reading) else { continue }
            let content = response.member("content", response.value["content"] ?? .null)
            for (type, media) in content.value.objectValue ?? [:] {
                if !types.contains(type), types.count < 20 { types.append(type) }
                guard definition.response == nil, JSONParser.isJSON(type), let schema = media["schema"] else {
                    continue
                }
                setShape(of: &definition, by: content.member(type, media).member("schema", schema))
            }
        }
        if !successes.isEmpty, types.isEmpty { definition.response = Definition.Expectation.none }
        let accepted = types.filter { KernelSettings.isHeaderValue($0) }
        if !accepted.isEmpty { definition.fields[.accept] = accepted.joined(separator: ", ") }
    }

    private mutating func setShape(of definition: inout Definition, by schema: ConfigurationNode) {
        guard let node = references.resolve(schema, &reading) else { return }
        var named = schema
        switch kind(of: node, depth: 0).0 {
        case .array:
            definition.response = .list
            guard let items = node.value["items"] else { return }
            named = node.member("items", items)
        case .object: definition.response = .object
        default: break
        }
        // The name of the schema is the name of the type.
        guard let reference = OpenAPIReferences.reference(in: named.value) else { return }
        let parts = reference.utf8.split(separator: UInt8(ascii: "/"))
        guard parts.count == 4, parts[2].elementsEqual("schemas".utf8) else { return }
        definition.responseType = String(Substring(parts[3]))
        definition.isResponseTypeOptional = true
    }
}
