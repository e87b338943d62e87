extension PatternTranslator {
    mutating func characterClass() throws(PatternError) {
        position += 1
        let isNegated = take("^")
        if take("]") {
            // [] matches nothing, and [^] matches everything.
            output += isNegated ? "(?s:.)" : "(?!)"
            return
        }
        output += isNegated ? "[^" : "["
        while !take("]") {
            guard next != nil else { throw PatternError(reason: "a \"[\" is not closed") }
            let first = try classAtom()
            guard next == "-", peek(1) != "]", peek(1) != nil else {
                if let first { append(first) }
                continue
            }
            guard let first, !isClassEscape(1) else {
                // As in ECMA-262 without the flag u: beside a class escape, the hyphen is a literal.
                if let first { append(first) }
                position += 1
                output += "\\-"
                continue
            }
            position += 1
            guard let last = try classAtom() else { continue }
            guard first <= last else { throw PatternError(reason: "the range of a class is out of order") }
            append(first)
            output += "-"
            append(last)
        }
        output += "]"
    }

    /// Whether an escape for several characters is at an offset from the cursor.
    private func isClassEscape(_ offset: Int) -> Bool {
        guard peek(offset) == "\\" else { return false }
        switch peek(offset + 1) {
        case "d", "D", "w", "W", "s", "S", "p", "P": return true
        default: return false
        }
    }

    /// One character of a class, or nil after a class escape, which has been written to the output.
    private mutating func classAtom() throws(PatternError) -> Unicode.Scalar? {
        guard let scalar = next else { throw PatternError(reason: "a \"[\" is not closed") }
        guard scalar == "\\" else {
            position += 1
            return scalar
        }
        switch peek(1) {
        case "d", "D", "w", "W":
            output += "\\\(scalars[position + 1])"
            position += 2
            return nil
        case "s":
            output += PatternTranslator.spaces
            position += 2
            return nil
        case "S":
            output += PatternTranslator.notSpaces
            position += 2
            return nil
        case "p", "P":
            try property()
            return nil
        case "b":
            position += 2
            return "\u{8}"
        default: return try character()
        }
    }

    // ECMA-262 §22.2.2.9: WhiteSpace and LineTerminator.
    static let spaces =
        #"\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"#
    static let notSpaces =
        #"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"#
        + #"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"#
}
