import PlugboardBorder
import PlugboardJSON

/// Why a JSON value does not fit an option: the end of a sentence that begins with the option's name.
struct OptionError: Error {
    let reason: String
}

extension OptionDefinition {
    /// Converts a value of a configuration into the text that crosses the border.
    ///
    /// The JSON type must be the option's: `"5"` is not a whole number.
    func text(of value: JSONValue) throws(OptionError) -> String {
        guard let text = convert(value) else { throw OptionError(reason: "must be \(jsonType), not \(value.kind)") }
        if let error = error(in: text) { throw OptionError(reason: error) }
        return text
    }

    private func convert(_ value: JSONValue) -> String? {
        switch kind {
        case .bool: value.boolValue?.description
        case .integer: value.numberValue.map { number in number.int64.map { String($0) } ?? number.text }
        case .text, .duration, .size: value.stringValue
        case .list: value.arrayValue.map { _ in JSONWriter.write(value) }
        case .map: value.objectValue.map { _ in JSONWriter.write(value) }
        case nil: nil
        }
    }

    private var jsonType: String {
        switch kind {
        case .bool: "true or false"
        case .integer: "a whole number"
        case .text: "a string"
        case .duration: "a string like \"30s\""
        case .size: "a string like \"16MiB\""
        case .list: "a list of strings, such as \(fallbackItem ?? "[\"a\"]")"
        case .map: "an object of strings, such as {\"a\": \"b\"}"
        case nil: "nothing: this kernel does not know the option's type"
        }
    }

    /// A list with the first item of the default.
    private var fallbackItem: String? {
        fallbackValue?.arrayValue?.first.map { JSONWriter.write(.array([$0])) }
    }

    /// The default as JSON, in the form that a configuration has it. Nil if there is no default.
    package var fallbackValue: JSONValue? {
        guard !fallback.isEmpty else { return nil }
        switch kind {
        case .bool, .integer, .list, .map: return try? JSONParser.parse(fallback)
        case .text, .duration, .size: return .string(fallback)
        case nil: return nil
        }
    }
}
