@_spi(Tape) import PlugboardJSON
import PlugboardSystem

extension Evaluation {
    /// The slot of a key in the table of a plan; nil if the key is not in it.
    @inline(__always)
    func slot(_ plan: UnsafePointer<MembersPlan>, _ key: JSONToken) -> UnsafePointer<NameSlot>? {
        let table = names + Int(plan.pointee.table)
        let mask = plan.pointee.mask
        var position = key.hash & mask
        while true {
            let slot = table + Int(position)
            if slot.pointee.hash == key.hash, slot.pointee.count == key.count, isSame(slot.pointee, key) { return slot }
            if slot.pointee.count == .max { return nil }
            position = (position &+ 1) & mask
        }
    }

    @inline(__always)
    func isSame(_ name: NameSlot, _ key: JSONToken) -> Bool {
        Evaluation.isSame(nameBytes + Int(name.offset), bytes + key.offset, Int(key.count))
    }

    /// Eight bytes after both texts must be readable.
    @inline(__always)
    static func isSame(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let left = UnsafeRawPointer(left)
        let right = UnsafeRawPointer(right)
        if count <= 8 {
            let difference =
                left.loadUnaligned(as: UInt64.self) ^ right.loadUnaligned(as: UInt64.self)
            return count == 8 ? difference == 0 : difference & ((1 &<< UInt64(count &* 8)) &- 1) == 0
        }
        var offset = 0
        while offset &+ 8 <= count {
            guard
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset &+= 8
        }
        // The last eight bytes, some of which are compared twice.
        return left.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    }

    @inline(never)
    mutating func members(_ plan: UnsafePointer<MembersPlan>, _ token: Int, _ marks: Int) -> Bool {
        guard tokens[token].count >= plan.pointee.requiredCount else { return false }
        if plan.pointee.hasRest || marks >= 0 { return markedMembers(plan, token, marks) }
        var key = token &+ 1
        let end = tokens[token].offset
        var required: UInt32 = 0
        while key < end {
            let value = key &+ 1
            if let slot = slot(plan, tokens[key]) {
                if slot.pointee.isRequired, tokens[key].kind == .key { required &+= 1 }
                if slot.pointee.node != MembersPlan.none, !check(slot.pointee.node, value) { return false }
            }
            key = after(value)
        }
        return required == plan.pointee.requiredCount
    }

    /// Checks members like the other function, also with marks, patterns, additionalProperties and propertyNames.
    @inline(never)
    private mutating func markedMembers(_ plan: UnsafePointer<MembersPlan>, _ token: Int, _ marks: Int) -> Bool {
        var key = token &+ 1
        let end = tokens[token].offset
        var required: UInt32 = 0
        var position = 0
        let hasRest = plan.pointee.hasRest
        while key < end {
            let name = tokens[key]
            let value = key &+ 1
            // Of equal keys, each value must match; only the last one is counted and marked.
            let isLast = name.kind == .key
            let marks = isLast ? marks : Evaluation.unmarked
            var isKnown = false
            if plan.pointee.hasNames, let slot = slot(plan, name) {
                if slot.pointee.isRequired, isLast { required &+= 1 }
                if slot.pointee.node != MembersPlan.none {
                    guard check(slot.pointee.node, value) else { return false }
                    mark(marks, position)
                    isKnown = true
                }
            }
            if hasRest, !isKnown || plan.pointee.checksKnown {
                guard rest(plan, key, isKnown, marks, position) else { return false }
            }
            if isLast { position &+= 1 }
            key = after(value)
        }
        return required == plan.pointee.requiredCount
    }

    /// Checks a member against patterns, additionalProperties and propertyNames.
    @inline(__always)
    private mutating func rest(
        _ plan: UnsafePointer<MembersPlan>, _ key: Int, _ isKnown: Bool, _ marks: Int, _ position: Int
    ) -> Bool {
        var isKnown = isKnown
        // Of equal keys, only the last one is checked as a name.
        if plan.pointee.keys != MembersPlan.none, tokens[key].kind == .key {
            guard check(plan.pointee.keys, key) else { return false }
        }
        if plan.pointee.patternsStart != plan.pointee.patternsEnd {
            let patterns = patternNodes
            for entry in plan.pointee.patternsStart..<plan.pointee.patternsEnd {
                let pattern = patterns[Int(entry)]
                if matches(pattern.pattern, key) {
                    guard check(pattern.node, key &+ 1) else { return false }
                    mark(marks, position)
                    isKnown = true
                } else if stop != .none {
                    return false
                }
            }
        }
        if !isKnown, plan.pointee.additional != MembersPlan.none {
            guard check(plan.pointee.additional, key &+ 1) else { return false }
            mark(marks, position)
        }
        return true
    }

    @inline(never)
    func hasRequired(_ plan: UnsafePointer<MembersPlan>, _ token: Int) -> Bool {
        let count = plan.pointee.requiredCount
        guard tokens[token].count >= count else { return false }
        var key = token &+ 1
        let end = tokens[token].offset
        var required: UInt32 = 0
        while key < end, required < count {
            if tokens[key].kind == .key, slot(plan, tokens[key]) != nil { required &+= 1 }
            key = after(key &+ 1)
        }
        return required == count
    }

    /// The key of a member; nil if there is none.
    func find(_ name: NameSlot, in token: Int) -> Int? {
        var key = token + 1
        let end = tokens[token].offset
        while key < end {
            let found = tokens[key]
            if found.kind == .key, found.hash == name.hash, found.count == name.count, isSame(name, found) {
                return key
            }
            key = after(key + 1)
        }
        return nil
    }

    @inline(never)
    mutating func dependency(_ index: Int, _ token: Int, _ marks: Int) -> Bool {
        let plan = dependencies[index]
        // Each search may visit every member.
        let count = Int(tokens[token].count)
        guard charge(count) else { return false }
        guard find(plan.name, in: token) != nil else { return true }
        guard charge(Int(plan.end &- plan.start) &* count) else { return false }
        for entry in plan.start..<plan.end where find(dependentNames[Int(entry)], in: token) == nil { return false }
        return plan.node == MembersPlan.none || check(plan.node, token, marks)
    }
}
