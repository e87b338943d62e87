@_spi(Tape) import PlugboardJSON

/// Checks keywords that count or compare the elements of an array, as soon as the end of an element decides.
extension StreamedCheck {
    /// Whether the value that begins is an element that a schema of `contains` must check as a whole.
    var needsElements: Bool {
        guard let frame = frames.last, frame.looksAtElements else { return false }
        return checks[frame.checks...].contains { $0.kind == .contains && !isSettled($0) }
    }

    func containsPlan(_ check: StreamCheck) -> ContainsPlan {
        program.contains.base[Int(program.code.base[Int(check.index)].a)]
    }

    /// Whether further elements cannot change the outcome.
    private func isSettled(_ check: StreamCheck) -> Bool {
        let plan = containsPlan(check)
        return plan.most == .max && check.found >= plan.least
    }

    /// Handles the end of a value: an element is counted, and a scalar is compared with earlier elements.
    mutating func endElement(_ token: Int) {
        guard let frame = frames.last, frame.looksAtElements else { return }
        for index in frame.checks..<checks.count where checks[index].kind == .contains && !isSettled(checks[index]) {
            let plan = containsPlan(checks[index])
            if evaluation.check(plan.node, token) {
                checks[index].found += 1
                if checks[index].found > plan.most { return fail(checks[index]) }
            } else if evaluation.stop != .none {
                return failAsLimited()
            }
        }
        guard frame.scalars >= 0, !parser.tokens[token].kind.isContainer else { return }
        let (values, lowest) = (evaluation.values, evaluation.lowestStack)
        let hash = values.hash(token, above: lowest)
        guard let earlier = scalars[frame.scalars].updateValue(token, forKey: hash),
            values.isEqual(earlier, to: token, in: values, above: lowest) == true,
            let check = checks[frame.checks...].first(where: { $0.kind == .unique })
        else { return }
        fail(check)
    }
}
