@_spi(Tape) import PlugboardJSON

/// Excludes schemas of `anyOf` and `oneOf` by members of an object while it is read, such as a constant that
/// distinguishes them.
extension StreamedCheck {
    /// The most schemas of a keyword for which this is done.
    private static let branchLimit = 64
    /// The most references that are followed from one of them to its properties.
    static let callLimit = 8

    /// Adds an instruction that checks a whole array or object.
    mutating func addInstruction(
        _ position: UInt32, _ instruction: Instruction, _ applied: Int32, _ kind: JSONToken.Kind
    ) {
        if instruction.operation == .contains || instruction.operation == .uniqueItems {
            let check: StreamCheck.Kind = instruction.operation == .contains ? .contains : .unique
            checks.append(StreamCheck(kind: check, index: position, applied: applied, detail: position))
            return
        }
        let isUnion = instruction.operation == .anyOf || instruction.operation == .oneOf
        let count = isUnion ? instruction.b - instruction.a : 0
        guard kind == .object, count > 0, count <= StreamedCheck.branchLimit else {
            checks.append(StreamCheck(kind: .instruction, index: position, applied: applied))
            return
        }
        checks.append(StreamCheck(kind: .branches, index: position, applied: applied, bits: bits.count))
        var possible: UInt64 = 0
        for branch in 0..<count where mayMatch(program.lists.base[Int(instruction.a + branch)], kind) {
            possible |= 1 << UInt64(branch)
        }
        bits.append(possible)
    }

    /// Whether the last scalar, a member of the innermost object, excludes the remaining schemas of a keyword, so that
    /// the check has failed.
    mutating func excludesAllBranches(_ token: Int) -> Bool {
        guard let frame = frames.last, frame.isObject else { return false }
        // Uses its own budget, because the end of the object needs that of the evaluation.
        swap(&evaluation.work, &branchWork)
        defer { swap(&evaluation.work, &branchWork) }
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
                let isExcluded = excludes(node, token, &calls)
                switch evaluation.stop {
                case .none: if isExcluded { left &= ~(1 << UInt64(branch)) }
                case .work:
                    // The budget is exhausted: the check at the end of the object decides.
                    evaluation.stop = .none
                    for other in frame.checks..<checks.count where checks[other].kind == .branches {
                        checks[other] = StreamCheck(
                            kind: .instruction, index: checks[other].index, applied: checks[other].applied)
                    }
                    return false
                case .depth, .pattern:
                    failAsLimited()
                    return true
                }
            }
            let last = bits[check.bits]
            bits[check.bits] = left
            if left == 0 {
                failWithoutBranch(check, last, token)
                return true
            }
        }
        return false
    }

    /// Whether a schema of an object has a property with this name that the value does not match.
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

extension RefusalReport {
    /// The errors of the member that excludes the last schemas of `anyOf` or `oneOf`.
    ///
    /// - Parameters:
    ///   - branches: The bits of these schemas.
    ///   - token: The member's value.
    mutating func excluded(_ instruction: Instruction, _ branches: UInt64, _ token: Int) -> [ValidationError] {
        var errors: [ValidationError] = []
        for branch in 0..<64 where branches >> UInt64(branch) & 1 != 0 {
            var calls = StreamedCheck.callLimit
            keywords.append(.branch(instruction.location, branch))
            errors += excluded(program.lists.base[Int(instruction.a) + branch], token, &calls)
            keywords.removeLast()
        }
        return errors
    }

    private mutating func excluded(_ index: UInt32, _ token: Int, _ calls: inout Int) -> [ValidationError] {
        let section = evaluation.section(UnsafePointer(program.nodes.base) + Int(index), .object)
        for position in section.start..<section.end {
            let instruction = program.code.base[Int(position)]
            var errors: [ValidationError] = []
            switch instruction.operation {
            case .members:
                let plan = UnsafePointer(program.plans.base) + Int(instruction.a)
                guard plan.pointee.hasNames, let slot = evaluation.slot(plan, evaluation.tokens[token - 1]),
                    slot.pointee.node != MembersPlan.none
                else { continue }
                errors = explain(slot.pointee.node, token, .property(token - 1), .member(token - 1))
            case .call:
                calls -= 1
                guard calls >= 0 else { continue }
                keywords.append(.keyword(instruction.location))
                errors = excluded(instruction.a, token, &calls)
                keywords.removeLast()
            default: break
            }
            if !errors.isEmpty { return errors }
        }
        return []
    }
}
