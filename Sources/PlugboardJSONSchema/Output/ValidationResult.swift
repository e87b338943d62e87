import PlugboardJSON

/// One reason why a document is not valid.
public struct ValidationError: Sendable, Hashable {
    /// The JSON Pointer of the value in the document.
    public let instanceLocation: String
    /// The path of keywords to this rule, through references.
    public let keywordLocation: String
    /// The URI of the keyword.
    public let absoluteKeywordLocation: String
    /// The rule that the value breaks: the keyword. Empty for the schema `false`.
    public let rule: String
    /// One sentence about the rule, without the value.
    public let message: String
    /// The value as JSON, cut to the limit that the caller set; nil if values were not requested, or if the value had
    /// not been read when it was refused.
    public internal(set) var value: String?
    /// The errors of the schemas that the keyword applies.
    public internal(set) var causes: [ValidationError] = []
}

extension ValidationError: CustomStringConvertible {
    /// `INSTANCE: MESSAGE (KEYWORD)`, and the value if values were requested.
    public var description: String {
        "\(instanceLocation.isEmpty ? "(root)" : instanceLocation): \(message) (\(keywordLocation))"
            + (value.map { " The value is \($0)." } ?? "")
    }
}

/// The result of a validation.
public struct ValidationResult: Sendable, Hashable {
    /// A standard output format (JSON Schema 2020-12 §12.4).
    public enum Output: String, Sendable, CaseIterable {
        /// Only the validity of the document.
        case flag
        /// A list of errors.
        case basic
        /// The errors as a tree that follows the schema.
        case detailed
    }

    /// The reasons why the document is not valid; empty for a valid document.
    public let errors: [ValidationError]
    /// Whether a limit ended the validation. The document then counts as not valid, although it may be valid.
    public internal(set) var isLimited = false

    init(errors: [ValidationError], isLimited: Bool = false) {
        self.errors = errors
        self.isLimited = isLimited
    }

    /// Whether the document is valid.
    public var isValid: Bool { errors.isEmpty }

    /// The errors that have no causes of their own, in the order of the schema.
    public var leaves: [ValidationError] { errors.flatMap(ValidationResult.leaves) }

    private static func leaves(_ error: ValidationError) -> [ValidationError] {
        error.causes.isEmpty ? [error] : error.causes.flatMap(leaves)
    }

    /// The result as JSON. Errors have a member `value`, a string with JSON, if values were requested.
    public func json(_ output: Output) -> JSONValue {
        var object: JSONObject = ["valid": .bool(isValid)]
        guard !isValid else { return .object(object) }
        switch output {
        case .flag: break
        case .basic: object["errors"] = .array(errors.flatMap(ValidationResult.flat).map { ValidationResult.unit($0) })
        case .detailed:
            object["errors"] = .array(errors.map(ValidationResult.tree))
        }
        return .object(object)
    }

    private static func flat(_ error: ValidationError) -> [ValidationError] {
        [error] + error.causes.flatMap(flat)
    }

    private static func unit(_ error: ValidationError) -> JSONValue {
        var unit: JSONObject = [
            "valid": false, "keywordLocation": .string(error.keywordLocation),
            "absoluteKeywordLocation": .string(error.absoluteKeywordLocation),
            "instanceLocation": .string(error.instanceLocation), "error": .string(error.message),
        ]
        if let value = error.value { unit["value"] = .string(value) }
        return .object(unit)
    }

    private static func tree(_ error: ValidationError) -> JSONValue {
        // A keyword with only one cause is left out, because the cause is more precise (§12.4.3).
        if error.causes.count == 1 { return tree(error.causes[0]) }
        guard !error.causes.isEmpty, case .object(var object) = unit(error) else { return unit(error) }
        object["errors"] = .array(error.causes.map(tree))
        return .object(object)
    }
}
