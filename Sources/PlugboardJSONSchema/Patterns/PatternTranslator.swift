/// Translates a regular expression of ECMA-262 (with the flag u) for libpcre2, or refuses it.
///
/// The differences are: the spaces and line ends of `\s` and `.`, the classes `[]` and `[^]`, names of properties,
/// escapes of characters, and constructs of Perl only, which are errors. More lenient than ECMA-262: any punctuation
/// may be escaped, and a brace that does not begin a quantifier is a literal.
struct PatternTranslator {
    struct Translation {
        var text = ""
        /// The plain text after `^`, if the pattern consists only of these.
        var prefix: [UInt8]?
        /// Whether the plain text ends with `$`.
        var isWhole = false
    }

    let scalars: [Unicode.Scalar]
    var position = 0
    var output = ""
    var groups: Set<String> = []
    var usedGroups: [String] = []
    private var depth = 0
    private var captureCount = 0
    var largestReference = 0

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

    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    func peek(_ offset: Int) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    func starts(with text: String) -> Bool {
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

    /// Appends a literal character, inside or outside a class.
    mutating func append(_ scalar: Unicode.Scalar) {
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
        // In Perl, a second quantifier would be possessive.
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

    /// Translates a group. Returns whether it may have a quantifier.
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
            groups.insert(name)
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

    mutating func groupName() throws(PatternError) -> String {
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

    /// The name for libpcre2, whose names have at most 32 ASCII letters and digits.
    static func portable(_ name: String) -> String {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "g\(String(hash, radix: 16))"
    }
}
