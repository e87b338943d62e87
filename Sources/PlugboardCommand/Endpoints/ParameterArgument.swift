import PlugboardEndpoints
import PlugboardJSON
import PlugboardKit

/// One parameter of the command line, as httpie writes them: `key=text`, `key=@FILE`, `key:=JSON`, `key:=@FILE`.
struct ParameterArgument {
    /// The name and the keys in brackets behind it; an empty key is the next element of a list.
    let keys: [String]
    /// The name with its brackets.
    let name: String
    let text: String
    let isJSON: Bool

    init(_ argument: String) throws(CommandFailure) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw CommandFailure(
                .usage,
                "A parameter must be key=value, or key:=JSON: \(Printable.text(argument.prefix(40).description)).")
        }
        var name = argument[..<equals]
        isJSON = name.hasSuffix(":")
        if isJSON { name = name.dropLast() }
        self.name = String(name)
        keys = ParameterArgument.keys(of: self.name)
        let text = String(argument[argument.index(after: equals)...])
        guard text.hasPrefix("@") else {
            self.text = text
            return
        }
        let input = InputArgument(text)
        self.text = String(decoding: try input.bytes(for: self.name), as: UTF8.self)
    }

    /// `user[name][]` is `user`, `name` and an empty key. Brackets that do not match are part of the name.
    private static func keys(of name: String) -> [String] {
        guard name.hasSuffix("]"), let open = name.firstIndex(of: "["), open != name.startIndex else { return [name] }
        let inner = name[name.index(after: open)...].dropLast()
        let keys = inner.components("][")
        guard keys.allSatisfy({ !$0.contains("[") && !$0.contains("]") }) else { return [name] }
        return [String(name[..<open])] + keys
    }

    /// The parameters of a call, with the types that the definition names.
    static func parameters(_ arguments: [String], of definition: Definition) throws(CommandFailure) -> JSONObject {
        var object = JSONObject()
        for argument in arguments {
            let argument = try ParameterArgument(argument)
            // A name with brackets can be that of a parameter.
            let whole = definition.parameter(argument.name)
            let keys = whole == nil ? argument.keys : [argument.name]
            let parameter = whole ?? definition.parameter(keys[0])
            let value = try argument.value(for: parameter, isPart: keys.count > 1)
            if keys.count > 1 {
                object[keys[0]] = inserting(value, at: keys.dropFirst(), into: object[keys[0]])
            } else if let parameter, parameter.kind == .array, value.arrayValue == nil {
                object[keys[0]] = .array((object[keys[0]]?.arrayValue ?? []) + [value])
            } else if let first = object[keys[0]] {
                object[keys[0]] = .array((first.arrayValue ?? [first]) + (value.arrayValue ?? [value]))
            } else {
                object[keys[0]] = value
            }
        }
        return object
    }

    private static func inserting(_ value: JSONValue, at keys: ArraySlice<String>, into old: JSONValue?) -> JSONValue {
        guard let key = keys.first else { return value }
        if key.isEmpty {
            return .array((old?.arrayValue ?? []) + [inserting(value, at: keys.dropFirst(), into: nil)])
        }
        var object = old?.objectValue ?? [:]
        object[key] = inserting(value, at: keys.dropFirst(), into: object[key])
        return .object(object)
    }

    private func value(for parameter: DefinedParameter?, isPart: Bool) throws(CommandFailure) -> JSONValue {
        guard !isJSON else {
            do throws(JSONError) {
                return try JSONParser.parse(text)
            } catch {
                throw CommandFailure(.usage, "\(Printable.text(name)): the JSON cannot be read: \(error).")
            }
        }
        guard let parameter, !isPart else { return typed(parameter?.elementKind ?? .any) }
        return typed(parameter.kind == .array ? parameter.elementKind : parameter.kind)
    }

    /// A text that does not fit stays a text, and the definition reports it.
    private func typed(_ kind: DefinedParameter.Kind) -> JSONValue {
        switch kind {
        case .integer, .number: JSONNumber(text: text).map { .number($0) } ?? .string(text)
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        case .any, .string, .array, .object, .file: .string(text)
        }
    }
}

extension Substring {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    }
}
