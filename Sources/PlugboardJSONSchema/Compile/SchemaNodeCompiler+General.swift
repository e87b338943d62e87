@_spi(Tape) import PlugboardJSON

extension SchemaNodeCompiler {
    mutating func reference(_ value: JSONValue, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        guard let text = value.stringValue else {
            throw compiler.error(.invalid, place, "$ref", "$ref must be a string, not \(value.kind).")
        }
        let location = compiler.index.location(of: place) + "/$ref"
        let target = try compiler.index.target(of: text, in: resource, at: location).place
        let node = compiler.node(target)
        compiler.inPlace[compiler.node(place), default: []].append(node)
        any.append(
            Instruction(operation: .call, marks: true, a: node, location: compiler.location("$ref", place)))
    }

    mutating func dynamicReferences(
        _ keywords: Keywords, _ compiler: inout SchemaCompiler
    ) throws(SchemaError) {
        let keyword = draft == .draft2019 ? "$recursiveRef" : "$dynamicRef"
        guard let text = try keywords.string(keyword, compiler) else { return }
        let location = compiler.index.location(of: place) + "/\(keyword)"
        let (target, anchor) = try compiler.index.target(of: text, in: resource, at: location)
        let node = compiler.node(target)
        compiler.inPlace[compiler.node(place), default: []].append(node)
        let isDynamic =
            draft == .draft2019
            ? compiler.index.resources[compiler.index.resource(of: target)].isRecursive : anchor != nil
        let number = compiler.location(keyword, place)
        guard isDynamic else {
            any.append(Instruction(operation: .call, marks: true, a: node, location: number))
            return
        }
        compiler.dynamics.append((node, draft == .draft2019 ? nil : anchor.map { ExactText($0) }))
        any.append(
            Instruction(
                operation: .dynamic, marks: true, a: UInt32(compiler.dynamics.count - 1), location: number))
    }

    /// Compiles `type`, `enum` and `const`.
    mutating func general(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        if let type = keywords["type"] { try self.type(type, &compiler) }
        if let values = try keywords.array("enum", compiler) {
            let start = compiler.constants.count
            compiler.constants += values
            compiler.enumerations.append(start..<compiler.constants.count)
            constants.append(
                Instruction(
                    operation: .enumeration, a: UInt32(compiler.enumerations.count - 1),
                    location: compiler.location("enum", place)))
        }
        if draft >= .draft6, let value = keywords["const"] {
            let start = compiler.constants.count
            compiler.constants.append(value)
            compiler.enumerations.append(start..<start + 1)
            constants.append(
                Instruction(
                    operation: .constant, a: UInt32(compiler.enumerations.count - 1),
                    location: compiler.location("const", place)))
        }
    }

    private mutating func type(_ value: JSONValue, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        func bits(_ kinds: JSONToken.Kind...) -> UInt16 { kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) } }
        let names = value.stringValue.map { [JSONValue.string($0)] } ?? value.arrayValue
        guard let names else {
            throw compiler.error(.invalid, place, "type", "type must be a string or an array, not \(value.kind).")
        }
        guard !names.isEmpty else {
            throw compiler.error(.invalid, place, "type", "type must name at least one type.")
        }
        var kinds: UInt16 = 0
        var isPlainInteger = false
        for name in names {
            switch name.stringValue {
            case "null": kinds |= bits(.null)
            case "boolean": kinds |= bits(.true, .false)
            case "integer":
                kinds |= bits(.integer, .bigInteger)
                isPlainInteger = draft == .draft4
            case "number": kinds |= bits(.integer, .bigInteger, .decimal, .bigDecimal)
            case "string": kinds |= bits(.string)
            case "array": kinds |= bits(.array)
            case "object": kinds |= bits(.object)
            default:
                throw compiler.error(
                    .invalid, place, "type",
                    "A type must be null, boolean, integer, number, string, array or object, "
                        + "not \(name.stringValue?.quotedText ?? name.kind).")
            }
        }
        node.kinds = kinds
        node.typeLocation = compiler.location("type", place)
        // In draft 4, 1.0 is not an integer.
        if isPlainInteger && kinds & bits(.decimal) == 0 {
            number.append(Instruction(operation: .plainInteger, location: node.typeLocation))
        }
    }

    mutating func combinations(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        for (keyword, operation) in [("allOf", nil), ("anyOf", .anyOf), ("oneOf", .oneOf)]
            as [(String, Instruction.Operation?)]
        {
            guard let schemas = try keywords.array(keyword, compiler) else { continue }
            guard !schemas.isEmpty else {
                throw compiler.error(.invalid, place, keyword, "\(keyword) must have at least one schema.")
            }
            let nodes = schemas.indices.map { inPlace("\(keyword)/\($0)", &compiler) }
            if let operation {
                let start = UInt32(compiler.draft.lists.count)
                compiler.draft.lists += nodes
                any.append(
                    Instruction(
                        operation: operation, marks: true, a: start, b: start + UInt32(nodes.count),
                        location: compiler.location(keyword, place)))
            } else {
                for (position, node) in nodes.enumerated() {
                    let location = compiler.location("\(keyword)/\(position)", place)
                    any.append(Instruction(operation: .call, marks: true, a: node, location: location))
                }
            }
        }
        if keywords.has("not") {
            let node = inPlace("not", &compiler)
            any.append(Instruction(operation: .not, a: node, location: compiler.location("not", place)))
        }
        if draft >= .draft7, keywords.has("if") {
            var plan = ConditionPlan(condition: inPlace("if", &compiler))
            if keywords.has("then") { plan.then = inPlace("then", &compiler) }
            if keywords.has("else") { plan.otherwise = inPlace("else", &compiler) }
            compiler.draft.conditions.append(plan)
            any.append(
                Instruction(
                    operation: .condition, marks: true, a: UInt32(compiler.draft.conditions.count - 1),
                    location: compiler.location("if", place)))
        }
    }

    mutating func numbers(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        var operations: [(String, Instruction.Operation)] = [
            ("minimum", .minimum), ("maximum", .maximum), ("multipleOf", .multipleOf),
        ]
        if draft == .draft4 {
            // In draft 4 these are booleans, which change minimum and maximum.
            if try keywords.bool("exclusiveMinimum", compiler) == true { operations[0].1 = .exclusiveMinimum }
            if try keywords.bool("exclusiveMaximum", compiler) == true { operations[1].1 = .exclusiveMaximum }
        } else {
            operations += [("exclusiveMinimum", .exclusiveMinimum), ("exclusiveMaximum", .exclusiveMaximum)]
        }
        for (keyword, operation) in operations {
            guard let value = try keywords.number(keyword, compiler) else { continue }
            if operation == .multipleOf, value <= 0 {
                throw compiler.error(.invalid, place, keyword, "multipleOf must be greater than 0.")
            }
            compiler.draft.numbers.append(value)
            number.append(
                Instruction(
                    operation: operation, a: UInt32(compiler.draft.numbers.count - 1),
                    location: compiler.location(keyword, place)))
        }
    }

    mutating func strings(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        for (keyword, operation) in [("minLength", .minLength), ("maxLength", .maxLength)]
            as [(String, Instruction.Operation)]
        {
            guard let count = try keywords.count(keyword, compiler) else { continue }
            string.append(Instruction(operation: operation, a: count, location: compiler.location(keyword, place)))
        }
        if let text = try keywords.string("pattern", compiler) {
            let pattern = try compiler.pattern(text, place, "pattern")
            string.append(
                Instruction(operation: .pattern, a: pattern, location: compiler.location("pattern", place)))
        }
    }

    mutating func formats(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        guard let name = try keywords.string("format", compiler), let format = Format(rawValue: name) else { return }
        // Options cannot switch off a vocabulary that asserts formats.
        guard compiler.options.formats == true || vocabulary.contains(.formatAssertion) else { return }
        compiler.draft.formats.append(format)
        string.append(
            Instruction(
                operation: .format, a: UInt32(compiler.draft.formats.count - 1),
                location: compiler.location("format", place)))
    }

    /// Content is asserted only in draft 7: later drafts have annotations instead, unless the options assert them.
    mutating func contents(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        guard compiler.options.contents ?? (draft == .draft7), draft >= .draft7 else { return }
        let encoding = try keywords.string("contentEncoding", compiler)
        let type = try keywords.string("contentMediaType", compiler)
        guard encoding != nil || type != nil else { return }
        var check = ContentCheck(isBase64: encoding == "base64", isJSON: type.map(JSONParser.isJSON) ?? false)
        if check.isJSON, draft >= .draft2019, keywords.has("contentSchema") {
            check.node = child("contentSchema", &compiler)
        }
        guard check.isBase64 || (check.isJSON && encoding == nil) else { return }
        compiler.draft.contents.append(check)
        string.append(
            Instruction(
                operation: .content, a: UInt32(compiler.draft.contents.count - 1),
                location: compiler.location(encoding == nil ? "contentMediaType" : "contentEncoding", place)))
    }
}

extension String {
    /// The text in quotes, cut to 40 characters, for errors.
    var quotedText: String { "\"\(String(unicodeScalars.prefix(40)))\"" }
}
