/// Translates a regular expression of ECMA-262 (with the flag u) for libpcre2, or refuses it.
///
/// What differs: `\s` and `.` know Unicode's spaces and line ends, `[]` and `[^]` are classes, the names of properties,
/// the escapes of characters, and the constructs that only Perl has, which are errors. More lenient than ECMA-262: any
/// punctuation may be escaped, and a brace that is no quantifier is itself.
struct PatternTranslator {
    struct Translation {
        var text = ""
        /// The plain text after `^`, if the pattern is no more than that.
        var prefix: [UInt8]?
        /// The plain text ends with `$`.
        var isWhole = false
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var output = ""
    private var groups: [String] = []
    private var usedGroups: [String] = []
    private var depth = 0
    private var captureCount = 0
    private var largestReference = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func translate(_ text: String) throws(PatternError) -> Translation {
        if let plain = plain(text) { return plain }
        var translator = PatternTranslator(text)
        try translator.disjunction()
        guard translator.position == translator.scalars.count else {
            throw PatternError(reason: "a \")\" has no \"(\"")
        }
        for name in translator.usedGroups where !translator.groups.contains(name) {
            throw PatternError(reason: "\\k names a group that does not exist")
        }
        guard translator.largestReference <= translator.captureCount else {
            throw PatternError(reason: "a back reference names a group that does not exist")
        }
        return Translation(text: translator.output)
    }

    private static func plain(_ text: String) -> Translation? {
        var bytes = Array(text.utf8)[...]
        guard bytes.popFirst() == UInt8(ascii: "^") else { return nil }
        var translation = Translation(text: text, prefix: [])
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "$") where bytes.isEmpty: translation.isWhole = true
            case UInt8(ascii: "\\"):
                guard let next = bytes.popFirst(), next < 0x80, !next.isLetter, !next.isDigit else { return nil }
                translation.prefix?.append(next)
            case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
                UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "$"):
                return nil
            default: translation.prefix?.append(byte)
            }
        }
        return translation
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func peek(_ offset: Int) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private func starts(with text: String) -> Bool {
        var offset = 0
        for scalar in text.unicodeScalars {
            guard peek(offset) == scalar else { return false }
            offset += 1
        }
        return true
    }

    private mutating func disjunction() throws(PatternError) {
        depth += 1
        guard depth <= 200 else { throw PatternError(reason: "groups are nested deeper than 200") }
        while let scalar = next, scalar != ")" {
            if scalar == "|" {
                position += 1
                output += "|"
            } else {
                try term()
            }
        }
        depth -= 1
    }

    private mutating func term() throws(PatternError) {
        guard let scalar = next else { return }
        var isAtom = true
        switch scalar {
        case "^", "$":
            position += 1
            output.unicodeScalars.append(scalar)
            isAtom = false
        case "(": isAtom = try group()
        case ".":
            position += 1
            output += #"[^\n\r\x{2028}\x{2029}]"#
        case "[": try characterClass()
        case "\\": isAtom = try escape()
        case "*", "+", "?": throw PatternError(reason: "a quantifier has nothing to repeat")
        case "{":
            guard quantifierEnd() == nil else { throw PatternError(reason: "a quantifier has nothing to repeat") }
            literal()
        default: literal()
        }
        try quantifier(isAtom)
    }

    private mutating func literal() {
        guard let scalar = next else { return }
        position += 1
        append(scalar)
    }

    /// A character that stands for itself, inside or outside a class.
    private mutating func append(_ scalar: Unicode.Scalar) {
        let isPlain =
            scalar.value >= 0xA0 || scalar.value < 0x80 && (UInt8(scalar.value).isLetter || UInt8(scalar.value).isDigit)
        if isPlain {
            output.unicodeScalars.append(scalar)
        } else {
            output += "\\x{\(String(scalar.value, radix: 16))}"
        }
    }

    private mutating func quantifier(_ isAtom: Bool) throws(PatternError) {
        var end: Int?
        if let scalar = next, scalar == "*" || scalar == "+" || scalar == "?" { end = position + 1 }
        if next == "{" { end = quantifierEnd() }
        guard var end else { return }
        guard isAtom else { throw PatternError(reason: "a quantifier has nothing to repeat") }
        if end < scalars.count, scalars[end] == "?" { end += 1 }
        for scalar in scalars[position..<end] { output.unicodeScalars.append(scalar) }
        position = end
        // Two quantifiers would be possessive in Perl.
        if let scalar = next, scalar == "*" || scalar == "+" || scalar == "?" {
            throw PatternError(reason: "a quantifier has nothing to repeat")
        }
    }

    /// The position after `{n}`, `{n,}` or `{n,m}` at the cursor; nil if a brace begins something else.
    private func quantifierEnd() -> Int? {
        var end = position + 1
        let first = end
        while end < scalars.count, scalars[end].isASCIIDigit { end += 1 }
        guard end > first, end < scalars.count else { return nil }
        if scalars[end] == "," {
            end += 1
            while end < scalars.count, scalars[end].isASCIIDigit { end += 1 }
        }
        return end < scalars.count && scalars[end] == "}" ? end + 1 : nil
    }

    /// Returns whether the group may have a quantifier.
    private mutating func group() throws(PatternError) -> Bool {
        var isAtom = true
        if starts(with: "(?:") {
            try open("(?:", 3)
        } else if starts(with: "(?=") || starts(with: "(?!") {
            isAtom = false
            try open(starts(with: "(?=") ? "(?=" : "(?!", 3)
        } else if starts(with: "(?<=") || starts(with: "(?<!") {
            isAtom = false
            try open(starts(with: "(?<=") ? "(?<=" : "(?<!", 4)
        } else if starts(with: "(?<") {
            position += 3
            let name = try groupName()
            guard !groups.contains(name) else { throw PatternError(reason: "a group's name is used twice") }
            groups.append(name)
            captureCount += 1
            try open("(?<\(PatternTranslator.portable(name))>", 0)
        } else if starts(with: "(?i:") || starts(with: "(?-i:") {
            let isOn = starts(with: "(?i:")
            try open(isOn ? "(?i:" : "(?-i:", isOn ? 4 : 5)
        } else if starts(with: "(?") {
            throw PatternError(reason: "\"(?\" begins a group that ECMA-262 does not have")
        } else {
            captureCount += 1
            try open("(", 1)
        }
        return isAtom
    }

    private mutating func open(_ text: String, _ count: Int) throws(PatternError) {
        position += count
        output += text
        try disjunction()
        guard take(")") else { throw PatternError(reason: "a \"(\" is not closed") }
        output += ")"
    }

    private mutating func groupName() throws(PatternError) -> String {
        var name = ""
        while let scalar = next, scalar != ">" {
            let isFirst = name.isEmpty
            let value = scalar.value
            let isASCIIPart = value < 0x80 && (UInt8(value).isLetter || (!isFirst && UInt8(value).isDigit))
            guard isASCIIPart || scalar == "$" || scalar == "_" || value >= 0xAA else {
                throw PatternError(reason: "a group's name must be an identifier")
            }
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(">"), !name.isEmpty else { throw PatternError(reason: "a group's name must be an identifier") }
        return name
    }

    /// libpcre2's names are at most 32 ASCII letters and digits.
    private static func portable(_ name: String) -> String {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "g\(String(hash, radix: 16))"
    }

    // MARK: Escapes

    /// Returns whether the escape may have a quantifier.
    private mutating func escape() throws(PatternError) -> Bool {
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

    /// The character that an escape stands for, inside or outside a class.
    private mutating func character() throws(PatternError) -> Unicode.Scalar {
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

    private mutating func hex(_ count: Int) throws(PatternError) -> UInt32 {
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

    private mutating func property() throws(PatternError) {
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

    // MARK: Classes

    private mutating func characterClass() throws(PatternError) {
        position += 1
        let isNegated = take("^")
        if take("]") {
            // [] matches nothing, [^] everything.
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
            position += 1
            let mark = output
            let last = try classAtom()
            guard let first, let last else {
                // As in ECMA-262 without the flag u: the hyphen is itself beside a class.
                let tail = output
                output = mark
                if let first { append(first) }
                output += "\\-"
                output += String(tail.unicodeScalars.dropFirst(mark.unicodeScalars.count))
                if let last { append(last) }
                continue
            }
            guard first <= last else { throw PatternError(reason: "the range of a class is out of order") }
            append(first)
            output += "-"
            append(last)
        }
        output += "]"
    }

    /// One character of a class, or nil after a class escape, which is in the output.
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
    private static let spaces =
        #"\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"#
    private static let notSpaces =
        #"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"#
        + #"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"#
}

extension Unicode.Scalar {
    fileprivate var isASCIIDigit: Bool { self >= "0" && self <= "9" }
    fileprivate var hexDigit: UInt32? { value < 0x80 ? UInt8(value).hexValue.map(UInt32.init) : nil }
}
