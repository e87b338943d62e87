extension PatternTranslator {
    /// Translates an escape. Returns whether it may have a quantifier.
    mutating func escape() throws(PatternError) -> Bool {
        guard let scalar = peek(1) else { throw PatternError(reason: "a backslash ends the expression") }
        switch scalar {
        case "b", "B":
            position += 2
            output += "\\\(scalar)"
            return false
        case "1"..."9":
            position += 1
            var number = 0
            while let digit = next, digit.isASCIIDigit, number < 10_000 {
                number = number * 10 + Int(digit.value - 48)
                position += 1
            }
            largestReference = max(largestReference, number)
            output += "\\g{\(number)}"
        case "k":
            guard peek(2) == "<" else { throw PatternError(reason: "\\k needs a name in angle brackets") }
            position += 3
            let name = try groupName()
            usedGroups.append(name)
            output += "\\g{\(PatternTranslator.portable(name))}"
        case "s":
            position += 2
            output += "[\(PatternTranslator.spaces)]"
        case "S":
            position += 2
            output += "[^\(PatternTranslator.spaces)]"
        case "d", "D", "w", "W":
            position += 2
            output += "\\\(scalar)"
        case "p", "P":
            try property()
        default:
            append(try character())
        }
        return true
    }

    /// The character of an escape, inside or outside a class.
    mutating func character() throws(PatternError) -> Unicode.Scalar {
        guard let scalar = peek(1) else { throw PatternError(reason: "a backslash ends the expression") }
        position += 2
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "v": return "\u{B}"
        case "f": return "\u{C}"
        case "0":
            if next?.isASCIIDigit == true { throw PatternError(reason: "octal escapes do not exist in ECMA-262") }
            return "\0"
        case "c":
            guard let letter = next, letter.value < 0x80, UInt8(letter.value).isLetter,
                let control = Unicode.Scalar(letter.value % 32)
            else { throw PatternError(reason: "\\c needs a letter") }
            position += 1
            return control
        case "x":
            return try scalarValue(try hex(2))
        case "u":
            if take("{") {
                var value: UInt32 = 0
                var count = 0
                while let digit = next?.hexDigit {
                    value = min(value * 16 + digit, 0x110000)
                    position += 1
                    count += 1
                }
                guard take("}"), count > 0 else { throw PatternError(reason: "\\u{…} needs hexadecimal digits") }
                return try scalarValue(value)
            }
            let first = try hex(4)
            guard first & 0xFC00 == 0xD800, starts(with: "\\u") else { return try scalarValue(first) }
            position += 2
            let second = try hex(4)
            guard second & 0xFC00 == 0xDC00 else { return try scalarValue(first) }
            return try scalarValue(0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF))
        default:
            guard scalar.value < 0x80, !UInt8(scalar.value).isLetter, !UInt8(scalar.value).isDigit else {
                throw PatternError(reason: "\\\(scalar) is not an escape of ECMA-262")
            }
            return scalar
        }
    }

    private func scalarValue(_ value: UInt32) throws(PatternError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else {
            throw PatternError(reason: "a surrogate without its pair, or a number beyond Unicode, matches nothing")
        }
        return scalar
    }

    mutating func hex(_ count: Int) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next?.hexDigit else {
                throw PatternError(reason: "an escape needs \(count) hexadecimal digits")
            }
            value = value * 16 + digit
            position += 1
        }
        return value
    }

    mutating func property() throws(PatternError) {
        let letter = peek(1) == "P" ? "P" : "p"
        guard peek(2) == "{" else { throw PatternError(reason: "\\\(letter) needs a name in braces") }
        position += 3
        var name = ""
        while let scalar = next, scalar != "}" {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take("}"), let known = UnicodeProperty.name(name) else {
            throw PatternError(reason: "\\\(letter){…} has an unknown name")
        }
        output += "\\\(letter){\(known)}"
    }
}

extension Unicode.Scalar {
    var isASCIIDigit: Bool { self >= "0" && self <= "9" }
    var hexDigit: UInt32? { value < 0x80 ? UInt8(value).hexValue.map(UInt32.init) : nil }
}
