import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// The parameters of one call, checked against its definition.
struct DefinedCall {
    /// Values of the listed parameters, with defaults for those that were not given.
    private(set) var values: [(DefinedParameter, JSONValue)] = []
    /// Values of parameters that the definition does not list, if it accepts others.
    private(set) var others: [(name: String, value: JSONValue)] = []
    /// The whole body, given as the parameter `body`.
    private(set) var body: JSONValue?

    /// The parameter that gives the whole body, unless the definition has a parameter of this name.
    static let bodyName = "body"

    /// Throws `request.parameter` with all errors at once. The errors do not contain values.
    init(_ definition: Definition, _ given: Parameters, hasBody: Bool) throws(PlugboardError) {
        let gathered = DefinedCall.gathered(try given.object(), given)
        var errors: [String] = []
        let takesOthers =
            definition.takesOtherParameters ?? definition.parameters.allSatisfy { $0.place == .path }
        var known: [String: JSONValue] = [:]
        for (name, value) in gathered {
            if definition.parameter(name) != nil {
                known[name] = value
            } else if name == DefinedCall.bodyName, definition.body != nil {
                body = value
            } else if takesOthers {
                others.append((name, value))
            } else {
                errors.append(DefinedCall.unknown(name, definition))
            }
        }
        let isBodyGiven =
            definition.body?.isRequired ?? true || !others.isEmpty
            || definition.parameters.contains { $0.place == .body && known[$0.name] != nil }
        for parameter in definition.parameters {
            guard let value = known[parameter.name] ?? parameter.fallback else {
                let isNeeded = parameter.place != .body || isBodyGiven && body == nil && !hasBody
                if parameter.isRequired && isNeeded {
                    errors.append("the parameter \(Printable.text(parameter.name)) is missing")
                }
                continue
            }
            if let error = parameter.error(in: value) {
                errors.append("the parameter \(Printable.text(parameter.name)) \(error)")
            } else {
                values.append((parameter, value))
            }
        }
        if let own = definition.body, own.isRequired, !own.isObject, body == nil, !hasBody {
            errors.append("the body is missing; give it as the parameter \(DefinedCall.bodyName)")
        }
        guard errors.isEmpty else {
            let list = errors.prefix(20).joined(separator: "; ") + (errors.count > 20 ? "; …" : "")
            throw PlugboardError(.requestParameter, "\(Printable.text(definition.name)): \(list).")
        }
    }

    /// Makes a list of each parameter that is given more than once.
    private static func gathered(_ object: JSONObject, _ given: Parameters) -> JSONObject {
        guard object.count < given.count else { return object }
        var lists: [String: [JSONValue]] = [:]
        for (name, value) in given { lists[name, default: []].append(value) }
        return JSONObject(object.map { ($0.key, lists[$0.key].map { $0.count > 1 ? .array($0) : $0[0] } ?? $0.value) })
    }

    private static func unknown(_ name: String, _ definition: Definition) -> String {
        var names = definition.parameters.map(\.name)
        if definition.body != nil { names.append(bodyName) }
        let shown = Printable.text(name)
        if let near = Spelling.nearest(name, in: names) {
            return "there is no parameter \(shown); did you mean \(near)?"
        }
        if names.isEmpty { return "there is no parameter \(shown): there are none" }
        let known = names.prefix(20).map { Printable.text($0) }.joined(separator: ", ")
        return "there is no parameter \(shown); known are \(known)\(names.count > 20 ? ", …" : "")"
    }
}
