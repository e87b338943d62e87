@_spi(Tape) import PlugboardJSON

/// Makes errors with the places that they name.
extension RefusalReport {
    /// A step from a value to one of its members or elements.
    enum InstanceStep {
        /// The beginning of the path.
        case text(String)
        /// The token of a key.
        case member(Int)
        case element(Int)
    }

    /// A step from a schema to one that it applies.
    enum KeywordStep {
        /// The beginning of the path.
        case text(String)
        /// A keyword, by its location.
        case keyword(UInt32)
        /// One of the schemas of a keyword.
        case branch(UInt32, Int)
        case word(String)
        /// The last keyword in the location of a node.
        case lastStep(UInt32)
        /// The schema of a property, by the token of the key.
        case property(Int)
        /// The node of a pattern of properties.
        case pattern(UInt32)
    }

    private var instanceLocation: String {
        instance.reduce(into: "") { text, step in
            switch step {
            case .text(let start): text += start
            case .member(let key): text += "/\(name(key))"
            case .element(let position): text += "/\(position)"
            }
        }
    }

    private var keywordLocation: String {
        keywords.reduce(into: "") { text, step in
            switch step {
            case .text(let start): text += start
            case .keyword(let location): text += "/\(program.locations[Int(location)].keyword)"
            case .branch(let location, let position):
                text += "/\(program.locations[Int(location)].keyword)/\(position)"
            case .word(let word): text += "/\(word)"
            case .lastStep(let node): text += "/\(RefusalReport.lastStep(absolute(node)))"
            case .property(let key): text += "/properties/\(name(key))"
            case .pattern(let node): text += "/patternProperties/\(RefusalReport.lastStep(absolute(node)))"
            }
        }
    }

    private func absolute(_ node: UInt32) -> String {
        program.locations[Int(program.nodes.base[Int(node)].location)].absolute
    }

    static func lastStep(_ location: String) -> String {
        location.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(location[location.utf8.index(after: $0)...]) } ?? ""
    }

    private func name(_ key: Int) -> String {
        let token = evaluation.tokens[key]
        let text = String(
            decoding: UnsafeBufferPointer(start: evaluation.bytes + token.offset, count: Int(token.count)),
            as: UTF8.self)
        return RefusalReport.shortened(JSONPointer.escaped(text))
    }

    private func error(
        _ keyword: String, _ absolute: String, _ rule: String, _ message: String, _ token: Int?,
        _ causes: [ValidationError] = []
    ) -> ValidationError {
        var error = ValidationError(
            instanceLocation: instanceLocation, keywordLocation: keywordLocation + keyword,
            absoluteKeywordLocation: absolute, rule: rule, message: message, causes: causes)
        if let token, valueLimit > 0 {
            error.value = ValueText.text(token, of: evaluation.values, limit: valueLimit)
        }
        return error
    }

    /// The error of a value that does not pass an instruction. A value without a token is not quoted.
    func error(_ instruction: Instruction, _ token: Int?, _ causes: [ValidationError] = []) -> ValidationError {
        let location = program.locations[Int(instruction.location)]
        let rule = String(Substring(location.keyword.utf8.prefix { $0 != UInt8(ascii: "/") }))
        return error("/\(location.keyword)", location.absolute, rule, message(instruction, rule), token, causes)
    }

    /// The error of a value whose kind a schema does not allow.
    func wrongType(_ index: UInt32, _ token: Int?) -> ValidationError {
        let node = program.nodes.base[Int(index)]
        if node.kinds == 0 { return error("", absolute(index), "", "No value is allowed here.", token) }
        let absolute = program.locations[Int(node.typeLocation)].absolute
        return error("/type", absolute, "type", "The value must be \(RefusalReport.kinds(node.kinds)).", token)
    }

    /// The error of a property that `additionalProperties: false` refuses.
    func closed(_ location: UInt32, _ token: Int?) -> ValidationError {
        error(
            "", program.locations[Int(location)].absolute, "additionalProperties",
            "The schema does not allow this property.", token)
    }

    /// The errors of missing required names. The closure gets the positions of names in their table.
    mutating func missing(
        _ plan: MembersPlan, _ token: Int?, _ isThere: (Int) -> Bool
    ) -> [ValidationError] {
        let location = program.locations[Int(plan.requiredLocation)].absolute
        var errors: [ValidationError] = []
        for position in 0...Int(plan.mask) where left > 0 {
            let slot = program.names.base[Int(plan.table) + position]
            guard slot.isRequired, slot.count != .max, !isThere(position) else { continue }
            left -= 1
            let name = String(
                decoding: UnsafeBufferPointer(
                    start: program.nameBytes.base + Int(slot.offset), count: Int(slot.count)), as: UTF8.self)
            errors.append(
                error("/required", location, "required", "The property \(name.quotedText) is missing.", token))
        }
        return errors
    }
}
