import PlugboardJSON

/// Fills a tape. It accepts the same texts as `JSONParser` with the same options; it does not say what is wrong with
/// others, because the parser then does.
struct JSONTapeScanner {
    struct Refused: Error {}

    let tape: JSONTape
    private let depthLimit: Int
    let refusesDuplicates: Bool
    private var cursor: UnsafePointer<UInt8>
    /// The innermost array or object that is open; 0 at the root.
    private(set) var open: UInt32 = 0
    private var isObject = false
    let hashes: UnsafeMutableBufferPointer<UInt32>

    /// Objects with more members get an index.
    static let indexThreshold = 32

    /// The options must allow neither comments nor trailing commas.
    static func scan(_ tape: JSONTape, options: JSONParser.Options) throws(Refused) {
        let hashes = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: indexThreshold)
        defer { hashes.deallocate() }
        var scanner = JSONTapeScanner(tape, options, hashes)
        try scanner.document()
    }

    private init(_ tape: JSONTape, _ options: JSONParser.Options, _ hashes: UnsafeMutableBufferPointer<UInt32>) {
        self.tape = tape
        self.hashes = hashes
        depthLimit = min(options.depthLimit, JSONParser.Options.deepest)
        refusesDuplicates = options.duplicateKeys == .error
        cursor = UnsafePointer(tape.bytes)
    }

    private var offset: Int { cursor - UnsafePointer(tape.bytes) }

    private mutating func document() throws(Refused) {
        tape.append(.null, at: 0)
        if tape.byteCount >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF { cursor += 3 }
        var depth = 0
        while true {
            skipSpace()
            // A value is expected.
            switch cursor.pointee {
            case UInt8(ascii: "\""):
                try string(isKey: false)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try number()
            case UInt8(ascii: "{"):
                guard depth < depthLimit else { throw Refused() }
                depth += 1
                enter(.object)
                skipSpace()
                if cursor.pointee != UInt8(ascii: "}") {
                    try key()
                    continue
                }
            case UInt8(ascii: "["):
                guard depth < depthLimit else { throw Refused() }
                depth += 1
                enter(.array)
                skipSpace()
                if cursor.pointee != UInt8(ascii: "]") {
                    tape.tokens[Int(open)].count = 1
                    continue
                }
            case UInt8(ascii: "t"): try word(0x6575_7274, 4, .true)
            case UInt8(ascii: "f"): try word(0x6573_6C61, 5, .false)
            case UInt8(ascii: "n"): try word(0x6C6C_756E, 4, .null)
            default: throw Refused()
            }
            // After a value, or in an empty array or object.
            while true {
                skipSpace()
                guard depth > 0 else {
                    guard offset == tape.byteCount else { throw Refused() }
                    return
                }
                let byte = cursor.pointee
                if byte == UInt8(ascii: ",") {
                    cursor += 1
                    if isObject {
                        skipSpace()
                        try key()
                    } else {
                        tape.tokens[Int(open)].count &+= 1
                    }
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw Refused() }
                cursor += 1
                depth -= 1
                try leave()
            }
        }
    }

    @inline(__always)
    private mutating func skipSpace() {
        // Most bytes are none.
        while cursor.pointee <= 0x20 {
            switch cursor.pointee {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): cursor += 1
            default: return
            }
        }
    }

    private mutating func word(_ lastFour: UInt32, _ count: Int, _ kind: JSONTape.Kind) throws(Refused) {
        // The last four letters; the first was seen.
        let letters = UnsafeRawPointer(cursor + (count - 4)).loadUnaligned(as: UInt32.self)
        guard UInt32(littleEndian: letters) == lastFour else { throw Refused() }
        tape.append(kind, at: offset)
        cursor += count
    }

    private mutating func enter(_ kind: JSONTape.Kind) {
        let parent = open
        var step: UInt32 = 0
        if parent != 0 { step = isObject ? tape.count &- 1 : tape[parent].count &- 1 }
        open = tape.count
        tape.append(kind, at: offset)
        tape.append(.null, at: 0)
        tape[container: open] = .init(parent: parent, step: step, hint: open &+ 2, end: 0)
        isObject = kind == .object
        cursor += 1
    }

    private mutating func leave() throws(Refused) {
        if isObject, tape[open].count > 1 { try refuseOrReplaceDuplicates() }
        tape.tokens[Int(open)].length = tape.count
        tape[container: open].end = UInt32(truncatingIfNeeded: offset)
        open = tape[container: open].parent
        isObject = open != 0 && tape[open].kind == .object
    }

    /// Reads a key and its colon.
    private mutating func key() throws(Refused) {
        guard cursor.pointee == UInt8(ascii: "\"") else { throw Refused() }
        tape.tokens[Int(open)].count &+= 1
        try string(isKey: true)
        if cursor.pointee != UInt8(ascii: ":") {
            skipSpace()
            guard cursor.pointee == UInt8(ascii: ":") else { throw Refused() }
        }
        cursor += 1
    }
}

extension JSONTapeScanner {
    // RFC 8259 §6
    @inline(__always)
    private mutating func number() throws(Refused) {
        let first = offset
        if cursor.pointee == UInt8(ascii: "-") { cursor += 1 }
        let leading = cursor
        skipDigits()
        guard cursor > leading, leading.pointee != UInt8(ascii: "0") || cursor - leading == 1 else { throw Refused() }
        var kind = JSONTape.Kind.integer
        if cursor.pointee == UInt8(ascii: ".") {
            kind = .number
            cursor += 1
            guard isDigit else { throw Refused() }
            skipDigits()
        }
        if cursor.pointee | 0x20 == UInt8(ascii: "e") {
            kind = .number
            try skipExponent(of: leading)
        }
        tape.append(kind, at: first, length: offset - first)
    }

    @inline(__always)
    private var isDigit: Bool { cursor.pointee &- UInt8(ascii: "0") <= 9 }

    @inline(__always)
    private mutating func skipDigits() { while isDigit { cursor += 1 } }

    private mutating func skipExponent(of mantissa: UnsafePointer<UInt8>) throws(Refused) {
        let digits = UnsafeBufferPointer(start: mantissa, count: cursor - mantissa)
        cursor += 1
        if cursor.pointee == UInt8(ascii: "-") || cursor.pointee == UInt8(ascii: "+") { cursor += 1 }
        guard isDigit else { throw Refused() }
        while cursor.pointee == UInt8(ascii: "0") { cursor += 1 }
        let significant = cursor
        skipDigits()
        // The same limit as `JSONNumber`.
        if cursor - significant > 18, digits.contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) {
            throw Refused()
        }
    }

    // RFC 8259 §7
    @inline(__always)
    private mutating func string(isKey: Bool) throws(Refused) {
        cursor += 1
        let first = cursor
        var seen: UInt64 = 0
        var isEscaped = false
        while true {
            seen |= skipPlainText()
            if cursor.pointee == UInt8(ascii: "\"") { break }
            // A control character, or the zeros after the end.
            guard cursor.pointee == UInt8(ascii: "\\") else { throw Refused() }
            isEscaped = true
            try skipEscape()
        }
        let length = cursor - first
        if seen & 0x8080_8080_8080_8080 != 0 {
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: UnsafeBufferPointer(start: first, count: length).span)
            } catch {
                throw Refused()
            }
        }
        tape.append(
            isEscaped ? .escapedString : .string, at: first - UnsafePointer(tape.bytes), length: length,
            count: isKey ? JSONKeyHash.hash(first, length) : 0)
        cursor += 1
    }

    /// Stops at a quote, a backslash or a control character. Returns all bytes before it, one over the other.
    @inline(__always)
    private mutating func skipPlainText() -> UInt64 {
        var seen: UInt64 = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        // A word may reach into the zeros after the text, where it stops, and never beyond them.
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // The usual test of a word for a zero byte and for a byte below 0x20. It is exact up to the first hit, and
            // only that one is used.
            let hits =
                (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
                    | ((word &- (ones &* 0x20)) & ~word)) & highs
            if hits != 0 {
                let bits = UInt64(hits.trailingZeroBitCount & ~7)
                cursor += Int(bits >> 3)
                return seen | word & ~(~0 << bits)
            }
            seen |= word
            cursor += 8
        }
    }

    private mutating func skipEscape() throws(Refused) {
        switch cursor[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            cursor += 2
        case UInt8(ascii: "u"):
            let first = try hexadecimals()
            guard UTF16.isSurrogate(first) else { return }
            guard UTF16.isLeadSurrogate(first), cursor.pointee == UInt8(ascii: "\\"), cursor[1] == UInt8(ascii: "u"),
                UTF16.isTrailSurrogate(try hexadecimals())
            else { throw Refused() }
        default: throw Refused()
        }
    }

    /// Reads `\uXXXX`.
    private mutating func hexadecimals() throws(Refused) -> UInt16 {
        var value: UInt16 = 0
        for position in 2..<6 {
            // The zeros after the text are not digits, so that nothing beyond them is read.
            guard let digit = JSONTape.hexadecimal(cursor[position]) else { throw Refused() }
            value = value << 4 | digit
        }
        cursor += 6
        return value
    }
}
