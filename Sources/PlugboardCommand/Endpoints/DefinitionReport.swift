import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import PlugboardKit

/// What the command shows of a definition.
struct DefinitionReport {
    private let definition: Definition

    init(_ definition: Definition) { self.definition = definition }

    /// The text for people: method and URL, then a line for each parameter.
    var text: String {
        var lines = ["\(definition.method.name) \(definition.urlTemplate)"]
        if !definition.documentation.isEmpty { lines.append(definition.documentation) }
        if definition.isDeprecated { lines.append("deprecated") }
        var text = lines.map { Printable.text($0) + "\n" }.joined()
        if !definition.parameters.isEmpty {
            text += "\n" + Table(rows: definition.parameters.map { row(of: $0) }).text
        }
        let facts = facts.map { Printable.text($0) + "\n" }.joined()
        return text + (facts.isEmpty ? "" : "\n" + facts)
    }

    private func row(of parameter: DefinedParameter) -> [String] {
        var notes: [String] = []
        if parameter.isRequired { notes.append("required") }
        if let fallback = parameter.fallback { notes.append("default \(shown(fallback))") }
        if parameter.isDeprecated { notes.append("deprecated") }
        if !parameter.values.isEmpty {
            notes.append("one of " + parameter.values.prefix(12).map(shown).joined(separator: ", "))
        }
        let kind =
            parameter.kind == .array && parameter.elementKind != .any
            ? "array of \(parameter.elementKind.rawValue)" : parameter.kind.rawValue
        return [
            "  \(parameter.name)", parameter.place?.rawValue ?? "", kind, notes.joined(separator: "; "),
            parameter.documentation,
        ]
    }

    private func shown(_ value: JSONValue) -> String { value.stringValue ?? value.description }

    private var facts: [String] {
        var facts: [String] = []
        if let body = definition.body {
            facts.append("body: \(body.contentType)\(body.isRequired ? ", required" : "")")
        }
        if let response = definition.response {
            facts.append("response: \(response.rawValue)" + (definition.responseType.map { " of \($0)" } ?? ""))
        }
        if !definition.security.isEmpty {
            facts.append(
                "security: "
                    + definition.security.map { $0.isEmpty ? "none" : $0.map(\.name).joined(separator: " and ") }
                    .joined(separator: ", or "))
        }
        return facts
    }

    var json: JSONValue {
        var object: JSONObject = [
            "name": .string(definition.name), "method": .string(definition.method.name),
            "url": .string(definition.urlTemplate), "description": .string(definition.documentation),
            "deprecated": .bool(definition.isDeprecated),
            "parameters": .array(definition.parameters.map(json)),
        ]
        if let body = definition.body {
            object["body"] = ["type": .string(body.contentType), "required": .bool(body.isRequired)]
        }
        if let response = definition.response { object["response"] = .string(response.rawValue) }
        if !definition.security.isEmpty {
            object["security"] = .array(definition.security.map { .array($0.map { .string($0.name) }) })
        }
        return .object(object)
    }

    private func json(_ parameter: DefinedParameter) -> JSONValue {
        var object: JSONObject = [
            "name": .string(parameter.name), "in": parameter.place.map { .string($0.rawValue) } ?? .null,
            "type": .string(parameter.kind.rawValue), "required": .bool(parameter.isRequired),
        ]
        if !parameter.values.isEmpty { object["values"] = .array(parameter.values) }
        if let fallback = parameter.fallback { object["default"] = fallback }
        if !parameter.documentation.isEmpty { object["description"] = .string(parameter.documentation) }
        if parameter.isDeprecated { object["deprecated"] = true }
        return .object(object)
    }
}
