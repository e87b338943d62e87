import PlugboardKit

/// A header field as the command line writes it, after curl's `-H`.
struct FieldArgument {
    let name: FieldName
    /// Nil removes the field that would be sent by default.
    let value: String?

    init(_ text: String) throws(CommandFailure) {
        if let colon = text.firstIndex(of: ":") {
            name = FieldName(FieldArgument.trimmed(text[..<colon]))
            let rest = FieldArgument.trimmed(text[text.index(after: colon)...])
            value = rest.isEmpty ? nil : rest
        } else if text.hasSuffix(";") {
            name = FieldName(FieldArgument.trimmed(text.dropLast()))
            value = ""
        } else {
            // The field is not shown: what lacks a colon may be a secret value.
            throw CommandFailure(.usage, "A header field must be 'Name: value', 'Name:' or 'Name;'.")
        }
        guard !name.text.isEmpty else { throw CommandFailure(.usage, "A header field must have a name.") }
    }

    /// The fields to send: of the defaults those that nobody names, then the others as they stand.
    static func fields(_ arguments: [FieldArgument], over defaults: KeyValuePairs<FieldName, String>) -> Fields {
        let named = Set(arguments.map(\.name))
        var fields = Fields()
        for (name, value) in defaults where !named.contains(name) { fields.append(name, value) }
        for argument in arguments {
            if let value = argument.value { fields.append(argument.name, value) }
        }
        return fields
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
