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

    /// The JSON Schema of the values that fit. It accepts everything that the check accepts: a text's bounds are bytes,
    /// the schema's are characters.
    var schema: JSONObject {
        var schema = typeSchema
        schema["description"] = .string(documentation + boundsText)
        if isSecret {
            schema["writeOnly"] = true
        } else if let fallback = fallbackValue {
            schema["default"] = fallback
        }
        return schema
    }

    private var typeSchema: JSONObject {
        switch kind {
        case .bool: ["type": "boolean"]
        case .integer: bounded(["type": "integer"], "minimum", "maximum")
        case .text where !choices.isEmpty: ["type": "string", "enum": .array(choices.map { .string($0) })]
        case .text: bounded(["type": "string"], nil, "maxLength")
        case .duration: ["type": "string", "pattern": .string(OptionPattern.duration)]
        case .size: ["type": "string", "pattern": .string(OptionPattern.size)]
        case .list: bounded(["type": "array", "items": ["type": "string"]], "minItems", "maxItems")
        case .map:
            bounded(
                ["type": "object", "additionalProperties": ["type": "string"]], "minProperties", "maxProperties")
        case nil: [:]
        }
    }

    private func bounded(_ schema: JSONObject, _ minimum: String?, _ maximum: String) -> JSONObject {
        guard let bounds else { return schema }
        var schema = schema
        // Only numbers can be negative: a count's keywords must not be (JSON Schema 2020-12, validation §6).
        if let minimum, kind == .integer || bounds.lowerBound >= 0 {
            schema[minimum] = .number(JSONNumber(bounds.lowerBound))
        }
        if kind == .integer || bounds.upperBound >= 0 { schema[maximum] = .number(JSONNumber(bounds.upperBound)) }
        return schema
    }

    /// A schema cannot bound times and sizes, so the documentation says it.
    private var boundsText: String {
        guard let bounds else { return "" }
        switch kind {
        case .duration:
            let (lower, upper) = (Duration.nanoseconds(bounds.lowerBound), Duration.nanoseconds(bounds.upperBound))
            return " Between \(DurationText(lower)) and \(DurationText(upper))."
        case .size:
            let (lower, upper) = (ByteCount.bytes(Int(bounds.lowerBound)), ByteCount.bytes(Int(bounds.upperBound)))
            return " Between \(lower) and \(upper)."
        default: return ""
        }
    }

    /// A list with the first item of the default.
    private var fallbackItem: String? {
        fallbackValue?.arrayValue?.first.map { JSONWriter.write(.array([$0])) }
    }

    private var fallbackValue: JSONValue? {
        guard !fallback.isEmpty else { return nil }
        switch kind {
        case .bool, .integer, .list, .map: return try? JSONParser.parse(fallback)
        case .text, .duration, .size: return .string(fallback)
        case nil: return nil
        }
    }
}
