import PlugboardKit
import PlugboardRecorderOptions

/// The arguments of a command by name.
struct RecorderArguments {
    private let object: JSONObject
    private let command: String

    init(_ value: JSONValue, of command: RecorderCommand) throws(PlugboardError) {
        guard let object = value.objectValue else {
            throw PlugboardError(.recorderArgument, "The arguments of \(command.rawValue) are not a JSON object.")
        }
        (self.object, self.command) = (object, command.rawValue)
        let known = (try? JSONParser.parse(command.definition.arguments))?.objectValue?.keys ?? []
        if let unknown = object.keys.first(where: { !known.contains($0) }) {
            throw PlugboardError(
                .recorderArgument,
                "\(command.rawValue) has no argument \(Printable.text(unknown)); it has \(known.joined(separator: ", "))."
            )
        }
    }

    func text(_ name: String) throws(PlugboardError) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text): return text
        // The command line reads a value such as 404 or true as JSON.
        case .number(let number): return number.text
        case .bool(let bool): return "\(bool)"
        case .some(let value): throw wrong(name, "a text, and not \(value.kind)")
        }
    }

    func requiredText(_ name: String) throws(PlugboardError) -> String {
        guard let text = try text(name) else {
            throw PlugboardError(.recorderArgument, "\(command) needs \(name): plugboard recorder \(command) \(name)=…")
        }
        return text
    }

    func number(_ name: String) throws(PlugboardError) -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), number > 0 else { throw wrong(name, "a number above 0") }
        return number
    }

    func requiredNumber(_ name: String) throws(PlugboardError) -> Int64 {
        _ = try requiredText(name)
        return Int64(try number(name) ?? 0)
    }

    func flag(_ name: String) throws(PlugboardError) -> Bool {
        switch try text(name) {
        case nil, "false": return false
        case "true": return true
        default: throw wrong(name, "true or false")
        }
    }

    func filter() throws(PlugboardError) -> RecordFilter {
        var filter = RecordFilter()
        filter.method = try text("method")
        filter.host = try text("host")
        filter.text = try text("text")
        filter.label = try text("label")
        filter.after = Int64(try number("after") ?? 0)
        if let before = try number("before") { filter.before = Int64(before) }
        if let took = try text("took") {
            guard let time = DurationText(took)?.duration else { throw wrong("took", "a time such as 500ms") }
            filter.took = time
        }
        if let status = try text("status") {
            guard let status = RecordFilter.Status(status) else { throw wrong("status", "such as 404, 4xx or failed") }
            filter.status = status
        }
        return filter
    }

    private func wrong(_ name: String, _ what: String) -> PlugboardError {
        PlugboardError(.recorderArgument, "\(name) of \(command) must be \(what).")
    }
}

extension RecordFilter.Status {
    /// `404`, `4xx` or `failed`.
    init?(_ text: String) {
        if text == "failed" {
            self = .failed
        } else if text.lowercased().hasSuffix("xx"), let hundreds = Int(text.dropLast(2)), (1...9).contains(hundreds) {
            self = .between(hundreds * 100...hundreds * 100 + 99)
        } else if let status = Int(text), (100...999).contains(status) {
            self = .exactly(status)
        } else {
            return nil
        }
    }
}
