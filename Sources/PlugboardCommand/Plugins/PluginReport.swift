import Plugboard
import PlugboardJSON
import PlugboardKit

/// The descriptor of a plugin, as tables or as JSON.
struct PluginReport {
    let file: PluginFile?
    let descriptor: PluginDescriptor?

    var text: String {
        var text = ""
        if let file {
            text += Table(rows: fileRows(file)).text
        }
        guard let descriptor else { return text }
        if file != nil { text += "\n" }
        text += Table(rows: rows(descriptor)).text
        text += section("Settings", descriptor.settings.map(row))
        text += section(
            // Requests use these names.
            "Attributes", descriptor.attributes.map { ["\(descriptor.id).\($0.name)"] + row($0).dropFirst() })
        text += section("Commands", descriptor.commands.map { [$0.name, $0.arguments, $0.documentation] })
        return text
    }

    var json: JSONValue {
        var object = JSONObject()
        if let file { object["file"] = .object(JSONObject(fileRows(file).map { ($0[0], .string($0[1])) })) }
        if let descriptor {
            object["plugin"] = [
                "id": .string(descriptor.id), "version": .string(descriptor.version),
                "documentation": .string(descriptor.documentation),
                "priority": .number(JSONNumber(descriptor.priority)),
                "hooks": list(descriptor.hooks.names), "before": list(descriptor.before),
                "after": list(descriptor.after), "events": list(descriptor.events),
                "provides": list(descriptor.provides), "needs": list(descriptor.needs),
                "settings": .array(descriptor.settings.map(json)),
                "attributes": .array(descriptor.attributes.map(json)),
                "commands": .array(
                    descriptor.commands.map { command in
                        [
                            "name": .string(command.name), "arguments": .string(command.arguments),
                            "documentation": .string(command.documentation),
                        ]
                    }),
            ]
        }
        return .object(object)
    }

    private func fileRows(_ file: PluginFile) -> [[String]] {
        var rows = [["path", file.path], ["sha256", file.sha256], ["entry", file.entry]]
        if let metadata = file.metadata {
            rows += [["revision", "\(metadata.revision)"], ["id", metadata.id], ["version", metadata.version]]
        }
        return rows
    }

    private func rows(_ descriptor: PluginDescriptor) -> [[String]] {
        let rows = [
            ["id", descriptor.id], ["version", descriptor.version], ["does", descriptor.documentation],
            ["priority", "\(descriptor.priority)"], ["hooks", descriptor.hooks.names.joined(separator: " ")],
            ["before", descriptor.before.joined(separator: " ")], ["after", descriptor.after.joined(separator: " ")],
            ["events", descriptor.events.joined(separator: " ")],
            ["provides", descriptor.provides.joined(separator: " ")],
            ["needs", descriptor.needs.joined(separator: " ")],
        ]
        return rows.filter { !$0[1].isEmpty }
    }

    private func section(_ title: String, _ rows: [[String]]) -> String {
        rows.isEmpty ? "" : "\n\(title)\n" + Table(rows: rows.map { ["  " + $0[0]] + $0.dropFirst() }).text
    }

    private func row(_ option: OptionDefinition) -> [String] {
        var type = option.choices.isEmpty ? option.typeName : option.choices.joined(separator: "|")
        if let bounds = option.boundsText { type += " \(bounds)" }
        var remarks = option.documentation
        if option.isRequired { remarks += " Required." }
        if option.isSecret { remarks += " Secret." }
        let fallback = option.fallback.isEmpty || option.isSecret ? "" : "= \(option.fallback)"
        return [option.name, type, fallback, remarks]
    }

    private func json(_ option: OptionDefinition) -> JSONValue {
        var object: JSONObject = [
            "name": .string(option.name), "type": .string(option.typeName), "secret": .bool(option.isSecret),
            "required": .bool(option.isRequired), "documentation": .string(option.documentation),
        ]
        if !option.fallback.isEmpty && !option.isSecret { object["default"] = .string(option.fallback) }
        if !option.choices.isEmpty { object["choices"] = list(option.choices) }
        if let bounds = option.bounds {
            object["minimum"] = .string(option.text(of: bounds.lowerBound))
            object["maximum"] = .string(option.text(of: bounds.upperBound))
        }
        return .object(object)
    }

    private func list(_ words: [String]) -> JSONValue { .array(words.map { .string($0) }) }
}

extension OptionDefinition {
    fileprivate var typeName: String { kind.map { "\($0)" } ?? "unknown" }

    fileprivate var boundsText: String? {
        bounds.map { "\(text(of: $0.lowerBound))…\(text(of: $0.upperBound))" }
    }

    /// A bound, written as in a configuration.
    fileprivate func text(of bound: Int64) -> String {
        switch kind {
        case .duration: DurationText(.nanoseconds(bound)).description
        case .size: ByteCount.bytes(Int(bound)).description
        default: "\(bound)"
        }
    }
}
