import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

extension OpenAPIReader {
    /// The parameters of an operation or of a path.
    mutating func parameters(of node: ConfigurationNode) -> [DefinedParameter] {
        guard let value = node.value["parameters"] else { return [] }
        let list = node.member("parameters", value)
        guard let values = value.arrayValue else {
            reading.noteOnce(list.path, "must be a list of parameters, not \(value.kind)")
            return []
        }
        guard values.count <= DefinedParameter.countLimit else {
            reading.noteOnce(list.path, "has more than \(DefinedParameter.countLimit) parameters")
            return []
        }
        var parameters: [DefinedParameter] = []
        var known: [PlaceAndName: JSONValue] = [:]
        for (index, value) in values.enumerated() {
            let own = ConfigurationNode(value: value, path: list.path.appending(.index(index)))
            guard let node = references.resolve(own, &reading), let parameter = parameter(node) else { continue }
            switch known.updateValue(node.value, forKey: PlaceAndName(parameter)) {
            case nil: parameters.append(parameter)
            case node.value?: noteDefect(own.path, "is the second parameter of this name and place")
            default: reading.noteOnce(own.path, "is the second parameter of this name and place, and not the same")
            }
        }
        return parameters
    }

    /// The parameter; nil if it is ignored or has an error.
    private mutating func parameter(_ node: ConfigurationNode) -> DefinedParameter? {
        guard let object = node.value.objectValue else {
            reading.noteOnce(node.path, "must be a parameter: an object, not \(node.value.kind)")
            return nil
        }
        noteUnknown(of: node, OpenAPIKeys.parameter)
        guard let name = object["name"]?.stringValue, !name.isEmpty else {
            reading.noteOnce(node.path.appending("name"), "must be the name of the parameter")
            return nil
        }
        let places: [DefinedParameter.Place] = [.path, .query, .header, .cookie]
        guard let word = object["in"]?.stringValue, let place = places.first(where: { $0.rawValue == word }) else {
            reading.noteOnce(node.path.appending("in"), "must be path, query, header or cookie")
            return nil
        }
        var parameter = DefinedParameter(name, place)
        if place == .header {
            // OpenAPI §4.8.12.2.1: such parameters are ignored.
            if [.accept, .contentType, .authorization].contains(FieldName(name)) { return nil }
            guard KernelSettings.isHeaderName(name) else {
                reading.noteOnce(
                    node.path.appending("name"), "is not the name of a header field that requests can have")
                return nil
            }
        }
        if place == .cookie, !Method(name).isValid {
            reading.noteOnce(node.path.appending("name"), "is not the name of a cookie: a token of RFC 6265")
            return nil
        }
        parameter.isRequired = flag("required", of: node) || place == .path
        parameter.isDeprecated = flag("deprecated", of: node)
        parameter.allowsReserved = flag("allowReserved", of: node)
        parameter.documentation = OpenAPIReader.summary(of: node.value) ?? ""
        if let content = object["content"] {
            readContent(node.member("content", content), into: &parameter)
        } else {
            readStyle(of: node, into: &parameter)
            if let schema = object["schema"] { describe(&parameter, by: node.member("schema", schema)) }
        }
        return parameter
    }

    private mutating func readStyle(of node: ConfigurationNode, into parameter: inout DefinedParameter) {
        let place = parameter.place ?? .query
        let usual: DefinedParameter.Style = place == .path || place == .header ? .simple : .form
        parameter.style = usual
        if let value = node.value["style"] {
            let known = DefinedParameter.Style.allCases.filter { $0 != .json && $0.places.contains(place) }
            if let style = known.first(where: { $0.rawValue == value.stringValue }) {
                parameter.style = style
            } else {
                reading.noteOnce(
                    node.path.appending("style"),
                    "must be a style of parameters in \(place.rawValue): "
                        + known.map(\.rawValue).joined(separator: ", "))
            }
        }
        if node.value["explode"] != nil { parameter.explodes = flag("explode", of: node) }
    }

    /// Reads a parameter whose value is serialized by a media type (`content`).
    private mutating func readContent(_ node: ConfigurationNode, into parameter: inout DefinedParameter) {
        guard let types = node.value.objectValue, types.count == 1,
            let (type, media) = types.first(where: { _ in true })
        else {
            reading.noteOnce(node.path, "must be an object with one media type")
            return
        }
        let isJSON = JSONParser.isJSON(type)
        parameter.style = isJSON ? .json : parameter.place == .query || parameter.place == .cookie ? .form : .simple
        if isJSON, let schema = media["schema"] {
            describe(&parameter, by: node.member(type, media).member("schema", schema))
        } else if !isJSON {
            parameter.kind = .string
            unsupported.noteOnce(
                node.path.appending(.key(type)),
                "is not written by Plugboard; give the parameter as a text in this form",
                atKey: true)
        }
    }

    struct PlaceAndName: Hashable {
        let place: DefinedParameter.Place?
        let name: String

        init(_ parameter: DefinedParameter) {
            place = parameter.place
            name = parameter.sentName
        }
    }

    /// Makes the names of parameters unique: the second parameter with a name is called `PLACE.name`.
    static func distinct(_ parameters: [DefinedParameter]) -> [DefinedParameter] {
        var known: Set<String> = []
        return parameters.map { parameter in
            var parameter = parameter
            if !known.insert(parameter.name).inserted {
                parameter.name = "\(parameter.place?.rawValue ?? "query").\(parameter.name)"
                known.insert(parameter.name)
            }
            return parameter
        }
    }
}
