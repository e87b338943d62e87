import CPlugboardPCRE2
@_spi(Tape) import PlugboardJSON

extension Evaluation {
    /// Compares the number with a limit: -1, 0 or 1.
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
        let number = values.number(token)
        return number < limit ? -1 : number == limit ? 0 : 1
    }

    @inline(never)
    mutating func isMultiple(_ token: Int, _ index: Int) -> Bool {
        let number = tokens[token]
        let limit = limits + index
        if limit.pointee.isSmall, number.kind == .integer || number.kind == .decimal {
            return SmallDecimal(digits: number.integer, exponent: number.exponent).isMultiple(of: limit.pointee.small)
        }
        let divisor = program._withUnsafeGuaranteedRef { $0.numbers[index] }
        // The time is proportional to the product of the numbers of digits.
        let text = values.numberText(token)
        let (steps, overflows) = (text.count / 16 + 1).multipliedReportingOverflow(
            by: divisor.text.utf8.count / 16 + 1)
        guard !overflows, charge(steps) else { return false }
        return values.number(token).isMultiple(of: divisor)
    }

    /// The length of a string in code points.
    @inline(__always)
    func length(_ token: Int) -> Int {
        let string = tokens[token]
        if string.detail & JSONToken.isASCII != 0 { return Int(string.count) }
        return codePoints(string)
    }

    @inline(never)
    private func codePoints(_ string: JSONToken) -> Int {
        let start = bytes + string.offset
        var count = 0
        for position in 0..<Int(string.count) where start[position] & 0xC0 != 0x80 { count &+= 1 }
        return count
    }

    @inline(never)
    mutating func matches(_ pattern: UInt32, _ token: Int) -> Bool {
        let code = patternCodes + Int(pattern)
        let text = tokens[token]
        let result = scratch._withUnsafeGuaranteedRef {
            code.pointee.match(bytes + text.offset, Int(text.count), $0, &patternTime)
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
        return scratch._withUnsafeGuaranteedRef {
            format.matches(UnsafeBufferPointer(start: bytes + text.offset, count: Int(text.count)), $0)
        }
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
        let inner = Scratch()
        return program._withUnsafeGuaranteedRef { program in
            // The evaluation itself keeps neither of them alive.
            withExtendedLifetime((document, inner)) {
                var evaluation = Evaluation(program, document, inner)
                evaluation.depth = depth
                evaluation.work = work
                evaluation.patternTime = patternTime
                let isValid = evaluation.check(check.node, 0)
                work = evaluation.work
                patternTime = evaluation.patternTime
                if evaluation.stop != .none { stop = evaluation.stop }
                return isValid
            }
        }
    }

    /// Whether a value is one of an `enum`.
    @inline(never)
    mutating func isListed(_ index: Int, _ token: Int) -> Bool {
        let plan = enumerations[index]
        let value = tokens[token]
        let kind: JSONToken.Kind = value.kind == .key ? .string : value.kind
        guard plan.kinds >> UInt16(kind.rawValue) & 1 != 0 else { return false }
        if plan.isText { return isListedText(plan, value) }
        if plan.mask != 0 { return isListed(plan, token) }
        let (constants, values) = (constants, values)
        // No comparison visits more than the value.
        guard charge(Int(plan.count) &* (after(token) &- token)) else { return false }
        var entry = Int(plan.start)
        while entry < Int(plan.end) {
            switch constants.isEqual(entry, to: token, in: values, above: lowestStack) {
            case true?: return true
            case false?: break
            case nil:
                stop = .depth
                return false
            }
            entry = constants.after(entry)
        }
        return false
    }

    /// Whether a text is in a list of strings, which is stored as a table or a few constants.
    @inline(__always)
    private func isListedText(_ plan: EnumerationPlan, _ value: JSONToken) -> Bool {
        let text = bytes + value.offset
        if plan.mask == 0 {
            for entry in Int(plan.start)..<Int(plan.end) where isText(entry, text, value.count) { return true }
            return false
        }
        var slot = JSONKeyHash.hash(text, Int(value.count), seed: seed) & plan.mask
        while true {
            let entry = Int(tables[Int(plan.table &+ slot)])
            if entry == 0 { return false }
            if isText(entry, text, value.count) { return true }
            slot = (slot &+ 1) & plan.mask
        }
    }

    /// Whether a constant is this text.
    @inline(__always)
    private func isText(_ constant: Int, _ text: UnsafePointer<UInt8>, _ count: UInt32) -> Bool {
        let known = constantTokens + constant
        return known.pointee.count == count
            && Evaluation.isSame(constantBytes + known.pointee.offset, text, Int(count))
    }

    /// Whether a value is in a table of scalars of any kind.
    private func isListed(_ plan: EnumerationPlan, _ token: Int) -> Bool {
        var slot = UInt32(truncatingIfNeeded: values.hash(token, above: lowestStack)) & plan.mask
        while true {
            let entry = Int(tables[Int(plan.table &+ slot)])
            if entry == 0 { return false }
            if constants.isEqual(entry, to: token, in: values, above: lowestStack) == true {
                return true
            }
            slot = (slot &+ 1) & plan.mask
        }
    }

    /// Subtracts steps from the remaining work; false if there are not enough, which ends the evaluation.
    @inline(__always)
    mutating func charge(_ steps: Int) -> Bool {
        work &-= steps
        guard work < 0 else { return true }
        stop = .work
        return false
    }
}
