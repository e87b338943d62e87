/// Schemas of `anyOf` and `oneOf` that members of an object exclude while it is read, such as a constant that tells
/// them apart.
extension StreamedCheck {
    /// The most schemas of a keyword that are followed like this.
    private static let branchLimit = 64
    /// The most references that are followed from one of them to its properties.
    private static let callLimit = 8

    /// Adds an instruction that looks at a whole array or object.
    mutating func addInstruction(_ position: UInt32, _ instruction: Instruction, _ applied: Int32, _ kind: Token.Kind) {
        let count =
            instruction.operation == .anyOf || instruction.operation == .oneOf ? instruction.b - instruction.a : 0
        guard kind == .object, count > 0, count <= StreamedCheck.branchLimit else {
            checks.append(StreamCheck(kind: .instruction, index: position, applied: applied))
            return
        }
        checks.append(StreamCheck(kind: .branches, index: position, applied: applied, bits: bits.count))
        bits.append(.max >> UInt64(64 - count))
    }

    /// Whether the scalar that was read last, a member of the innermost object, leaves no schema of one of its
    /// keywords: then the check has failed.
    mutating func excludesAllBranches(_ token: Int) -> Bool {
        guard let frame = frames.last, frame.isObject else { return false }
        for index in frame.checks..<checks.count where checks[index].kind == .branches {
            let check = checks[index]
            let start = program.code.base[Int(check.index)].a
            var left = bits[check.bits]
            var candidates = left
            while candidates != 0 {
                let branch = candidates.trailingZeroBitCount
                candidates &= candidates - 1
                var calls = StreamedCheck.callLimit
                let node = program.lists.base[Int(start) + branch]
                if excludes(node, token, &calls) { left &= ~(1 << UInt64(branch)) }
                guard evaluation.stop == .none else {
                    failAsLimited()
                    return true
                }
            }
            bits[check.bits] = left
            if left == 0 {
                failWithoutBranch(check)
                return true
            }
        }
        return false
    }

    /// Whether a schema of an object has a property of this name, and the value does not match it.
    private mutating func excludes(_ index: UInt32, _ token: Int, _ calls: inout Int) -> Bool {
        evaluation.work -= 1
        let section = evaluation.section(UnsafePointer(program.nodes.base) + Int(index), .object)
        for position in section.start..<section.end {
            let instruction = program.code.base[Int(position)]
            switch instruction.operation {
            case .members:
                let plan = UnsafePointer(program.plans.base) + Int(instruction.a)
                guard plan.pointee.hasNames, let slot = evaluation.slot(plan, parser.tokens[token - 1]),
                    slot.pointee.node != MembersPlan.none
                else { continue }
                if !evaluation.check(slot.pointee.node, token) { return true }
            case .call:
                calls -= 1
                if calls >= 0, excludes(instruction.a, token, &calls) { return true }
            default: break
            }
        }
        return false
    }
}
