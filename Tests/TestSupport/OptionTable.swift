import Foundation
import PlugboardKit

/// The tables of settings and attributes in a plugin's README, held against what the plugin says of itself.
package enum OptionTable {
    /// The rows that the README of `Plugins/NAME` lacks; none when it tells the truth.
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

    private static func row(_ option: OptionDescription, _ name: String) -> String {
        let words = option.choices.isEmpty ? option.kind.map { "\($0)" } ?? "" : option.choices.joined(separator: ", ")
        let fallback = option.fallback.isEmpty ? "" : "`\(option.fallback)`"
        return "| `\(name)` | \(words) | \(fallback) | \(option.documentation) |"
    }
}
