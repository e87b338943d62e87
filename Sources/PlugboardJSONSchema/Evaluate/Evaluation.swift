@_spi(Tape) import PlugboardJSON
import PlugboardSystem

/// Runs a program over the tokens of one document. Exists during one call, on one thread.
///
/// The pointers point into the program and the document, which the caller keeps alive.
struct Evaluation {
    /// The reasons to end an evaluation without a result.
    enum Stop: UInt8 {
        case none, depth, pattern, work
    }

    /// The most nested schemas that are evaluated at a time. A smaller stack allows fewer: see `lowestStack`.
    static let depthLimit = 2048
    /// The most schemas that may be applied to values, their members and elements: a number for each document, and one
    /// for each of its values. Only schemas that branch at each level need more.
    static let workLimit = (document: 5_000_000, value: 1000)
    /// Used instead of a region of marks if evaluated members and elements are not counted.
    static let unmarked = -1

    /// The prepared nodes.
    let nodes: UnsafePointer<Node>
    let code: UnsafePointer<Instruction>
    /// For a streamed document, both are set before each use.
    var tokens: UnsafePointer<JSONToken>
    var bytes: UnsafePointer<UInt8>
    let program: Unmanaged<Program>
    let lists: UnsafePointer<UInt32>
    let names: UnsafePointer<NameSlot>
    let nameBytes: UnsafePointer<UInt8>
    let plans: UnsafePointer<MembersPlan>
    let itemsPlans: UnsafePointer<ItemsPlan>
    let containsPlans: UnsafePointer<ContainsPlan>
    let conditions: UnsafePointer<ConditionPlan>
    let dependencies: UnsafePointer<DependencyPlan>
    let dependentNames: UnsafePointer<NameSlot>
    let enumerations: UnsafePointer<EnumerationPlan>
    let tables: UnsafePointer<UInt32>
    let limits: UnsafePointer<Limit>
    let patternNodes: UnsafePointer<PatternNode>
    let patternCodes: UnsafePointer<PatternCode>
    let constantTokens: UnsafePointer<JSONToken>
    let constantBytes: UnsafePointer<UInt8>
    let scratch: Unmanaged<Scratch>
    let hasDynamicScope: Bool
    let seed: UInt64
    var depth = 0
    var stop = Stop.none
    /// The limit of the thread's stack; for a streamed document, set before each use.
    var lowestStack: UInt
    var patternTime: PatternTime
    /// The remaining work.
    var work: Int

    init(_ program: Program, _ document: JSONDocument, _ scratch: Scratch) {
        self.init(program, document.tokens, document.bytes, tokenCount: document.tokenCount, scratch)
    }

    init(
        _ program: Program, _ tokens: UnsafePointer<JSONToken>, _ bytes: UnsafePointer<UInt8>, tokenCount: Int,
        _ scratch: Scratch
    ) {
        nodes = UnsafePointer(program.preparedNodes.base)
        lowestStack = StackBound.current
        code = UnsafePointer(program.code.base)
        self.tokens = tokens
        work = Evaluation.workLimit.document &+ Evaluation.workLimit.value &* tokenCount
        self.bytes = bytes
        lists = UnsafePointer(program.lists.base)
        names = UnsafePointer(program.names.base)
        nameBytes = UnsafePointer(program.nameBytes.base)
        plans = UnsafePointer(program.plans.base)
        itemsPlans = UnsafePointer(program.items.base)
        containsPlans = UnsafePointer(program.contains.base)
        conditions = UnsafePointer(program.conditions.base)
        dependencies = UnsafePointer(program.dependencies.base)
        dependentNames = UnsafePointer(program.dependentNames.base)
        enumerations = UnsafePointer(program.enumerations.base)
        tables = UnsafePointer(program.tables.base)
        limits = UnsafePointer(program.limits.base)
        patternNodes = UnsafePointer(program.patternNodes.base)
        patternCodes = UnsafePointer(program.patternCodes.base)
        constantTokens = UnsafePointer(program.constants.tokens)
        constantBytes = UnsafePointer(program.constants.bytes)
        self.program = .passUnretained(program)
        self.scratch = .passUnretained(scratch)
        hasDynamicScope = program.hasDynamicScope
        seed = program.seed
        patternTime = PatternTime(seed: seed)
    }

    /// The document.
    @inline(__always) var values: JSONTokens { JSONTokens(tokens, bytes) }
    /// The values of `const` and `enum`.
    @inline(__always) var constants: JSONTokens { JSONTokens(constantTokens, constantBytes) }

    /// The token after a value.
    @inline(__always)
    func after(_ token: Int) -> Int {
        tokens[token].kind.isContainer ? tokens[token].offset : token &+ 1
    }

    @inline(__always)
    func lets(_ node: UnsafePointer<Node>, _ kind: JSONToken.Kind) -> Bool {
        node.pointee.kinds &>> UInt16(kind.rawValue) & 1 != 0
    }

    /// The section of code for each kind of tokens, as four bits that are its position in a node.
    private static let sections: UInt64 = 0x3354_3222_2110

    @inline(__always)
    func section(_ node: UnsafePointer<Node>, _ kind: JSONToken.Kind) -> Node.Code {
        let position = Evaluation.sections &>> UInt64(kind.rawValue &* 4) & 0xF
        let offset = Node.codeOffset &+ Int(truncatingIfNeeded: position) &* MemoryLayout<Node.Code>.stride
        return (UnsafeRawPointer(node) + offset).load(as: Node.Code.self)
    }

    /// Whether a value matches a schema.
    @inline(__always)
    mutating func check(_ node: UInt32, _ token: Int) -> Bool {
        check(node, token, Evaluation.unmarked)
    }

    /// Whether a value matches a schema. Adds the members and elements that the schema evaluates to the marks.
    @inline(__always)
    mutating func check(_ index: UInt32, _ token: Int, _ marks: Int) -> Bool {
        let node = nodes + Int(index)
        let bit = UInt16(truncatingIfNeeded: tokens[token].kind.rawValue)
        if node.pointee.plainKinds &>> bit & 1 != 0 { return true }
        guard node.pointee.kinds &>> bit & 1 != 0 else { return false }
        return node.pointee.leafKinds &>> bit & 1 != 0 ? scalar(node, token) : enter(node, token, marks)
    }

    /// Runs code that applies no other schema.
    @inline(never)
    private mutating func scalar(_ node: UnsafePointer<Node>, _ token: Int) -> Bool {
        guard charge(Int(node.pointee.weight)) else { return false }
        return run(section(node, tokens[token].kind), token, Evaluation.unmarked)
    }

    @inline(never)
    private mutating func enter(_ node: UnsafePointer<Node>, _ token: Int, _ marks: Int) -> Bool {
        guard depth < Evaluation.depthLimit, StackBound.position > lowestStack else {
            stop = .depth
            return false
        }
        let kind = tokens[token].kind
        let size = kind.isContainer ? 1 &+ Int(tokens[token].count) : 1
        guard charge(size &* Int(node.pointee.weight)) else { return false }
        let section = section(node, kind)
        depth &+= 1
        let isValid: Bool
        if node.pointee.markedKinds == 0 && !hasDynamicScope {
            isValid = run(section, token, marks)
        } else {
            isValid = enterMarked(node, section, token, marks)
        }
        depth &-= 1
        return isValid
    }

    @inline(never)
    private mutating func enterMarked(
        _ node: UnsafePointer<Node>, _ section: Node.Code, _ token: Int, _ marks: Int
    ) -> Bool {
        let resource = node.pointee.resource
        let entersResource = hasDynamicScope && scratch._withUnsafeGuaranteedRef { $0.scope.last != resource }
        if entersResource { scratch._withUnsafeGuaranteedRef { $0.scope.append(resource) } }
        defer { if entersResource { scratch._withUnsafeGuaranteedRef { _ = $0.scope.popLast() } } }
        let kind = tokens[token].kind
        let needed: UInt8 = kind == .array ? 1 : kind == .object ? 2 : 0
        guard node.pointee.markedKinds & needed != 0 else { return runAll(section, token, marks) }
        let own = openMarks(token)
        let isValid = runAll(section, token, own)
        closeMarks(own, into: isValid ? marks : Evaluation.unmarked, token)
        return isValid
    }

    @inline(never)
    private mutating func runAll(_ section: Node.Code, _ token: Int, _ marks: Int) -> Bool {
        run(section, token, marks)
    }

    @inline(__always)
    private mutating func run(_ section: Node.Code, _ token: Int, _ marks: Int) -> Bool {
        var instruction = code + Int(section.start)
        let end = code + Int(section.end)
        while instruction < end {
            guard step(instruction, token, marks) else { return false }
            instruction += 1
        }
        return true
    }

    @inline(__always)
    mutating func step(_ instruction: UnsafePointer<Instruction>, _ token: Int, _ marks: Int) -> Bool {
        let a = instruction.pointee.a
        switch instruction.pointee.operation {
        case .call: return check(a, token, marks)
        case .anyOf: return anyOf(a, instruction.pointee.b, token, marks)
        case .oneOf: return oneOf(a, instruction.pointee.b, token, marks)
        case .not: return !check(a, token) && stop == .none
        case .condition: return condition(Int(a), token, marks)
        case .constant, .enumeration: return isListed(Int(a), token)
        case .dynamic: return dynamic(Int(a), token, marks)
        case .plainInteger: return tokens[token].detail & JSONToken.hasFraction == 0
        case .minimum: return compare(token, Int(a)) >= 0
        case .exclusiveMinimum: return compare(token, Int(a)) > 0
        case .maximum: return compare(token, Int(a)) <= 0
        case .exclusiveMaximum: return compare(token, Int(a)) < 0
        case .multipleOf: return isMultiple(token, Int(a))
        case .minLength: return length(token) >= Int(a)
        case .maxLength: return length(token) <= Int(a)
        case .pattern: return matches(a, token)
        case .format: return hasFormat(Int(a), token)
        case .content: return hasContent(Int(a), token)
        case .minItems, .minProperties: return tokens[token].count >= a
        case .maxItems, .maxProperties: return tokens[token].count <= a
        case .items: return items(Int(a), token, marks)
        case .contains: return contains(Int(a), token, marks)
        case .uniqueItems: return isUnique(token)
        case .unevaluatedItems: return unevaluatedItems(a, token, marks)
        case .members: return members(plans + Int(a), token, marks)
        case .required: return hasRequired(plans + Int(a), token)
        case .dependency: return dependency(Int(a), token, marks)
        case .unevaluatedProperties: return unevaluatedProperties(a, token, marks)
        }
    }
}
