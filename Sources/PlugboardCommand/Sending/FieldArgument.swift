import PlugboardKit

/// A header field on the command line, as in curl's `-H`.
struct FieldArgument {
    let name: FieldName
    /// Nil removes the field that would be sent by default.
    let value: String?

    init(name: FieldName, value: String?) { (self.name, self.value) = (name, value) }

    init(_ text: String) throws(CommandFailure) {
        if let colon = text.firstIndex(of: ":") {
            name = FieldName(FieldArgument.trimmed(text[..<colon]))
            let rest = FieldArgument.trimmed(text[text.index(after: colon)...])
            value = rest.isEmpty ? nil : rest
        } else if text.hasSuffix(";") {
            name = FieldName(FieldArgument.trimmed(text.dropLast()))
            value = ""
        } else {
            // The text is not shown, because it may be a secret value.
            throw CommandFailure(.usage, "A header field must be 'Name: value', 'Name:' or 'Name;'.")
        }
        guard !name.text.isEmpty else { throw CommandFailure(.usage, "A header field must have a name.") }
    }

    /// The text of which it is made.
    var text: String { value.map { $0.isEmpty ? "\(name);" : "\(name): \($0)" } ?? "\(name):" }

    /// The fields of one `-H`: a field, or `@FILE` or `-` with a field on each line.
    ///
    /// - Parameters:
    ///   - option: The option that names the file.
    ///   - hasComments: Whether lines of the file that begin with `#` are left out.
    static func all(
        in argument: String, for option: String = "--header", hasComments: Bool = false
    ) throws(CommandFailure) -> [FieldArgument] {
        let input = InputArgument(argument)
        if case .text(let text) = input { return [try FieldArgument(text)] }
        let lines = String(decoding: try input.bytes(for: option), as: UTF8.self).split(whereSeparator: \.isNewline)
        var fields: [FieldArgument] = []
        for line in lines where !line.allSatisfy(\.isWhitespace) && !(hasComments && line.hasPrefix("#")) {
            fields.append(try FieldArgument(String(line)))
        }
        return fields
    }

    /// Throws for a type of several parts beside a form of `-F` that cannot take the form's boundary.
    static func checkForm(beside fields: [FieldArgument]) throws(CommandFailure) {
        for field in fields where field.name == .contentType {
            guard let value = field.value?.lowercased(), value.hasPrefix("multipart/"),
                !value.hasPrefix(formType) || value.contains("boundary")
            else { continue }
            throw CommandFailure(
                .usage, "A form in parts has a boundary of its own: leave the field Content-Type: multipart/… out.")
        }
    }

    /// The fields beside a body of this type: as in curl, the type of a form that `-H` repeats gets the boundary.
    static func fields(_ fields: [FieldArgument], beside type: String?) -> [FieldArgument] {
        guard let type, type.hasPrefix(formType) else { return fields }
        return fields.map { field in
            guard field.name == .contentType, let value = field.value, value.lowercased().hasPrefix(formType) else {
                return field
            }
            let rest = value.dropFirst(formType.count)
            return FieldArgument(name: field.name, value: type + (rest.contains("=") ? rest : ""))
        }
    }

    private static let formType = "multipart/form-data"

    /// The fields to send: the defaults that no argument names, then those of the arguments in their order.
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
