import PlugboardBorder
import PlugboardJSON

/// One error of a configuration, with its position. It quotes no values, because they may be secret.
public struct ConfigurationError: Sendable, Equatable {
    /// The code of the error that this alone would throw.
    public let code: PlugboardError.Code
    /// The file's path as it was opened; nil when the configuration came from elsewhere.
    public let file: String?
    /// The path, such as `plugins[2].settings.ttl`, or `program.plugins[0].settings.ttl` for what the program gives its
    /// kernel; empty for the whole.
    public let path: String
    /// Counted from 1; nil when the configuration was made in code.
    public let line: Int?
    /// Counted from 1, in Unicode scalars; nil when the configuration was made in code.
    public let column: Int?
    /// The end of a sentence that begins with the path.
    public let reason: String
    /// What errors of the whole text call it.
    let subject: String

    package init(
        code: PlugboardError.Code, file: String?, path: String, position: JSONPosition?, reason: String,
        subject: String = "the configuration"
    ) {
        self.code = code
        self.file = file
        self.path = path
        line = position?.line
        column = position?.column
        self.reason = reason
        self.subject = subject
    }

    package init(
        _ path: JSONPath, _ reason: String, in source: ConfigurationSource?, atKey: Bool = false,
        positionOf location: JSONPath? = nil, code: PlugboardError.Code = .configuration
    ) {
        // What the program gives is in no text; the key itself can be, and is then an unknown one.
        let isOfProgram = path.elements.count > 1 && path.elements.first == .key(Configuration.programKey)
        let source = isOfProgram ? nil : source
        self.init(
            code: code, file: source?.file, path: path.isRoot ? "" : path.description,
            position: source?.positions?.nearestPosition(of: location ?? path, atKey: atKey), reason: reason,
            subject: source?.subject ?? "the configuration")
    }
}

extension ConfigurationError: CustomStringConvertible {
    public var description: String {
        if let file, line == nil, path.isEmpty { return "\(file) \(reason)" }
        let location = [file, line.map { "line \($0), column \(column ?? 1)" }].compactMap { $0 }.joined(
            separator: ", ")
        return "\(location.isEmpty ? "" : "\(location): ")\(path.isEmpty ? subject : path) \(reason)"
    }
}

extension PlugboardError {
    /// One error that lists all errors. Its code is that of the errors if they agree, else `configuration`.
    package init(_ errors: [ConfigurationError]) {
        let code = errors.first?.code ?? .configuration
        let reason =
            errors.count == 1
            ? errors[0].description
            : "\(errors.count) things are wrong with \(errors[0].subject):"
                + errors.map { "\n  \($0)" }.joined()
        self.init(errors.allSatisfy { $0.code == code } ? code : .configuration, reason)
    }
}

extension JSONPositions {
    /// The position of the value at a path; if there is none, of the innermost value around it.
    fileprivate func nearestPosition(of path: JSONPath, atKey: Bool) -> JSONPosition? {
        if let position = atKey ? keyPosition(of: path) : position(of: path) { return position }
        return path.isRoot ? nil : nearestPosition(of: JSONPath(path.elements.dropLast()), atKey: false)
    }
}
