@_spi(Tape) import PlugboardJSON

extension Evaluation {
    @inline(never)
    mutating func items(_ index: Int, _ token: Int, _ marks: Int) -> Bool {
        let plan = itemsPlans[index]
        let array = tokens[token]
        var element = token &+ 1
        if marks < 0, plan.prefixStart == plan.prefixEnd {
            // The kinds of the elements are often sufficient.
            let node = nodes + Int(plan.rest)
            if array.detail != 0, array.detail & ~node.pointee.plainKinds == 0 { return true }
            guard array.detail & ~node.pointee.kinds == 0 else { return false }
            while element < array.offset {
                guard check(plan.rest, element) else { return false }
                element = after(element)
            }
            return true
        }
        let count = Int(array.count)
        var position = 0
        let prefix = min(Int(plan.prefixEnd &- plan.prefixStart), count)
        while position < prefix {
            guard check(lists[Int(plan.prefixStart) &+ position], element) else { return false }
            mark(marks, position)
            element = after(element)
            position &+= 1
        }
        guard plan.rest != MembersPlan.none else { return true }
        while position < count {
            guard check(plan.rest, element) else { return false }
            mark(marks, position)
            element = after(element)
            position &+= 1
        }
        return true
    }

    @inline(never)
    mutating func contains(_ index: Int, _ token: Int, _ marks: Int) -> Bool {
        let plan = containsPlans[index]
        let marksFound = plan.marks && marks >= 0
        var element = token + 1
        var found = 0
        for position in 0..<Int(tokens[token].count) {
            if check(plan.node, element) {
                found += 1
                if found > plan.most { return false }
                if marksFound {
                    mark(marks, position)
                } else if found >= plan.least, plan.most == .max {
                    return true
                }
            } else if stop != .none {
                return false
            }
            element = after(element)
        }
        return found >= plan.least
    }

    @inline(never)
    mutating func isUnique(_ token: Int) -> Bool {
        let count = Int(tokens[token].count)
        guard count > 1 else { return true }
        if count <= 12 { return isUniqueByPairs(token, count) }
        return isUniqueByHashes(token, count)
    }

    private mutating func isUniqueByHashes(_ token: Int, _ count: Int) -> Bool {
        let scratch = scratch.takeUnretainedValue()
        scratch.hashes.removeAll(keepingCapacity: true)
        var element = token + 1
        for _ in 0..<count {
            scratch.hashes.append((hash(element), element))
            element = after(element)
        }
        scratch.hashes.sort { $0.hash < $1.hash }
        for position in 1..<count {
            // Elements with the same hash are nearly always equal.
            var earlier = position - 1
            while earlier >= 0, scratch.hashes[earlier].hash == scratch.hashes[position].hash {
                if !differs(scratch.hashes[earlier].token, scratch.hashes[position].token) { return false }
                earlier -= 1
            }
        }
        return true
    }

    private mutating func isUniqueByPairs(_ token: Int, _ count: Int) -> Bool {
        var element = token + 1
        for _ in 1..<count {
            let next = after(element)
            var other = next
            let end = tokens[token].offset
            while other < end {
                if !differs(element, other) { return false }
                other = after(other)
            }
            element = next
        }
        return true
    }

    /// Whether two values differ. If that cannot be decided, the evaluation ends, and the result is false.
    private mutating func differs(_ left: Int, _ right: Int) -> Bool {
        guard let isEqual = values.isEqual(left, to: right, in: values, above: lowestStack) else {
            stop = .depth
            return false
        }
        return !isEqual
    }

    private func hash(_ token: Int) -> UInt64 { values.hash(token, above: lowestStack) }
}
