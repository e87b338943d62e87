@_spi(Tape) import PlugboardJSON

/// Makes decisions by the kind of a value as soon as it begins, so that the array or object need not be kept.
extension StreamedCheck {
    /// The most schemas that are visited to find out whether one of them accepts a kind.
    private static let lookLimit = 32
    private static let numbers: UInt16 = [JSONToken.Kind.integer, .decimal, .bigInteger, .bigDecimal].reduce(0) {
        $0 | 1 << UInt16($1.rawValue)
    }

    /// Whether the kind of the array or object decides an instruction: it fails, needs no check, or becomes one schema,
    /// which is applied.
    ///
    /// In this way the common `"anyOf": [{"type": "null"}, {"$ref": "…"}]` is checked while streaming.
    mutating func isDecided(_ instruction: Instruction, _ index: Int, _ kind: JSONToken.Kind) -> Bool {
        let (a, own) = (instruction.a, Int32(index))
        switch instruction.operation {
        case .anyOf, .oneOf:
            let branches = branches(instruction, kind)
            switch branches.count {
            case 0: fail(instruction, index)
            case 1: apply(branches.node, own, .prefix, detail: instruction.location)
            default: return instruction.operation == .anyOf && branches.hasPlain
            }
            return true
        case .constant, .enumeration:
            guard !lists(a, kind) else { return false }
            fail(instruction, index)
            return true
        case .not: return !mayMatch(a, kind)
        case .condition:
            let plan = program.conditions.base[Int(a)]
            guard !mayMatch(plan.condition, kind) else { return false }
            if plan.otherwise != MembersPlan.none { apply(plan.otherwise, own, .rest) }
            return true
        default: return false
        }
    }

    /// The number of branches of `anyOf` or `oneOf` that may match a kind, the last one, and whether one matches all
    /// values of the kind.
    func branches(_ instruction: Instruction, _ kind: JSONToken.Kind) -> (count: Int, node: UInt32, hasPlain: Bool) {
        var found = (count: 0, node: MembersPlan.none, hasPlain: false)
        for entry in instruction.a..<instruction.b {
            let node = program.lists.base[Int(entry)]
            guard mayMatch(node, kind) else { continue }
            found.count += 1
            found.node = node
            if program.nodes.base[Int(node)].plainKinds >> UInt16(kind.rawValue) & 1 != 0 { found.hasPlain = true }
        }
        return found
    }

    /// Whether a schema may match a value of a kind, by `type`, `const` and `enum`, also through references and
    /// `allOf`.
    func mayMatch(_ index: UInt32, _ kind: JSONToken.Kind) -> Bool {
        var left = StreamedCheck.lookLimit
        return mayMatch(index, kind, &left)
    }

    private func mayMatch(_ index: UInt32, _ kind: JSONToken.Kind, _ left: inout Int) -> Bool {
        left -= 1
        guard left > 0 else { return true }
        let node = UnsafePointer(program.nodes.base) + Int(index)
        guard evaluation.lets(node, kind) else { return false }
        let section = evaluation.section(node, kind)
        for position in section.start..<section.end {
            let instruction = program.code.base[Int(position)]
            switch instruction.operation {
            case .call: if !mayMatch(instruction.a, kind, &left) { return false }
            case .constant, .enumeration: if !lists(instruction.a, kind) { return false }
            default: break
            }
        }
        return true
    }

    /// Whether an enumeration has a value of a kind. All kinds of numbers are treated as one, because 1.0 equals 1.
    private func lists(_ enumeration: UInt32, _ kind: JSONToken.Kind) -> Bool {
        let numbers = StreamedCheck.numbers
        let bit: UInt16 = 1 << UInt16(kind.rawValue)
        return program.enumerations.base[Int(enumeration)].kinds & (bit & numbers != 0 ? numbers : bit) != 0
    }
}
