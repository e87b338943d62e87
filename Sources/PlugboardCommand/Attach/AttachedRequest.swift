import Plugboard
import PlugboardJSON
import PlugboardKit

/// What the words and options of `plugboard attach` ask of the program.
struct AttachedRequest {
    private static let actions = [
        "status", "metrics", "exchanges", "watch", "command", "suspend", "resume", "cancel", "disable", "enable",
        "shutdown",
    ]

    private(set) var members: JSONObject

    /// Throws a usage error for what does not fit together.
    init(_ verb: AttachVerb, _ action: String, _ rest: ArraySlice<String>) throws {
        guard AttachedRequest.actions.contains(action) else {
            let near = Spelling.nearest(action, in: AttachedRequest.actions).map { " Did you mean \($0)?" } ?? ""
            throw CommandFailure(
                .usage, "There is no action \(Printable.text(action)).\(near) See plugboard attach --help.")
        }
        members = ["do": .string(action)]
        var rest = rest
        switch action {
        case "metrics": if verb.prometheus { members["format"] = "prometheus" }
        case "command":
            guard let plugin = rest.popFirst(), let name = rest.popFirst() else {
                throw CommandFailure(.usage, "command needs a plugin and the name of its command.")
            }
            let definition = Catalog.bundled.descriptor(plugin)?.commands.first { $0.name == name }
            (members["plugin"], members["name"]) = (.string(plugin), .string(name))
            members["arguments"] = try? JSONParser.parse(CommandObject.text(Array(rest), of: definition))
            rest = []
        case "disable", "enable":
            guard let plugin = rest.popFirst() else { throw CommandFailure(.usage, "\(action) needs a plugin's id.") }
            members["plugin"] = .string(plugin)
        case "suspend", "resume", "cancel":
            guard (verb.tag == nil ? 0 : 1) + (verb.exchange == nil ? 0 : 1) + (verb.all ? 1 : 0) == 1 else {
                throw CommandFailure(.usage, "\(action) needs one of --tag, --exchange and --all.")
            }
            members["tag"] = verb.tag.map { .string($0) }
            members["exchange"] = verb.exchange.map { .number(JSONNumber($0)) }
        case "shutdown":
            _ = try Duration.argument(verb.within, "--within")
            members["within"] = verb.within.map { .string($0) }
        default: break
        }
        if let word = rest.first {
            throw CommandFailure(.usage, "\(action) takes no further word, and there is \(Printable.text(word)).")
        }
        let isSelection = ["suspend", "resume", "cancel"].contains(action)
        let misplaced =
            (verb.tag != nil || verb.exchange != nil || verb.all) && !isSelection
            || verb.prometheus && action != "metrics" || verb.within != nil && action != "shutdown"
        if misplaced {
            throw CommandFailure(.usage, "An option does not belong to \(action). See plugboard attach --help.")
        }
    }
}
