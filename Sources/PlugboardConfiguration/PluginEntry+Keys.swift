import PlugboardBorder
import PlugboardJSON

extension PluginEntry {
    /// An entry that is written as an object.
    static let keys: [ConfigurationKey<PluginEntry>] = [
        ConfigurationKey("id", "The plugin's id.", .pluginID, \.id),
        ConfigurationKey(
            "path",
            "The shared object to load, from the folder of this file; with kernel.pluginFolders a bare file name is looked "
                + "for in those.", .path, \.path),
        ConfigurationKey(
            "sha256", "The file's SHA-256 in hexadecimal; another file is refused.",
            .word("64 hexadecimal digits") { $0.utf8.count == 64 && $0.utf8.allSatisfy(isHexByte) }, \.sha256),
        ConfigurationKey(
            "priority", "The position, from 0 (outermost) to 999 (innermost); by default that of the plugin.",
            .integer(in: 0...999), \.priority),
        ConfigurationKey("before", "Plugins that must be further in.", .list(.pluginID), \.before),
        ConfigurationKey("after", "Plugins that must be further out.", .list(.pluginID), \.after),
        ConfigurationKey(
            "onFault",
            "What a fault of the plugin does: fail fails the exchange, skip goes on without the plugin, disable does that "
                + "and, after faultLimit faults in a row, disables the plugin.",
            .choice().by(default: "fail"), \.onFault),
        ConfigurationKey(
            "faultLimit", "Faults in a row after which \"onFault\": \"disable\" disables the plugin.",
            .integer(in: 1...1_000_000).by(default: .number(JSONNumber(PluginEntry.defaultFaultLimit))), \.faultLimit),
        ConfigurationKey("settings", "The plugin's settings.", .anyObject, \.settings),
        ConfigurationKey("enabled", "False leaves the plugin out.", .flag.by(default: true), \.isEnabled),
    ]
}

extension ConfigurationShape where Value == PluginEntry {
    /// A name (an id, or a path if it has a `/`), or an object.
    static var pluginEntry: Self {
        Self(
            schema: ["anyOf": [["type": "string"], .object(ConfigurationKey.schema(of: PluginEntry.keys))]]
        ) { node, reading in
            var entry = PluginEntry(id: nil, path: nil)
            entry.location = node.path
            switch node.value {
            case .string(let name) where name.utf8.contains(UInt8(ascii: "/")):
                entry.path = ConfigurationShape<String>.path.read(node, &reading)
            case .string:
                entry.id = ConfigurationShape<String>.pluginID.read(node, &reading)
            case .object(let object):
                reading.readMembers(of: node, PluginEntry.keys, into: &entry)
                if entry.path != nil, let name = object["path"]?.stringValue, !name.utf8.contains(UInt8(ascii: "/")) {
                    entry.fileName = name
                }
                if !object.contains("id") && !object.contains("path") {
                    reading.note(node.path, "must have an id, or the path of a file")
                }
                if object.contains("sha256") && !object.contains("path") {
                    reading.note(node.path.appending("sha256"), "needs a path too")
                }
            default:
                reading.note(node.path, "must be a string or an object, not \(node.value.kind)")
            }
            return entry
        }
    }
}

extension ConfigurationShape where Value == String {
    fileprivate static var pluginID: Self {
        word("a plugin's id: letters, digits, '.', '-' and '_'") { text in
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        }
    }
}

extension ConfigurationShape where Value == JSONObject {
    fileprivate static var anyObject: Self { Self("an object", schema: ["type": "object"], \.objectValue) }
}

@Sendable private func isHexByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
    default: false
    }
}
