import PlugboardJSON

/// Runs a program a second time over a document that is not valid, and collects the errors.
struct Explanation {
    private var evaluation: Evaluation
    let program: Program
    private var left: Int
    private var depth = 0

    /// The evaluation's marks, scope and limits are the explanation's, too.
    init(_ program: Program, _ evaluation: Evaluation, limit: Int) {
        self.program = program
        self.evaluation = evaluation
        left = max(1, limit)
    }

    mutating func run() -> ValidationResult {
        let errors = explain(program.root, 0, "", "")
        return result(errors, stop: evaluation.stop)
    }

    /// The result with these errors, or with the one that says what ended the evaluation.
    func result(_ errors: [ValidationError], stop: Evaluation.Stop) -> ValidationResult {
        var errors = errors
        switch stop == .none ? evaluation.stop : stop {
        case .none: break
        case .depth:
            errors = [
                limitError(
                    "the schema's rules are nested deeper than \(Evaluation.depthLimit), or than the thread's stack allows"
                )
            ]
        case .work: errors = [limitError("the schema needs more steps than its limit for this document")]
        case .pattern: errors = [limitError("a regular expression needs more steps than its limit for this document")]
        }
        if errors.isEmpty { errors = [limitError("it does not match the schema")] }
        return ValidationResult(errors: errors)
    }

    private func limitError(_ reason: String) -> ValidationError {
        ValidationError(
            instanceLocation: "", keywordLocation: "",
            absoluteKeywordLocation: program.locations[Int(program.nodes.base[Int(program.root)].location)].absolute,
            rule: "", message: "The document cannot be judged: \(reason).")
    }

    /// The errors of a value against a schema; empty if it matches.
    mutating func explain(_ index: UInt32, _ token: Int, _ instance: String, _ path: String)
        -> [ValidationError]
    {
        guard left > 0, depth < 600, evaluation.stop == .none else { return [] }
        guard StackBound.position > evaluation.lowestStack else {
            evaluation.stop = .depth
            return []
        }
        depth += 1
        defer { depth -= 1 }
        let node = UnsafePointer(program.nodes.base) + Int(index)
        let found = evaluation.tokens[token].kind
        let kind: Token.Kind = found == .key ? .string : found
        if !evaluation.lets(node, kind) {
            left -= 1
            return [Explanation.wrongType(program, node, instance, path)]
        }
        if let resource = program.hasDynamicScope ? node.pointee.resource : nil {
            evaluation.scratch.takeUnretainedValue().scope.append(resource)
        }
        defer {
            if program.hasDynamicScope { _ = evaluation.scratch.takeUnretainedValue().scope.popLast() }
        }
        var marks = Evaluation.unmarked
        let needed: UInt8 = kind == .array ? 1 : kind == .object ? 2 : 0
        if node.pointee.markedKinds & needed != 0 { marks = evaluation.openMarks(token) }
        defer { if marks >= 0 { evaluation.closeMarks(marks, into: Evaluation.unmarked, token) } }
        var errors: [ValidationError] = []
        let section = evaluation.section(node, kind)
        for position in section.start..<section.end where left > 0 {
            let instruction = UnsafePointer(program.code.base) + Int(position)
            if !evaluation.step(instruction, token, marks) {
                errors += explain(instruction.pointee, token, instance, path)
            }
            if evaluation.stop != .none { return errors }
        }
        return errors
    }

    mutating func explain(
        _ instruction: Instruction, _ token: Int, _ instance: String, _ path: String
    ) -> [ValidationError] {
        let location = program.locations[Int(instruction.location)]
        let own = "\(path)/\(location.keyword)"
        switch instruction.operation {
        case .members, .required: return members(Int(instruction.a), token, instance, path)
        default: break
        }
        var causes: [ValidationError] = []
        switch instruction.operation {
        case .call: causes = explain(instruction.a, token, instance, own)
        case .anyOf, .oneOf:
            for (position, entry) in (instruction.a..<instruction.b).enumerated() {
                causes += explain(program.lists.base[Int(entry)], token, instance, "\(own)/\(position)")
            }
        case .items: causes = items(Int(instruction.a), token, instance, path, own)
        case .condition:
            let plan = program.conditions.base[Int(instruction.a)]
            let matches = evaluation.check(plan.condition, token)
            let node = matches ? plan.then : plan.otherwise
            if node != MembersPlan.none {
                return explain(node, token, instance, "\(path)/\(matches ? "then" : "else")")
            }
        case .dependency:
            let plan = program.dependencies.base[Int(instruction.a)]
            if plan.node != MembersPlan.none { causes = explain(plan.node, token, instance, own) }
        default: break
        }
        if causes.isEmpty { left -= 1 }
        return [error(instruction, instance, path, causes)]
    }

    /// The error of a value that does not pass an instruction.
    func error(
        _ instruction: Instruction, _ instance: String, _ path: String, _ causes: [ValidationError] = []
    ) -> ValidationError {
        let location = program.locations[Int(instruction.location)]
        let rule = String(Substring(location.keyword.utf8.prefix { $0 != UInt8(ascii: "/") }))
        return ValidationError(
            instanceLocation: instance, keywordLocation: "\(path)/\(location.keyword)",
            absoluteKeywordLocation: location.absolute, rule: rule, message: message(instruction, rule), causes: causes)
    }

    /// The error of a value whose kind a schema does not allow.
    static func wrongType(
        _ program: Program, _ node: UnsafePointer<Node>, _ instance: String, _ path: String
    ) -> ValidationError {
        let isFalse = node.pointee.kinds == 0
        let location = program.locations[Int(isFalse ? node.pointee.location : node.pointee.typeLocation)]
        return ValidationError(
            instanceLocation: instance, keywordLocation: isFalse ? path : "\(path)/type",
            absoluteKeywordLocation: location.absolute, rule: isFalse ? "" : "type",
            message: isFalse
                ? "No value is allowed here." : "The value must be \(Explanation.kinds(node.pointee.kinds)).")
    }

    /// The error of a property that `additionalProperties: false` refuses.
    static func closed(_ location: String, _ instance: String, _ path: String) -> ValidationError {
        ValidationError(
            instanceLocation: instance, keywordLocation: path, absoluteKeywordLocation: location,
            rule: "additionalProperties", message: "The schema does not allow this property.")
    }

    private mutating func items(
        _ index: Int, _ token: Int, _ instance: String, _ path: String, _ own: String
    ) -> [ValidationError] {
        let plan = program.items.base[index]
        let prefix = Int(plan.prefixEnd - plan.prefixStart)
        var errors: [ValidationError] = []
        var element = token + 1
        for position in 0..<Int(evaluation.tokens[token].count) where left > 0 {
            let node = position < prefix ? program.lists.base[Int(plan.prefixStart) + position] : plan.rest
            if node != MembersPlan.none {
                let keyword = program.locations[Int(program.nodes.base[Int(node)].location)].absolute
                let relative =
                    position < prefix ? "\(own)/\(position)" : "\(path)/\(Explanation.lastStep(keyword))"
                errors += explain(node, element, "\(instance)/\(position)", relative)
            }
            element = evaluation.after(element)
        }
        return errors
    }

    static func lastStep(_ location: String) -> String {
        location.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(location[location.utf8.index(after: $0)...]) } ?? ""
    }

    private func step(_ key: Int) -> String {
        let token = evaluation.tokens[key]
        let text = String(
            decoding: UnsafeBufferPointer(start: evaluation.bytes + token.offset, count: Int(token.count)),
            as: UTF8.self)
        return SchemaIndex.escape(text)
    }

    private mutating func members(
        _ index: Int, _ token: Int, _ instance: String, _ path: String
    ) -> [ValidationError] {
        let plan = program.plans.base[index]
        let names = program.names.base + Int(plan.table)
        let evaluation = evaluation
        var errors = missing(plan, instance, path) { evaluation.find(names[$0], in: token) != nil }
        var key = token + 1
        while key < evaluation.tokens[token].offset, left > 0 {
            if evaluation.tokens[key].kind == .key { errors += member(plan, key, instance, path) }
            key = evaluation.after(key + 1)
        }
        return errors
    }

    /// The errors of the required names that are not there. The closure gets the positions of names in their table.
    mutating func missing(
        _ plan: MembersPlan, _ instance: String, _ path: String, _ isThere: (Int) -> Bool
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
                ValidationError(
                    instanceLocation: instance, keywordLocation: "\(path)/required",
                    absoluteKeywordLocation: location, rule: "required",
                    message: "The property \(name.quotedText) is missing."))
        }
        return errors
    }

    private mutating func member(
        _ plan: MembersPlan, _ key: Int, _ instance: String, _ path: String
    ) -> [ValidationError] {
        var errors: [ValidationError] = []
        var isKnown = false
        let step = Explanation.shortened(step(key))
        let own = "\(instance)/\(step)"
        let token = evaluation.tokens[key]
        withUnsafePointer(to: plan) { plan in
            if let slot = evaluation.slot(plan, token), slot.pointee.node != MembersPlan.none {
                isKnown = true
                errors += explain(slot.pointee.node, key + 1, own, "\(path)/properties/\(step)")
            }
        }
        if plan.keys != MembersPlan.none { errors += explain(plan.keys, key, own, "\(path)/propertyNames") }
        for entry in plan.patternsStart..<plan.patternsEnd {
            let pattern = program.patternNodes.base[Int(entry)]
            guard evaluation.matches(pattern.pattern, key) else { continue }
            isKnown = true
            let absolute = program.locations[Int(program.nodes.base[Int(pattern.node)].location)].absolute
            errors += explain(
                pattern.node, key + 1, own, "\(path)/patternProperties/\(Explanation.lastStep(absolute))")
        }
        guard !isKnown, plan.additional != MembersPlan.none, left > 0 else { return errors }
        if plan.isClosed {
            left -= 1
            let location = program.locations[Int(plan.additionalLocation)].absolute
            return errors + [Explanation.closed(location, own, "\(path)/additionalProperties")]
        }
        return errors + explain(plan.additional, key + 1, own, "\(path)/additionalProperties")
    }
}
