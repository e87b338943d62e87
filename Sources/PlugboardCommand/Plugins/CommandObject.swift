import PlugboardJSON
import PlugboardKit

/// The arguments of a plugin's command, as a JSON object.
enum CommandObject {
    /// Reads one JSON object, or arguments `name=value`; a first word without `=` is the value of the command's first
    /// argument.
    static func text(_ arguments: [String], of command: CommandDefinition? = nil) throws(CommandFailure) -> String {
        if arguments.count == 1, let only = arguments.first, only.hasPrefix("{") {
            do throws(JSONError) {
                return JSONWriter.write(try JSONParser.parse(only))
            } catch {
                throw CommandFailure(.usage, "The command's arguments are not JSON: \(error).")
            }
        }
        var object = JSONObject()
        var arguments = arguments[...]
        if let first = arguments.first, !first.contains("="), let name = command?.firstArgument {
            object[name] = value(first)
            arguments = arguments.dropFirst()
        }
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
                throw CommandFailure(.usage, "A command's arguments must be name=value, or one JSON object.")
            }
            object[String(argument[..<equals])] = value(String(argument[argument.index(after: equals)...]))
        }
        return JSONWriter.write(.object(object))
    }

    private static func value(_ text: String) -> JSONValue { (try? JSONParser.parse(text)) ?? .string(text) }
}

extension CommandDefinition {
    /// The name of the argument that the definition lists first.
    fileprivate var firstArgument: String? { (try? JSONParser.parse(arguments))?.objectValue?.keys.first }
}
