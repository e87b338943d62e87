@_spi(Tape) import PlugboardJSON

/// Determines the schemas that a value must match, and the checks of an array or object.
extension StreamedCheck {
    /// The most schemas that may apply to the open values at the same time.
    private static let appliedLimit = 1 << 18
    /// The most schemas of references that the begin of a scalar is checked against.
    static let referenceLimit = 64

    /// Determines the schemas of the next value: the root's, or those of an element. Those of a member are known after
    /// its key.
    mutating func prepareValue() {
        isPrepared = true
        nextLook = 0
        pending = applied.count
        guard let frame = frames.last else {
            applied.append(AppliedSchema(node: program.root, parent: -1, step: .root))
            return
        }
        if keptFrame >= 0 { parser.tokens[parser.container].count &+= 1 }
        let position = frame.count
        frames[frames.count - 1].count += 1
        for index in frame.checks..<checks.count where failure == nil {
            let check = checks[index]
            switch check.kind {
            case .most where check.index < position + 1: return fail(check)
            case .items:
                let plan = program.items.base[Int(check.index)]
                if position < Int(plan.prefixEnd - plan.prefixStart) {
                    apply(
                        program.lists.base[Int(plan.prefixStart) + position], check.applied, .prefix,
                        detail: check.detail)
                } else if plan.rest != MembersPlan.none {
                    apply(plan.rest, check.applied, .rest)
                }
            default: break
            }
        }
    }

    mutating func apply(_ node: UInt32, _ parent: Int32, _ step: AppliedSchema.Step, detail: UInt32 = 0) {
        guard applied.count < StreamedCheck.appliedLimit else {
            evaluation.stop = .work
            return failAsLimited()
        }
        evaluation.work -= 1
        guard evaluation.work >= 0 else {
            evaluation.stop = .work
            return failAsLimited()
        }
        applied.append(
            AppliedSchema(
                node: node, parent: parent, step: step, detail: detail, isCovered: applied[Int(parent)].isCovered))
    }

    /// Finds the schemas of the member's value after its key was read.
    mutating func beginMember(_ token: Int) throws(JSONFailure) {
        useWindow()
        addWork()
        isPrepared = true
        nextLook = 0
        pending = applied.count
        let key = parser.tokens[token]
        let text = UnsafeRawBufferPointer(start: parser.bytes + key.offset, count: Int(key.count))
        let frame = frames[frames.count - 1]
        path.append(contentsOf: text)
        var isNew = true
        if frame.keySet >= 0 { isNew = keySets[frame.keySet].insert(StreamKey(text)).inserted }
        if !isNew, options.refusesDuplicateKeys { throw parser.duplicate(key) }
        if isNew { frames[frames.count - 1].count += 1 }
        for index in frame.checks..<checks.count {
            let check = checks[index]
            switch check.kind {
            case .most where Int(check.index) < frames[frames.count - 1].count: return fail(check)
            case .members: members(index, token)
            default: break
            }
            guard failure == nil else { return }
        }
        // The schema `false` fails before the value has begun.
        for index in pending..<applied.count where program.nodes.base[Int(applied[index].node)].kinds == 0 {
            return fail(index, token + 1)
        }
    }

    private mutating func members(_ index: Int, _ token: Int) {
        let check = checks[index]
        let plan = UnsafePointer(program.plans.base) + Int(check.index)
        var isKnown = false
        let depth = UInt32(frames.count - 1)
        if plan.pointee.hasNames, let slot = evaluation.slot(plan, parser.tokens[token]) {
            if slot.pointee.isRequired {
                let position = slot - (UnsafePointer(program.names.base) + Int(plan.pointee.table))
                let word = check.bits + position / 64
                let bit: UInt64 = 1 << UInt64(position % 64)
                if bits[word] & bit == 0 { checks[index].found += 1 }
                bits[word] |= bit
            }
            if slot.pointee.node != MembersPlan.none {
                apply(slot.pointee.node, check.applied, .property, detail: depth)
                isKnown = true
            }
        }
        if plan.pointee.keys != MembersPlan.none, !evaluation.check(plan.pointee.keys, token) {
            return fail(plan.pointee.keys, token, check.applied, "propertyNames")
        }
        for entry in plan.pointee.patternsStart..<plan.pointee.patternsEnd {
            let pattern = program.patternNodes.base[Int(entry)]
            if evaluation.matches(pattern.pattern, token) {
                apply(pattern.node, check.applied, .pattern)
                isKnown = true
            } else if evaluation.stop != .none {
                return failAsLimited()
            }
        }
        if !isKnown, plan.pointee.additional != MembersPlan.none {
            apply(plan.pointee.additional, check.applied, .additional, detail: plan.pointee.additionalLocation)
        }
    }

    // MARK: Values

    mutating func open(_ kind: JSONToken.Kind) throws(JSONFailure) -> Bool {
        guard frames.count < parser.depthLimit else { throw parser.tooDeep() }
        if readsWhole, passesWhole(kind) { return failure == nil && end() }
        var isKept = needsElements
        let frame = StreamFrame(
            isObject: kind == .object, applied: pending, checks: checks.count, bits: bits.count, path: path.count)
        guard addChecks(kind) else { return false }
        frames.append(frame)
        var countsKeys = kind == .object && options.refusesDuplicateKeys
        for check in checks[frame.checks...] {
            switch check.kind {
            case .instruction, .node, .branches: isKept = true
            case .contains: frames[frames.count - 1].looksAtElements = true
            case .unique:
                isKept = true
                guard frames[frames.count - 1].scalars < 0 else { continue }
                frames[frames.count - 1].looksAtElements = true
                frames[frames.count - 1].scalars = scalars.count
                scalars.append([:])
            case .least, .most: countsKeys = countsKeys || kind == .object
            default: break
            }
        }
        if countsKeys {
            frames[frames.count - 1].keySet = keySets.count
            keySets.append([])
        }
        if isKept, keptFrame < 0 { keptFrame = frames.count - 1 }
        if keptFrame >= 0 { try parser.enter(kind) } else { parser.cursor += 1 }
        isPrepared = false
        expected = kind == .object ? .firstKey : .firstElement
        return true
    }

    /// Whether the array or object at the cursor ends in the window and matches its schemas. If not, nothing is
    /// changed.
    private mutating func passesWhole(_ kind: JSONToken.Kind) -> Bool {
        if unfinished.first == parser.cursor {
            unfinished.removeFirst()
            return false
        }
        // Covered schemas are evaluated with an enclosing value; repeating that at each level would be quadratic.
        for index in pending..<applied.count where applied[index].isCovered { return false }
        let (mark, isWhole) = parser.tryContainer(kind, depth: parser.depthLimit - frames.count)
        guard isWhole else {
            unfinished = parser.rewind(to: mark)
            if unfinished.first == parser.cursor { unfinished.removeFirst() }
            return false
        }
        useWindow()
        let work = evaluation.work
        evaluation.work += Evaluation.workLimit.value * (parser.tokenCount - mark.tokenCount - 1)
        for index in pending..<applied.count
        where !evaluation.check(applied[index].node, mark.tokenCount) || evaluation.stop != .none {
            evaluation.stop = .none
            evaluation.work = work
            readsWhole = false
            _ = parser.rewind(to: mark)
            return false
        }
        parser.accept()
        endElement(mark.tokenCount)
        if keptFrame < 0 { parser.tokenCount = 0 }
        return true
    }

    /// Collects the checks of the array or object; false after a failure.
    private mutating func addChecks(_ kind: JSONToken.Kind) -> Bool {
        var index = pending
        while index < applied.count {
            let number = applied[index].node
            let node = UnsafePointer(program.nodes.base) + Int(number)
            evaluation.work -= 1
            guard evaluation.work >= 0 else {
                evaluation.stop = .work
                failAsLimited()
                return false
            }
            if !evaluation.lets(node, kind) {
                failWithType(index)
                return false
            }
            let isPlain = node.pointee.plainKinds >> UInt16(kind.rawValue) & 1 != 0
            if !isPlain { addChecks(of: node, number, index, kind) }
            guard failure == nil else { return false }
            index += 1
        }
        return true
    }

    private mutating func addChecks(
        of node: UnsafePointer<Node>, _ number: UInt32, _ index: Int, _ kind: JSONToken.Kind
    ) {
        let isMarked = node.pointee.markedKinds & (kind == .array ? 1 : 2) != 0
        let isCovered = applied[index].isCovered
        if isMarked || program.hasDynamicScope {
            if !isCovered { checks.append(StreamCheck(kind: .node, index: number, applied: Int32(index))) }
            // The targets of dynamic references depend on the schemas that are being evaluated.
            if program.hasDynamicScope { return }
            // Inner schemas are evaluated with this one; repeating that at each level would be quadratic.
            applied[index].isCovered = true
        }
        let section = evaluation.section(node, kind)
        for position in section.start..<section.end {
            let instruction = program.code.base[Int(position)]
            let own = Int32(index)
            switch instruction.operation {
            case .call: apply(instruction.a, own, .call, detail: instruction.location)
            case .members, .required: addMembers(instruction.a, own)
            case .items:
                checks.append(
                    StreamCheck(kind: .items, index: instruction.a, applied: own, detail: instruction.location))
            case .minItems, .minProperties:
                checks.append(StreamCheck(kind: .least, index: instruction.a, applied: own, detail: position))
            case .maxItems, .maxProperties:
                checks.append(StreamCheck(kind: .most, index: instruction.a, applied: own, detail: position))
            default:
                guard !isDecided(instruction, index, kind), failure == nil, !isMarked, !isCovered else { continue }
                addInstruction(position, instruction, own, kind)
            }
        }
    }

    private mutating func addMembers(_ plan: UInt32, _ applied: Int32) {
        let pointee = program.plans.base[Int(plan)]
        let check = StreamCheck(kind: .members, index: plan, applied: applied, bits: bits.count)
        if pointee.requiredCount > 0 { bits.append(contentsOf: repeatElement(0, count: Int(pointee.mask) / 64 + 1)) }
        checks.append(check)
    }
}
