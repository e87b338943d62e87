import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// The keys of a parameter in a file.
extension DefinedParameter {
    static let keys: [ConfigurationKey<DefinedParameter>] = [
        ConfigurationKey("in", "path, query, header, cookie or body.", .choice(), \.place),
        ConfigurationKey("name", "The name that is sent, if it is another.", .word("a name") { _ in true }, \.sentName),
        ConfigurationKey(
            "type", "any, string, integer, number, boolean, array, object, or file: the path of a file to send.",
            .choice().by(default: "any"), \.kind),
        ConfigurationKey(
            "elements", "The type of the elements of an array.", .choice().by(default: "any"), \.elementKind),
        ConfigurationKey(
            "values", "The only values that it may have.", schema: ["type": "array"]
        ) { node, parameter, reading in
            guard let values = node.value.arrayValue else {
                reading.note(node.path, "must be a list of values, not \(node.value.kind)")
                return
            }
            guard values.count <= 10_000 else {
                reading.note(node.path, "has more than 10000 values")
                return
            }
            parameter.values = values
        },
        ConfigurationKey("nullable", "Whether it may be null too.", .flag.by(default: false), \.takesNull),
        ConfigurationKey("required", "Whether a call must give it.", .flag.by(default: false), \.isRequired),
        ConfigurationKey(
            "default", "What is sent if a call does not give it.", schema: [:]
        ) { node, parameter, _ in parameter.fallback = node.value },
        ConfigurationKey(
            "style",
            "How lists and objects are written: simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject, "
                + "json; as the client writes parameters if left out.", .choice(), \.style),
        ConfigurationKey(
            "explode", "Whether each element is written by itself; true for form and deepObject if left out.", .flag,
            \.explodes),
        ConfigurationKey(
            "allowReserved", "Sends characters that have a meaning in URLs as they are.", .flag.by(default: false),
            \.allowsReserved),
        ConfigurationKey("description", "One line for people.", .text, \.documentation),
        ConfigurationKey(
            "deprecated", "Whether it should no longer be given.", .flag.by(default: false), \.isDeprecated),
    ]

    /// The most parameters of one definition. There is a limit because they are searched linearly.
    static let countLimit = 1000

    static let tableSchema: JSONObject = [
        "type": "object",
        "additionalProperties": [
            "anyOf": [
                ["type": "null"], ["type": "string", "enum": .array(Place.allCases.map { .string($0.rawValue) })],
                .object(ConfigurationKey.schema(of: keys)),
            ]
        ],
    ]

    /// Reads the parameters of a definition into those of the definition that it refines.
    @Sendable static func readTable(
        _ node: ConfigurationNode, into definition: inout Definition, _ reading: inout ConfigurationReading
    ) {
        guard let object = node.value.objectValue else {
            reading.note(node.path, "must be an object of parameters, not \(node.value.kind)")
            return
        }
        guard object.count + definition.parameters.count <= countLimit else {
            reading.note(node.path, "has more than \(countLimit) parameters")
            return
        }
        for (name, value) in object {
            let member = node.member(name, value)
            let index = definition.parameters.firstIndex { $0.name == name }
            guard !name.isEmpty else {
                reading.note(member.path, "is a parameter without a name", atKey: true)
                continue
            }
            if value.isNull {
                if let index { definition.parameters.remove(at: index) }
                continue
            }
            let parameter = read(
                member, onto: index.map { definition.parameters[$0] } ?? DefinedParameter(name), &reading)
            if let index {
                definition.parameters[index] = parameter
            } else {
                definition.parameters.append(parameter)
            }
        }
    }

    private static func read(
        _ node: ConfigurationNode, onto refined: DefinedParameter, _ reading: inout ConfigurationReading
    ) -> DefinedParameter {
        var parameter = refined
        switch node.value {
        case .string:
            parameter.place = ConfigurationShape<Place>.choice().read(node, &reading) ?? parameter.place
        case .object:
            reading.readMembers(of: node, keys, into: &parameter)
        default:
            reading.note(
                node.path, "must be a place (path, query, header, cookie, body) or an object, not \(node.value.kind)")
        }
        parameter.check(node, &reading)
        return parameter
    }

    /// Notes keys that contradict each other.
    private func check(_ node: ConfigurationNode, _ reading: inout ConfigurationReading) {
        if let style {
            let place = place ?? .query
            if !style.places.contains(place) {
                let known = Style.allCases.filter { $0.places.contains(place) }.map(\.rawValue)
                let words = known.isEmpty ? "there is none" : "known are \(known.joined(separator: ", "))"
                reading.note(
                    node.path.appending("style"), "is not a style of parameters in \(place.rawValue); \(words)")
            }
        }
        if place == .header, !KernelSettings.isHeaderName(sentName) {
            reading.note(node.path, "is not the name of a header field that requests can have", atKey: true)
        }
        if place == .cookie, !Method(sentName).isValid {
            reading.note(node.path, "is not the name of a cookie: a token of RFC 6265", atKey: true)
        }
        for (index, value) in values.enumerated() where !kind.takes(value) {
            reading.note(
                node.path.appending("values").appending(.index(index)), "must be \(kind.words), not \(value.kind)")
        }
        if let fallback, let error = error(in: fallback) {
            reading.note(node.path.appending("default"), error)
        }
    }
}

extension DefinedParameter.Style {
    /// The places that OpenAPI allows for the style.
    var places: Set<DefinedParameter.Place> {
        switch self {
        case .simple: [.path, .header]
        case .label, .matrix: [.path]
        case .form: [.query, .cookie]
        case .spaceDelimited, .pipeDelimited, .deepObject: [.query]
        case .json: [.path, .query, .header, .cookie]
        }
    }
}
