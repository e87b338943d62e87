import PlugboardBorder
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

/// The errors that a pass over a configuration has found so far.
package struct ConfigurationReading {
    /// The most errors that are listed: each error's position costs another pass over the text.
    package static let errorLimit = 100

    /// Relative paths begin here; nil leaves them as they are.
    let folder: String?
    package var source: ConfigurationSource?
    package private(set) var errors: [ConfigurationError] = []

    /// Whether no more errors are listed.
    var isFull: Bool { errors.count >= ConfigurationReading.errorLimit }

    package init(folder: String? = nil, source: ConfigurationSource?) {
        self.folder = folder
        self.source = source
    }

    /// Notes an error; the reason ends a sentence that begins with the path, and quotes no values.
    package mutating func note(
        _ path: JSONPath, _ reason: String, atKey: Bool = false, code: PlugboardError.Code = .configuration
    ) {
        if isFull { return }
        errors.append(ConfigurationError(path, reason, in: source, atKey: atKey, code: code))
    }

    /// Notes an error at a path, with the position of a key within it.
    package mutating func note(_ path: JSONPath, _ reason: String, at key: JSONPath) {
        if isFull { return }
        errors.append(ConfigurationError(path, reason, in: source, atKey: true, positionOf: key))
    }

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

/// The end of a sentence about an unknown name, with the nearest known name, or else with all known names.
package func unknown(_ what: String, _ name: String, known: [String]) -> String {
    if let near = Spelling.nearest(name, in: known) { return "is not a known \(what); did you mean \(near)?" }
    if known.isEmpty { return "is not a known \(what): there are none" }
    return "is not a known \(what); known are \(known.joined(separator: ", "))"
}
