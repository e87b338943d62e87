@_spi(Tape) import PlugboardJSON

extension Evaluation {
    private func words(_ token: Int) -> Int { (Int(tokens[token].count) + 63) / 64 }

    /// Opens a region with a bit for each member or element of a container.
    @inline(never)
    mutating func openMarks(_ token: Int) -> Int {
        let words = words(token)
        return scratch._withUnsafeGuaranteedRef { $0.open(words) }
    }

    /// Releases the innermost region and adds its bits to another one.
    @inline(never)
    mutating func closeMarks(_ region: Int, into marks: Int, _ token: Int) {
        let words = words(token)
        scratch._withUnsafeGuaranteedRef { scratch in
            if marks >= 0 {
                for word in 0..<words { scratch.marks[marks + word] |= scratch.marks[region + word] }
            }
            scratch.marksCount = region
        }
    }

    @inline(__always)
    func mark(_ marks: Int, _ position: Int) {
        guard marks >= 0 else { return }
        scratch._withUnsafeGuaranteedRef { $0.marks[marks + position / 64] |= 1 << UInt64(position % 64) }
    }

    @inline(never)
    func isMarked(_ marks: Int, _ position: Int) -> Bool {
        guard marks >= 0 else { return false }
        return scratch._withUnsafeGuaranteedRef { $0.marks[marks + position / 64] >> UInt64(position % 64) & 1 != 0 }
    }

    @inline(never)
    mutating func unevaluatedItems(_ node: UInt32, _ token: Int, _ marks: Int) -> Bool {
        var element = token + 1
        for position in 0..<Int(tokens[token].count) {
            if !isMarked(marks, position) {
                guard check(node, element) else { return false }
                mark(marks, position)
            }
            element = after(element)
        }
        return true
    }

    @inline(never)
    mutating func unevaluatedProperties(_ node: UInt32, _ token: Int, _ marks: Int) -> Bool {
        var key = token + 1
        let end = tokens[token].offset
        var position = 0
        while key < end {
            if tokens[key].kind == .key {
                if !isMarked(marks, position) {
                    guard check(node, key + 1) else { return false }
                    mark(marks, position)
                }
                position += 1
            }
            key = after(key + 1)
        }
        return true
    }

    // MARK: Combinations

    @inline(never)
    mutating func anyOf(_ start: UInt32, _ end: UInt32, _ token: Int, _ marks: Int) -> Bool {
        guard marks >= 0, tokens[token].kind.isContainer else {
            for entry in start..<end {
                if check(lists[Int(entry)], token) { return true }
                if stop != .none { return false }
            }
            return false
        }
        var isValid = false
        for entry in start..<end {
            let region = openMarks(token)
            let matches = check(lists[Int(entry)], token, region)
            closeMarks(region, into: matches ? marks : Evaluation.unmarked, token)
            isValid = isValid || matches
            if stop != .none { return false }
        }
        return isValid
    }

    @inline(never)
    mutating func oneOf(_ start: UInt32, _ end: UInt32, _ token: Int, _ marks: Int) -> Bool {
        let isMarked = marks >= 0 && tokens[token].kind.isContainer
        var count = 0
        for entry in start..<end {
            let region = isMarked ? openMarks(token) : Evaluation.unmarked
            let matches = check(lists[Int(entry)], token, region)
            if isMarked { closeMarks(region, into: matches ? marks : Evaluation.unmarked, token) }
            if matches { count += 1 }
            if count > 1 || stop != .none { return false }
        }
        return count == 1
    }

    @inline(never)
    mutating func condition(_ index: Int, _ token: Int, _ marks: Int) -> Bool {
        let plan = conditions[index]
        let isMarked = marks >= 0 && tokens[token].kind.isContainer
        let region = isMarked ? openMarks(token) : Evaluation.unmarked
        let matches = check(plan.condition, token, region)
        if isMarked { closeMarks(region, into: matches ? marks : Evaluation.unmarked, token) }
        if stop != .none { return false }
        let node = matches ? plan.then : plan.otherwise
        return node == MembersPlan.none || check(node, token, marks)
    }

    @inline(never)
    mutating func dynamic(_ index: Int, _ token: Int, _ marks: Int) -> Bool {
        let node = program._withUnsafeGuaranteedRef { program in
            scratch._withUnsafeGuaranteedRef { scratch in
                let plan = program.dynamics[index]
                for resource in scratch.scope {
                    if let node = plan.targets[resource] { return node }
                }
                return plan.fallback
            }
        }
        return check(node, token, marks)
    }
}
