@_spi(Tape) import PlugboardJSON

/// Handles values that are not containers.
extension StreamedCheck {
    /// Uses the last scalar as the value.
    mutating func scalar() -> Bool {
        useWindow()
        let token = parser.tokenCount - 1
        for index in pending..<applied.count where !evaluation.check(applied[index].node, token) {
            fail(index, token)
            return false
        }
        if keptFrame >= 0, excludesAllBranches(token) { return false }
        endElement(token)
        if keptFrame < 0 { parser.tokenCount = 0 }
        return failure == nil && end()
    }

    /// Handles the beginning of a scalar of one of these kinds: fails if no schema allows it, or if it is too long.
    mutating func unfinished(_ kinds: [JSONToken.Kind]) -> Bool {
        let count = scanned - parser.cursor
        // A long value that arrives in small pieces is checked only a few times.
        guard count <= 0 || count >= nextLook else { return false }
        nextLook = count + count / 8 + 1
        let end = applied.count
        // Also checks a limited number of schemas that these refer to.
        var index = pending - 1
        while index + 1 < min(applied.count, end + StreamedCheck.referenceLimit) {
            index += 1
            let node = UnsafePointer(program.nodes.base) + Int(applied[index].node)
            guard kinds.contains(where: { evaluation.lets(node, $0) }) else {
                failWithType(index)
                return false
            }
            let section = evaluation.section(node, kinds[0])
            for position in section.start..<section.end {
                let instruction = program.code.base[Int(position)]
                if instruction.operation == .call, applied.count < end + StreamedCheck.referenceLimit {
                    apply(instruction.a, Int32(index), .call, detail: instruction.location)
                    guard failure == nil else { return false }
                }
                if instruction.operation == .anyOf || instruction.operation == .oneOf,
                    kinds.allSatisfy({ branches(instruction, $0).count == 0 })
                {
                    fail(instruction, index)
                    return false
                }
                guard kinds[0] == .string, count > 0 else { continue }
                // A character has at most twelve bytes: the escapes of two surrogates.
                if instruction.operation == .maxLength, count / 12 > Int(instruction.a) {
                    fail(instruction, index)
                    return false
                }
            }
        }
        while applied.count > end { applied.removeLast() }
        return false
    }
}
