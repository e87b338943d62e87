import PlugboardJSON

/// The arguments of a plugin's command, as a JSON object.
enum CommandObject {
    /// Reads one JSON object, or arguments `name=value`.
    static func text(_ arguments: [String]) throws(CommandFailure) -> String {
        if arguments.count == 1, let only = arguments.first, only.hasPrefix("{") {
            do throws(JSONError) {
                return JSONWriter.write(try JSONParser.parse(only))
            } catch {
                throw CommandFailure(.usage, "The command's arguments are not JSON: \(error).")
            }
        }
        var object = JSONObject()
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
                throw CommandFailure(.usage, "A command's arguments must be name=value, or one JSON object.")
            }
            let text = String(argument[argument.index(after: equals)...])
            object[String(argument[..<equals])] = (try? JSONParser.parse(text)) ?? .string(text)
        }
        return JSONWriter.write(.object(object))
    }
}
