import PlugboardCookiesOptions
import PlugboardJSON
import PlugboardKit

/// The arguments of a command: strings by name.
struct CommandArguments: Sendable {
    private let object: JSONObject
    private let command: CookieCommand

    init(_ value: JSONValue, of command: CookieCommand) throws(PlugboardError) {
        guard let object = value.objectValue else {
            throw PlugboardError(.cookiesArgument, "The arguments of \(command.rawValue) are not a JSON object.")
        }
        self.object = object
        self.command = command
        let known = (try? JSONParser.parse(command.definition.arguments))?.objectValue?.keys ?? []
        if let unknown = object.keys.first(where: { !known.contains($0) }) {
            throw PlugboardError(
                .cookiesArgument,
                "\(command.rawValue) has no argument \(Printable.text(unknown)); it has \(known.joined(separator: ", "))."
            )
        }
    }

    subscript(name: String) -> String? {
        get throws(PlugboardError) {
            guard let value = object[name] else { return nil }
            switch value {
            case .string(let text): return text
            // The command line reads a value such as 1 or true as JSON.
            case .number(let number): return number.text
            case .bool(let bool): return "\(bool)"
            case .null, .array, .object:
                throw PlugboardError(
                    .cookiesArgument, "\(name) of \(command.rawValue) is \(value.kind), but must be a string.")
            }
        }
    }

    func required(_ name: String) throws(PlugboardError) -> String {
        guard let value = try self[name] else {
            throw PlugboardError(.cookiesArgument, "\(command.rawValue) needs \(name).")
        }
        return value
    }
}
