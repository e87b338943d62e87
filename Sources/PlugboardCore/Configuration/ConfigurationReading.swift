import PlugboardBorder
import PlugboardJSON

/// The errors that a pass over a configuration has found so far.
package struct ConfigurationReading {
    /// The most errors that are listed: each error's position costs another pass over the text.
    package static let errorLimit = 100

    /// Relative paths begin here; nil leaves them as they are.
    package let folder: String?
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
}

/// The end of a sentence about an unknown name, with the nearest known name, or else with all known names.
package func unknown(_ what: String, _ name: String, known: [String]) -> String {
    if let near = Spelling.nearest(name, in: known) { return "is not a known \(what); did you mean \(near)?" }
    if known.isEmpty { return "is not a known \(what): there are none" }
    return "is not a known \(what); known are \(known.joined(separator: ", "))"
}
