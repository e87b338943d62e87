@_spi(Tape) import PlugboardJSON

/// Options of errors.
struct ErrorOptions {
    /// The most errors.
    var limit = 100
    /// The most bytes of values that errors quote; with 0 they quote none.
    var valueLimit = 0
}

/// Runs a program a second time over an invalid document, and collects the errors.
struct RefusalReport {
    var evaluation: Evaluation
    let program: Program
    let valueLimit: Int
    /// The number of further errors that are allowed.
    var left: Int
    private var depth = 0
    /// The paths to the value and to the schema; their texts are made only for an error.
    var instance: [InstanceStep] = []
    var keywords: [KeywordStep] = []

    /// Uses the marks, scope and limits of the evaluation.
    ///
    /// - Parameters:
    ///   - instance: The JSON Pointer of the value.
    ///   - keywords: The path of keywords that led to its schema.
    init(
        _ program: Program, _ evaluation: Evaluation, _ options: ErrorOptions, instance: String = "",
        keywords: String = ""
    ) {
        self.program = program
        self.evaluation = evaluation
        left = max(1, options.limit)
        valueLimit = options.valueLimit
        self.instance.append(.text(instance))
        self.keywords.append(.text(keywords))
    }

    mutating func run() -> ValidationResult {
        let errors = explain(program.root, 0)
        return result(errors, stop: evaluation.stop)
    }

    /// The result with these errors, or with the reason that ended the evaluation.
    func result(_ errors: [ValidationError], stop: Evaluation.Stop) -> ValidationResult {
        var errors = errors
        let stop = stop == .none ? evaluation.stop : stop
        switch stop {
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
        return ValidationResult(errors: errors, isLimited: stop != .none)
    }

    private func limitError(_ reason: String) -> ValidationError {
        ValidationError(
            instanceLocation: "", keywordLocation: "",
            absoluteKeywordLocation: program.locations[Int(program.nodes.base[Int(program.root)].location)].absolute,
            rule: "", message: "The document cannot be judged: \(reason).")
    }

    /// The errors of a value against a schema; empty if it matches.
    mutating func explain(_ index: UInt32, _ token: Int) -> [ValidationError] {
        guard left > 0, depth < 600, evaluation.stop == .none else { return [] }
        guard StackBound.position > evaluation.lowestStack else {
            evaluation.stop = .depth
            return []
        }
        depth += 1
        defer { depth -= 1 }
        let node = UnsafePointer(program.nodes.base) + Int(index)
        let found = evaluation.tokens[token].kind
        let kind: JSONToken.Kind = found == .key ? .string : found
        if !evaluation.lets(node, kind) {
            left -= 1
            return [wrongType(index, token)]
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
            if !evaluation.step(instruction, token, marks) { errors += explain(instruction.pointee, token) }
            if evaluation.stop != .none { return errors }
        }
        return errors
    }

    /// The errors of a schema after a step to it, and of a part of the value if there is a step to that.
    mutating func explain(
        _ index: UInt32, _ token: Int, _ keyword: KeywordStep, _ part: InstanceStep? = nil
    ) -> [ValidationError] {
        keywords.append(keyword)
        if let part { instance.append(part) }
        defer {
            keywords.removeLast()
            if part != nil { instance.removeLast() }
        }
        return explain(index, token)
    }

    mutating func explain(_ instruction: Instruction, _ token: Int) -> [ValidationError] {
        let own = KeywordStep.keyword(instruction.location)
        var causes: [ValidationError] = []
        switch instruction.operation {
        case .members, .required: return members(Int(instruction.a), token)
        case .call: causes = explain(instruction.a, token, own)
        case .anyOf, .oneOf:
            for (position, entry) in (instruction.a..<instruction.b).enumerated() {
                causes += explain(
                    program.lists.base[Int(entry)], token, .branch(instruction.location, position))
            }
        case .items: causes = items(instruction, token)
        case .condition:
            let plan = program.conditions.base[Int(instruction.a)]
            let matches = evaluation.check(plan.condition, token)
            let node = matches ? plan.then : plan.otherwise
            if node != MembersPlan.none { return explain(node, token, .word(matches ? "then" : "else")) }
        case .dependency:
            let plan = program.dependencies.base[Int(instruction.a)]
            if plan.node != MembersPlan.none { causes = explain(plan.node, token, own) }
        default: break
        }
        if causes.isEmpty { left -= 1 }
        return [error(instruction, token, causes)]
    }

    private mutating func items(_ instruction: Instruction, _ token: Int) -> [ValidationError] {
        let plan = program.items.base[Int(instruction.a)]
        let prefix = Int(plan.prefixEnd - plan.prefixStart)
        var errors: [ValidationError] = []
        var element = token + 1
        for position in 0..<Int(evaluation.tokens[token].count) where left > 0 {
            let isPrefix = position < prefix
            let node = isPrefix ? program.lists.base[Int(plan.prefixStart) + position] : plan.rest
            if node != MembersPlan.none {
                let step = isPrefix ? KeywordStep.branch(instruction.location, position) : .lastStep(node)
                errors += explain(node, element, step, .element(position))
            }
            element = evaluation.after(element)
        }
        return errors
    }

    private mutating func members(_ index: Int, _ token: Int) -> [ValidationError] {
        let plan = program.plans.base[index]
        let names = program.names.base + Int(plan.table)
        let evaluation = evaluation
        var errors = missing(plan, token) { evaluation.find(names[$0], in: token) != nil }
        var key = token + 1
        while key < evaluation.tokens[token].offset, left > 0 {
            errors += member(plan, key)
            key = evaluation.after(key + 1)
        }
        return errors
    }

    private mutating func member(_ plan: MembersPlan, _ key: Int) -> [ValidationError] {
        var errors: [ValidationError] = []
        var isKnown = false
        let part = InstanceStep.member(key)
        let name = evaluation.tokens[key]
        let slot = withUnsafePointer(to: plan) { evaluation.slot($0, name) }
        if let slot, slot.pointee.node != MembersPlan.none {
            isKnown = true
            errors += explain(slot.pointee.node, key + 1, .property(key), part)
        }
        if plan.keys != MembersPlan.none, name.kind == .key {
            errors += explain(plan.keys, key, .word("propertyNames"), part)
        }
        for entry in plan.patternsStart..<plan.patternsEnd {
            let pattern = program.patternNodes.base[Int(entry)]
            guard evaluation.matches(pattern.pattern, key) else { continue }
            isKnown = true
            errors += explain(pattern.node, key + 1, .pattern(pattern.node), part)
        }
        guard !isKnown, plan.additional != MembersPlan.none, left > 0 else { return errors }
        let step = KeywordStep.word("additionalProperties")
        guard plan.isClosed else { return errors + explain(plan.additional, key + 1, step, part) }
        left -= 1
        instance.append(part)
        keywords.append(step)
        errors.append(closed(plan.additionalLocation, key + 1))
        instance.removeLast()
        keywords.removeLast()
        return errors
    }
}
