import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// The keys of a definition in a file. Each key changes the value of the refined definition.
extension Definition {
    static let keys: [ConfigurationKey<Definition>] =
        requestKeys + authorizationKeys + codecKeys + responseKeys + sendingKeys + generalKeys

    /// The key by which a definition names the one that it refines.
    static let refinesKey = "refines"

    private static let requestKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey("description", "One line for people.", .text, \.documentation),
        ConfigurationKey(
            "deprecated", "Whether it should no longer be used.", .flag.by(default: false), \.isDeprecated),
        // Read before the others, by `DefinitionsReader`.
        ConfigurationKey(
            refinesKey, "The definition whose keys this one has too; DEFAULT, if there is one.",
            schema: ["type": "string"], read: { _, _, _ in }),
        ConfigurationKey(
            "base", "The absolute URL that the path begins at; the client's base URL by default.",
            .word("an absolute URL of http or https, without a user") { KernelSettings.isBaseURL($0) }, \.base),
        ConfigurationKey("pathPrefix", "Stands between the base and the path.", .text, \.pathPrefix),
        ConfigurationKey(
            "path", "The path from the base, in which {name} stands for the parameter name.",
            .word("a path, such as boards/{board}/topics") { _ in true }, \.path),
        ConfigurationKey(
            "method", "The method, such as GET or POST.", ConfigurationShape<Method>.method.by(default: "GET"), \.method
        ),
        ConfigurationKey(fields: "headers", "Header fields; null removes one of the refined definition.", \.fields),
        ConfigurationKey(
            values: "query", "Parameters of the query with fixed values; null removes one of the refined definition.",
            \.query),
        ConfigurationKey(
            "parameters",
            "What a call may give: a place (path, query, header, cookie, body), or an object, by the parameter's name; "
                + "null removes one of the refined definition.",
            schema: DefinedParameter.tableSchema, read: DefinedParameter.readTable),
        ConfigurationKey(
            "otherParameters", "Whether a call may give parameters that are not listed; true if none are listed.",
            .flag, \.takesOtherParameters),
    ]

    private static let authorizationKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey(
            "authorization",
            "Whether requests need authorization; false sends them without the credentials of the plugin "
                + "authentication.", .flag, \.needsAuthorization),
        ConfigurationKey(
            fields: "authorizationHeaders", "Header fields of requests whose authorization is true.",
            \.authorizationFields),
        ConfigurationKey(
            values: "authorizationQuery", "Parameters of the query of requests whose authorization is true.",
            \.authorizationQuery),
    ]

    private static let codecKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey(
            "requestCodec", "The codec that writes the parameters as a body, such as json or form.",
            .word("the name of a codec") { _ in true }, \.requestCodec),
        ConfigurationKey(
            "responseCodec", "The codec that reads the response; by its content type if left out.",
            .word("the name of a codec") { _ in true }, \.responseCodec),
    ]

    private static let responseKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey(
            "response", "What is expected: none, raw, object or list.", .choice(), \.response),
        ConfigurationKey(
            "responseType", "The name of the type of the response's value, or of each element of its list.",
            .word("the name of a type") { _ in true }, \.responseType),
        ConfigurationKey(
            "acceptableTypes", "The media types that the response may have, such as application/json.",
            .list(.mediaType), \.acceptableTypes),
        ConfigurationKey(
            "acceptableStatuses", "The statuses that the response may have: 200, \"2xx\" or \"200-204\".",
            .list(.statuses, #"a list of statuses, such as ["2xx", 404]"#), \.acceptableStatuses),
        ConfigurationKey(
            "schema", "The JSON Schema of the response, which the plugin validator checks.",
            schema: ["type": ["object", "boolean"]]
        ) { node, definition, reading in
            switch node.value {
            case .object, .bool: definition.setValidation(.schema(node.value), node, &reading)
            default: reading.note(node.path, "must be a JSON Schema: an object, true or false, not \(node.value.kind)")
            }
        },
        ConfigurationKey(
            "shape", "The shape of the response, which the plugin validator checks; it replaces a schema.",
            schema: ["type": ["object", "array", "string"]]
        ) { node, definition, reading in
            switch node.value {
            case .object, .array, .string:
                do throws(ShapeError) {
                    definition.setValidation(
                        .shape(try Shape(node.value, at: node.path)), node, &reading)
                } catch {
                    reading.note(error.path, error.reason)
                }
            default: reading.note(node.path, "must be a shape: an object, an array or a word, not \(node.value.kind)")
            }
        },
        ConfigurationKey(
            "downloadPath", "The file that the response's body is written to, or its folder.", .path, \.downloadPath),
    ]

    private static let sendingKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey(
            "timeout", "The longest that it may take, redirects, retries and the body's end included.", .timeout,
            \.options.timeout),
        ConfigurationKey(
            "connectTimeout", "The longest that name look-up, connection and TLS of one attempt may take.", .timeout,
            \.options.connectTimeout),
        ConfigurationKey(
            "idleTimeout", "The longest time without a byte in either direction while one is awaited.", .timeout,
            \.options.idleTimeout),
        ConfigurationKey(
            "attemptTimeout", "The longest that one attempt may take, its body included.", .timeout,
            \.options.attemptTimeout),
        ConfigurationKey(
            "cache",
            "For the plugin cache.",
            members: [
                ConfigurationKey("time", "How long the response is fresh.", .timeout, \.cacheTime),
                ConfigurationKey(
                    "version", "Responses that were kept under another version are not used.", .text, \.cacheVersion),
            ]),
        ConfigurationKey(
            "attributes", "What requests say to plugins, by the plugins' ids, as in the section of an origin.",
            schema: ["type": "object", "additionalProperties": ["type": "object"]]
        ) { node, definition, reading in
            let attributes = Configuration.readAttributes(node, &reading)
            for (name, value) in attributes.values { definition.attributes[name] = value }
        },
    ]

    private static let generalKeys: [ConfigurationKey<Definition>] = [
        ConfigurationKey("tag", "A tag, by which calls are found and cancelled.", .text, \.tag),
        ConfigurationKey("group", "A group, by which calls are found and cancelled.", .text, \.group),
        ConfigurationKey("category", "A category, by which calls are found and cancelled.", .text, \.category),
        ConfigurationKey(
            "userInfo", "Texts for the program's own use.",
            schema: ["type": "object", "additionalProperties": ["type": "string"]]
        ) { node, definition, reading in
            let texts = ConfigurationShape<[String: String]>.map("a name", key: { $0 }, .text).read(node, &reading)
            for (name, value) in texts ?? [:] { definition.userInfo[name] = value }
        },
        ConfigurationKey("cdn", "Whether the path begins at the client's CDN.", .flag.by(default: false), \.usesCDN),
        ConfigurationKey(
            "generalHeaders", "Whether requests have the client's general header fields.", .flag.by(default: true),
            \.usesGeneralFields),
        ConfigurationKey(
            "generalParameters", "Whether requests have the client's general parameters.", .flag.by(default: true),
            \.usesGeneralParameters),
        ConfigurationKey(
            "generalUserInfo", "Whether calls have the client's general user info.", .flag.by(default: true),
            \.usesGeneralUserInfo),
    ]
}

extension Definition {
    /// The most bytes of a schema or shape, which leaves room for the other attributes of a request.
    private static let validationLimit = Attributes.byteLimit * 7 / 8

    fileprivate mutating func setValidation(
        _ validation: ResponseValidation, _ node: ConfigurationNode, _ reading: inout ConfigurationReading
    ) {
        guard validation.byteCount <= Definition.validationLimit else {
            reading.note(
                node.path,
                "is larger than the \(Definition.validationLimit) bytes that a request can carry; register it in the "
                    + "setting documents of validator and write {\"$ref\": URI}")
            return
        }
        self.validation = validation
    }
}

extension ConfigurationKey<Definition> {
    /// Header fields by their names.
    fileprivate init(
        fields name: String, _ documentation: String, _ location: WritableKeyPath<Definition, Fields> & Sendable
    ) {
        self.init(
            name, documentation,
            schema: ["type": "object", "additionalProperties": ["type": ["string", "null"]]]
        ) { node, definition, reading in
            guard let object = node.value.objectValue else {
                reading.note(node.path, "must be an object, not \(node.value.kind)")
                return
            }
            var known: Set<FieldName> = []
            for (name, value) in object {
                let member = node.member(name, value)
                guard KernelSettings.isHeaderName(name) else {
                    reading.note(
                        member.path, "is not the name of a header field that requests can have", atKey: true)
                    continue
                }
                guard known.insert(FieldName(name)).inserted else {
                    reading.note(member.path, "is the same as another key, written in another form", atKey: true)
                    continue
                }
                switch value {
                case .null: definition[keyPath: location][FieldName(name)] = nil
                case .string(let text) where KernelSettings.isHeaderValue(text):
                    definition[keyPath: location][FieldName(name)] = text
                case .string: reading.note(member.path, "must be a string without line breaks")
                default: reading.note(member.path, "must be a string, not \(value.kind)")
                }
            }
        }
    }

    /// Values by their names.
    fileprivate init(
        values name: String, _ documentation: String, _ location: WritableKeyPath<Definition, JSONObject> & Sendable
    ) {
        self.init(name, documentation, schema: ["type": "object"]) { node, definition, reading in
            guard let object = node.value.objectValue else {
                reading.note(node.path, "must be an object, not \(node.value.kind)")
                return
            }
            // The refined object may be shared, and removing a member takes linear time.
            var values = definition[keyPath: location]
            if object.contains(where: { $0.value.isNull && values.contains($0.key) }) {
                values = JSONObject(
                    values.lazy.filter { !(object[$0.key]?.isNull ?? false) }.map { ($0.key, $0.value) })
            }
            for (name, value) in object where !value.isNull { values[name] = value }
            definition[keyPath: location] = values
        }
    }
}

extension ConfigurationShape where Value == Method {
    fileprivate static var method: Self {
        Self("the name of a method, such as POST", schema: ["type": "string"]) { value in
            value.stringValue.map { Method($0) }.flatMap { $0.isValid ? $0 : nil }
        }
    }
}

extension ConfigurationShape where Value == String {
    fileprivate static var mediaType: Self {
        word("a media type, such as application/json") { text in
            let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains(UInt8(ascii: ";")) }
        }
    }
}

extension ConfigurationShape where Value == ClosedRange<Int> {
    fileprivate static var statuses: Self {
        Self(
            "a status, such as 200, \"2xx\" or \"200-204\"", schema: ["type": ["integer", "string"]]
        ) { value in
            if let status = value.numberValue?.integer(Int.self) {
                return (100...999).contains(status) ? status...status : nil
            }
            return value.stringValue.flatMap { ClosedRange(statuses: $0) }
        }
    }
}

extension ClosedRange<Int> {
    /// `2xx`, `204` or `200-204`.
    init?(statuses text: String) {
        let bytes = Array(text.utf8)
        func number(_ part: ArraySlice<UInt8>) -> Int? {
            guard part.count == 3, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            let number = part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            return number >= 100 ? number : nil
        }
        if bytes.count == 3, (0x31...0x39).contains(bytes[0]), bytes[1] | 0x20 == 0x78, bytes[2] | 0x20 == 0x78 {
            let first = Int(bytes[0] - 0x30) * 100
            self = first...first + 99
        } else if let status = number(bytes[...]) {
            self = status...status
        } else if bytes.count == 7, bytes[3] == UInt8(ascii: "-"), let low = number(bytes[..<3]),
            let high = number(bytes[4...]), low <= high
        {
            self = low...high
        } else {
            return nil
        }
    }
}
