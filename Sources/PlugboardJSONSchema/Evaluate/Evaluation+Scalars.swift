import CPlugboardPCRE2
import PlugboardJSON

extension Evaluation {
    /// -1, 0 or 1: the number against a limit.
    @inline(__always)
    func compare(_ token: Int, _ index: Int) -> Int {
        let number = tokens[token]
        let limit = limits + index
        if limit.pointee.isSmall, number.kind == .integer || number.kind == .decimal {
            return SmallDecimal.compare(
                SmallDecimal(digits: number.integer, exponent: number.exponent), limit.pointee.small)
        }
        return compareExactly(token, index)
    }

    @inline(never)
    private func compareExactly(_ token: Int, _ index: Int) -> Int {
        let limit = program._withUnsafeGuaranteedRef { $0.numbers[index] }
        guard let number = ValueEquality.number(bytes, tokens[token]) else { return 0 }
        return number < limit ? -1 : number == limit ? 0 : 1
    }

    @inline(never)
    func isMultiple(_ token: Int, _ index: Int) -> Bool {
        let number = tokens[token]
        let limit = limits + index
        if limit.pointee.isSmall, number.kind == .integer || number.kind == .decimal {
            return SmallDecimal(digits: number.integer, exponent: number.exponent).isMultiple(of: limit.pointee.small)
        }
        let divisor = program._withUnsafeGuaranteedRef { $0.numbers[index] }
        return ValueEquality.number(bytes, number)?.isMultiple(of: divisor) ?? false
    }

    /// The length of a string in code points.
    @inline(__always)
    func length(_ token: Int) -> Int {
        let string = tokens[token]
        if string.flags & Token.isASCII != 0 { return Int(string.count) }
        return codePoints(string)
    }

    @inline(never)
    private func codePoints(_ string: Token) -> Int {
        let start = bytes + string.offset
        var count = 0
        for position in 0..<Int(string.count) where start[position] & 0xC0 != 0x80 { count &+= 1 }
        return count
    }

    @inline(never)
    mutating func matches(_ pattern: UInt32, _ token: Int) -> Bool {
        let code = patternCodes + Int(pattern)
        let text = tokens[token]
        let matchData = scratch._withUnsafeGuaranteedRef { $0.matchData }
        let isTimed = code.pointee.code != nil && patternTime.begin()
        let result = code.pointee.match(bytes + text.offset, Int(text.count), matchData)
        if isTimed, patternTime.end() {
            stop = .pattern
            return false
        }
        switch result {
        case .match: return true
        case .noMatch: return false
        case .limit:
            stop = .pattern
            return false
        }
    }

    @inline(never)
    func hasFormat(_ index: Int, _ token: Int) -> Bool {
        let format = program._withUnsafeGuaranteedRef { $0.formats.base[index] }
        let text = tokens[token]
        return format.matches(UnsafeBufferPointer(start: bytes + text.offset, count: Int(text.count)))
    }

    @inline(never)
    mutating func hasContent(_ index: Int, _ token: Int) -> Bool {
        let check = program._withUnsafeGuaranteedRef { $0.contents.base[index] }
        let text = tokens[token]
        guard let decoded = check.decode(UnsafeBufferPointer(start: bytes + text.offset, count: Int(text.count))) else {
            return false
        }
        guard check.isJSON else { return true }
        guard let document = try? JSONDocument(decoded) else { return false }
        guard check.node != MembersPlan.none else { return true }
        return program._withUnsafeGuaranteedRef { program in
            var evaluation = Evaluation(program, document, Scratch())
            evaluation.depth = depth
            evaluation.work = work
            let isValid = evaluation.check(check.node, 0)
            work = evaluation.work
            if evaluation.stop != .none { stop = evaluation.stop }
            return isValid
        }
    }

    /// Whether a value is one of an `enum`.
    @inline(never)
    mutating func isListed(_ index: Int, _ token: Int) -> Bool {
        let plan = enumerations[index]
        let value = tokens[token]
        let kind: Token.Kind = value.kind == .key ? .string : value.kind
        guard plan.kinds >> UInt16(kind.rawValue) & 1 != 0 else { return false }
        let tokens = tokens
        let bytes = bytes
        if plan.mask != 0 {
            let hash = KeyHash.hash(bytes + value.offset, Int(value.count), seed: KeyHash.processSeed)
            var slot = hash & plan.mask
            while true {
                let entry = Int(tables[Int(plan.table &+ slot)])
                if entry == 0 { return false }
                let known = constantTokens[entry]
                if known.count == value.count,
                    Evaluation.isSame(constantBytes + known.offset, bytes + value.offset, Int(value.count))
                {
                    return true
                }
                slot = (slot &+ 1) & plan.mask
            }
        }
        var entry = Int(plan.start)
        while entry < Int(plan.end) {
            switch ValueEquality.isEqual(constantTokens, constantBytes, entry, tokens, bytes, token, lowestStack) {
            case true?: return true
            case false?: break
            case nil:
                stop = .depth
                return false
            }
            entry = ValueEquality.after(constantTokens, entry)
        }
        return false
    }
}
