import Foundation
import PlugboardKit

/// Compares the tables of settings and attributes in a plugin's README with its descriptor.
package enum OptionTable {
    /// The missing rows in the README of `Plugins/NAME`; empty if it is complete.
    package static func missing(
        from name: String, _ descriptor: UnsafePointer<plug_plugin_v1>
    ) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
        let readme = try String(contentsOf: root.appendingPathComponent("Plugins/\(name)/README.md"), encoding: .utf8)
        let lines = Set(readme.split(separator: "\n").map(String.init))
        let plugin = try PluginDescriptor(checking: descriptor)
        let settings = plugin.settings.map { row($0, $0.name) }
        let attributes = plugin.attributes.map { row($0, "\(plugin.id).\($0.name)") }
        return (settings + attributes).filter { !lines.contains($0) }
    }

    /// The settings and attributes of a plugin whose docstring in `Plugins/NAME` does not begin with their
    /// documentation.
    package static func undocumented(in name: String, _ descriptor: UnsafePointer<plug_plugin_v1>) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
        let folder = root.appendingPathComponent("Plugins/\(name)/Sources/Plugboard\(name)Options")
        let source = try ["Settings", "Attributes"].map { kind in
            try String(contentsOf: folder.appendingPathComponent("\(name)\(kind).swift"), encoding: .utf8)
        }.joined(separator: "\n")
        var docstrings: [String] = []
        var isContinued = false
        for line in source.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("///") else {
                isContinued = false
                continue
            }
            let words = text.dropFirst(3).drop { $0 == " " }
            if isContinued { docstrings[docstrings.count - 1] += " \(words)" } else { docstrings.append("\(words)") }
            isContinued = true
        }
        let plugin = try PluginDescriptor(checking: descriptor)
        return (plugin.settings + plugin.attributes).filter { option in
            !docstrings.contains { $0.hasPrefix(option.documentation) }
        }.map(\.name)
    }

    private static func row(_ option: OptionDefinition, _ name: String) -> String {
        let words = option.choices.isEmpty ? option.kind.map { "\($0)" } ?? "" : option.choices.joined(separator: ", ")
        let fallback = option.fallback.isEmpty ? "" : "`\(option.fallback)`"
        return "| `\(name)` | \(words) | \(fallback) | \(option.documentation) |"
    }
}
