import PlugboardBorder
import PlugboardCore
import PlugboardJSON

extension OptionDefinition {
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
}
