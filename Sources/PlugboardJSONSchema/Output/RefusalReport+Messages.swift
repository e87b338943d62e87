@_spi(Tape) import PlugboardJSON

/// Makes the messages of errors.
extension RefusalReport {
    static func kinds(_ kinds: UInt16) -> String {
        func has(_ kind: JSONToken.Kind) -> Bool { kinds >> UInt16(kind.rawValue) & 1 != 0 }
        var words: [String] = []
        if has(.null) { words.append("null") }
        if has(.true) { words.append("a boolean") }
        if has(.decimal) { words.append("a number") } else if has(.integer) { words.append("an integer") }
        if has(.string) { words.append("a string") }
        if has(.array) { words.append("an array") }
        if has(.object) { words.append("an object") }
        return words.joined(separator: " or ")
    }

    func message(_ instruction: Instruction, _ rule: String) -> String {
        let a = Int(instruction.a)
        func limit() -> String { program.numbers[a].text.utf8.count <= 40 ? program.numbers[a].text : "the limit" }
        switch instruction.operation {
        case .call, .dynamic, .dependency, .condition: return "The value does not match the schema of \(rule)."
        case .anyOf: return "The value matches none of the schemas of anyOf."
        case .oneOf: return "The value must match exactly one of the schemas of oneOf."
        case .not: return "The value must not match the schema of not."
        case .constant: return "The value must be the constant of the schema."
        case .enumeration: return "The value must be one of those that the schema lists."
        case .plainInteger: return "The value must be an integer, written without a fraction."
        case .minimum: return "The number must be at least \(limit())."
        case .exclusiveMinimum: return "The number must be greater than \(limit())."
        case .maximum: return "The number must be at most \(limit())."
        case .exclusiveMaximum: return "The number must be less than \(limit())."
        case .multipleOf: return "The number must be a multiple of \(limit())."
        case .minLength: return "The string must have at least \(a) characters."
        case .maxLength: return "The string must have at most \(a) characters."
        case .pattern: return "The string does not match the regular expression of the schema."
        case .format: return "The string does not have the format \(program.formats.base[a].rawValue)."
        case .content: return "The string does not have the content that the schema names."
        case .minItems: return "The array must have at least \(a) elements."
        case .maxItems: return "The array must have at most \(a) elements."
        case .items: return "An element does not match its schema."
        case .contains:
            let plan = program.contains.base[a]
            let most = plan.most == .max ? "" : " and at most \(plan.most)"
            return "The array must have at least \(plan.least)\(most) elements that match the schema of contains."
        case .uniqueItems: return "The elements of the array must differ."
        case .unevaluatedItems: return "The schema does not allow an element that no other keyword describes."
        case .unevaluatedProperties: return "The schema does not allow a property that no other keyword describes."
        case .minProperties: return "The object must have at least \(a) properties."
        case .maxProperties: return "The object must have at most \(a) properties."
        case .members, .required: return "A property does not match its schema."
        }
    }
}

extension RefusalReport {
    /// A step of a path; a long one is cut, because deep documents with long names must not exhaust the
    /// memory.
    static func shortened(_ step: String) -> String {
        // Cuts by code points, because the length of a character is not limited.
        step.utf8.count <= 128 ? step : String(step.unicodeScalars.prefix(32)) + "…"
    }
}
