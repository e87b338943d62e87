import PlugboardBorder
import PlugboardCore
import PlugboardJSON

/// A part of a configuration, with its path.
package struct ConfigurationNode {
    package let value: JSONValue
    package let path: JSONPath

    package init(value: JSONValue, path: JSONPath) {
        self.value = value
        self.path = path
    }

    package func member(_ key: String, _ value: JSONValue) -> ConfigurationNode {
        ConfigurationNode(value: value, path: path.appending(.key(key)))
    }
}

extension ConfigurationReading {
    /// Reads the members of an object into the target, and notes an error for each unknown key.
    package mutating func readMembers<Target>(
        of node: ConfigurationNode, _ keys: [ConfigurationKey<Target>], into target: inout Target
    ) {
        guard let object = node.value.objectValue else {
            note(node.path, "must be an object, not \(node.value.kind)")
            return
        }
        for (name, value) in object {
            let member = node.member(name, value)
            if let key = keys.first(where: { $0.name == name }) {
                key.read(member, &target, &self)
            } else if errors.count < ConfigurationReading.errorLimit {
                note(member.path, unknown("key", name, known: keys.map(\.name)), atKey: true)
            }
        }
    }

    /// The path from the folder, if there is one and the path is relative.
    package func resolve(_ path: String) -> String {
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }
}
