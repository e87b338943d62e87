@_spi(Tape) import PlugboardJSON

/// Makes the checks at the end of a value.
extension StreamedCheck {
    mutating func end() -> Bool {
        addWork()
        // Removed one by one, because usually there is only one.
        while applied.count > pending { applied.removeLast() }
        isPrepared = false
        guard let frame = frames.last else {
            expected = .end
            return true
        }
        if frame.isObject { path.removeLast(path.count - frame.path) }
        expected = .separator
        return true
    }

    /// Adds the work that a whole document gets for a value or a key.
    mutating func addWork() {
        evaluation.work += Evaluation.workLimit.value
        branchWork += Evaluation.workLimit.value
    }

    mutating func close() throws(JSONFailure) -> Bool {
        let frame = frames[frames.count - 1]
        parser.cursor += 1
        var token = 0
        if keptFrame >= 0 {
            token = parser.container
            try parser.close()
        }
        useWindow()
        for index in frame.checks..<checks.count {
            let check = checks[index]
            let isValid: Bool
            switch check.kind {
            case .items, .most: isValid = true
            case .members: isValid = check.found == Int(program.plans.base[Int(check.index)].requiredCount)
            case .least: isValid = frame.count >= Int(check.index)
            case .contains: isValid = check.found >= containsPlan(check).least
            case .instruction, .branches, .unique:
                isValid = evaluation.step(program.code.base + Int(check.index), token, Evaluation.unmarked)
            case .node: isValid = evaluation.check(check.index, token)
            }
            guard isValid, evaluation.stop == .none else {
                fail(check, keptFrame >= 0 ? token : nil)
                return false
            }
        }
        frames.removeLast()
        if frame.keySet >= 0 { keySets.removeLast() }
        if frame.scalars >= 0 { scalars.removeLast() }
        while checks.count > frame.checks { checks.removeLast() }
        while bits.count > frame.bits { bits.removeLast() }
        pending = frame.applied
        endElement(token)
        if keptFrame == frames.count {
            keptFrame = -1
            parser.tokenCount = 0
        }
        return failure == nil && end()
    }

    /// Updates the evaluation's pointers to the window, which may have moved.
    mutating func useWindow() {
        evaluation.tokens = UnsafePointer(parser.tokens)
        evaluation.bytes = UnsafePointer(parser.bytes)
        evaluation.lowestStack = lowestStack
    }
}
