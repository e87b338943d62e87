import PlugboardJSON

/// The arguments of a command of a plugin by name, as texts: the command line reads a value such as 404 or true as
/// JSON.
public struct CommandArguments: Sendable {
    /// The name of the command.
    public let command: String
    private let object: JSONObject
    private let code: PlugboardError.Code

    /// The arguments that a command was called with.
    ///
    /// - Parameters:
    ///   - value: What `command` of the plugin was given.
    ///   - code: The code of all errors about the arguments.
    /// - Throws: An error for a value that is not an object, and for an argument that the definition does not list.
    public init(
        _ value: JSONValue, of definition: CommandDefinition, code: PlugboardError.Code
    ) throws(PlugboardError) {
        guard let object = value.objectValue else {
            throw PlugboardError(code, "The arguments of \(definition.name) are not a JSON object.")
        }
        let known = (try? JSONParser.parse(definition.arguments))?.objectValue?.keys ?? []
        if let unknown = object.keys.first(where: { !known.contains($0) }) {
            let list = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw PlugboardError(
                code, "\(definition.name) has no argument \(Printable.text(unknown)); it has \(list).")
        }
        (command, self.object, self.code) = (definition.name, object, code)
    }

    /// The text of an argument; nil without the argument.
    ///
    /// - Throws: An error for null, a list or an object.
    public subscript(name: String) -> String? {
        get throws(PlugboardError) {
            switch object[name] {
            case nil: return nil
            case .string(let text): return text
            case .number(let number): return number.text
            case .bool(let bool): return "\(bool)"
            case .some(let value): throw wrong(name, "a text, and not \(value.kind)")
            }
        }
    }

    /// The text of an argument that the command needs.
    ///
    /// - Throws: An error without the argument.
    public func required(_ name: String) throws(PlugboardError) -> String {
        guard let text = try self[name] else { throw PlugboardError(code, "\(command) needs \(name): add \(name)=….") }
        return text
    }

    /// An error for an argument that cannot be used.
    ///
    /// - Parameter what: What the argument must be, as the end of a sentence: `a number above 0`.
    public func wrong(_ name: String, _ what: String) -> PlugboardError {
        PlugboardError(code, "\(name) of \(command) must be \(what).")
    }
}
