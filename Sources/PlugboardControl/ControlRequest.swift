import PlugboardJSON
import PlugboardMessages

/// One line of a peer: `{"id": 1, "do": "cancel", "tag": "sync"}`.
struct ControlRequest: Sendable {
    /// What a peer can ask for.
    enum Verb: String, CaseIterable {
        case status, plugins, metrics, exchanges, watch, command, cancel, suspend, resume, enable, disable, shutdown
    }

    /// The longest line, in bytes.
    static let lengthLimit = 64 << 10
    private static let options: JSONParser.Options = {
        var options = JSONParser.Options()
        options.depthLimit = 16
        options.sizeLimit = lengthLimit
        options.duplicateKeys = .error
        return options
    }()
    private static let members: [Verb: Set<String>] = [
        .metrics: ["format"], .watch: ["events"], .command: ["plugin", "name", "arguments"],
        .cancel: ["tag", "exchange"], .suspend: ["tag", "exchange"], .resume: ["tag", "exchange"],
        .enable: ["plugin"], .disable: ["plugin"], .shutdown: ["within"],
    ]

    /// The `id` of the request, which its replies repeat; null if the request has none.
    let id: JSONValue
    let verb: Verb
    private let object: JSONObject

    /// The request of a line, or the id and the error for the peer.
    static func read(_ line: ArraySlice<UInt8>) -> Result<ControlRequest, Refusal> {
        let object: JSONObject
        do throws(JSONError) {
            guard let value = try JSONParser.parse(line, options: options).objectValue else {
                return .failure(Refusal(.null, "The line is no JSON object, such as {\"id\": 1, \"do\": \"status\"}."))
            }
            object = value
        } catch {
            return .failure(Refusal(.null, "The line is no JSON: \(error.reason)."))
        }
        let id = object["id"] ?? .null
        if id.arrayValue != nil || id.objectValue != nil {
            return .failure(Refusal(.null, "The member id must be a text or a number."))
        }
        guard let verb = object["do"]?.stringValue.flatMap({ Verb(rawValue: $0) }) else {
            let words = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(Refusal(id, "The member do must be one of \(words)."))
        }
        let known = (members[verb] ?? []).union(["id", "do"])
        if let name = object.first(where: { !known.contains($0.key) })?.key {
            return .failure(Refusal(id, "The request \(verb) has no member \(Printable.text(name))."))
        }
        return .success(ControlRequest(id: id, verb: verb, object: object))
    }

    /// A request that was not read.
    struct Refusal: Error {
        let id: JSONValue
        let error: PlugboardError

        init(_ id: JSONValue, _ reason: String) { (self.id, error) = (id, PlugboardError(.controlRequest, reason)) }
    }

    /// A member; nil where it is missing or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    func text(_ name: String) throws(PlugboardError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw wrong(name, "a text") }
        return text
    }

    func neededText(_ name: String) throws(PlugboardError) -> String {
        guard let text = try text(name) else { throw wrong(name, "a text") }
        return text
    }

    func number(_ name: String) throws(PlugboardError) -> UInt64? {
        guard let value = value(name) else { return nil }
        guard let number = value.numberValue?.integer(UInt64.self) else { throw wrong(name, "a whole number") }
        return number
    }

    func wrong(_ name: String, _ wanted: String) -> PlugboardError {
        PlugboardError(.controlRequest, "The member \(name) of \(verb.rawValue) must be \(wanted).")
    }
}
