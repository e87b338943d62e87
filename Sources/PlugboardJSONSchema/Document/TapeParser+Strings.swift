extension TapeParser {
    /// Reads the string at the cursor and decodes its escapes in place.
    ///
    /// Returns where its bytes end; the cursor stands after the closing quote.
    mutating func scanString() throws(JSONDocumentError) -> (end: Int, isASCII: Bool) {
        let read = plainEnd(from: cursor &+ 1)
        if bytes[read] == UInt8(ascii: "\"") {
            cursor = read &+ 1
            return (read, true)
        }
        return try scanRest(from: read)
    }

    /// The next quote, backslash, control character or byte beyond ASCII.
    @inline(__always)
    func plainEnd(from start: Int) -> Int {
        var read = start
        let raw = UnsafeRawPointer(bytes)
        while true {
            // Eight bytes at a time.
            let stops = TapeParser.stops(raw.loadUnaligned(fromByteOffset: read, as: UInt64.self))
            if stops != 0 { return read &+ stops.trailingZeroBitCount &>> 3 }
            read &+= 8
        }
    }

    @inline(__always)
    private static func stops(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        // The lowest bit that is set is exact in each term, and all that is needed.
        let controls = (word &- ones &* 0x20) & ~word
        return (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | controls | word) & tops
    }

    @inline(never)
    private mutating func scanRest(from start: Int) throws(JSONDocumentError) -> (end: Int, isASCII: Bool) {
        var read = start
        var write = start
        var isASCII = true
        while true {
            let byte = bytes[read]
            switch byte {
            case UInt8(ascii: "\""):
                cursor = read &+ 1
                return (write, isASCII)
            case UInt8(ascii: "\\"):
                if isTrying, read == write { keepOriginal(from: read) }
                let scalar = try escape(&read)
                if scalar >= 0x80 { isASCII = false }
                TapeParser.encode(scalar, into: bytes, &write)
            case 0..<0x20:
                throw failure(
                    read >= size ? "a string is not closed" : "a control character must be escaped in a string",
                    at: read)
            case 0x20..<0x80:
                bytes[write] = byte
                read &+= 1
                write &+= 1
            default:
                isASCII = false
                let count = TapeParser.sequence(bytes + read)
                guard count > 0 else { throw failure("the text is not valid UTF-8", at: read) }
                for _ in 0..<count {
                    bytes[write] = bytes[read]
                    read &+= 1
                    write &+= 1
                }
            }
        }
    }

    /// The bytes of the sequence of two to four bytes at an address, 0 if it is not UTF-8 (RFC 3629 §4).
    static func sequence(_ at: UnsafePointer<UInt8>) -> Int {
        @inline(__always) func isRest(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
        switch at[0] {
        case 0xC2...0xDF: return isRest(at[1]) ? 2 : 0
        case 0xE0: return at[1] >= 0xA0 && at[1] <= 0xBF && isRest(at[2]) ? 3 : 0
        case 0xED: return at[1] >= 0x80 && at[1] <= 0x9F && isRest(at[2]) ? 3 : 0
        case 0xE1...0xEF: return isRest(at[1]) && isRest(at[2]) ? 3 : 0
        case 0xF0: return at[1] >= 0x90 && at[1] <= 0xBF && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        case 0xF1...0xF3: return isRest(at[1]) && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        case 0xF4: return at[1] >= 0x80 && at[1] <= 0x8F && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        default: return 0
        }
    }

    /// The scalar of the escape at `read`, which is moved behind it.
    func escape(_ read: inout Int) throws(JSONDocumentError) -> UInt32 {
        let start = read
        read &+= 2
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""): return 0x22
        case UInt8(ascii: "\\"): return 0x5C
        case UInt8(ascii: "/"): return 0x2F
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): break
        default: throw failure("an escape is not one of JSON's", at: start)
        }
        let first = try unit(&read)
        guard first & 0xF800 == 0xD800 else { return first }
        guard first < 0xDC00, bytes[read] == UInt8(ascii: "\\"), bytes[read &+ 1] == UInt8(ascii: "u") else {
            throw failure("a surrogate must be one of a pair", at: start)
        }
        read &+= 2
        let second = try unit(&read)
        guard second & 0xFC00 == 0xDC00 else { throw failure("a surrogate must be one of a pair", at: start) }
        return 0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF)
    }

    private func unit(_ read: inout Int) throws(JSONDocumentError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = bytes[read].hexValue else { throw failure("\\u needs four hexadecimal digits", at: read) }
            value = value << 4 | UInt32(digit)
            read &+= 1
        }
        return value
    }

    private static func encode(_ scalar: UInt32, into bytes: UnsafeMutablePointer<UInt8>, _ write: inout Int) {
        func put(_ value: UInt32) {
            bytes[write] = UInt8(truncatingIfNeeded: value)
            write &+= 1
        }
        switch scalar {
        case ..<0x80: put(scalar)
        case ..<0x800:
            put(0xC0 | scalar >> 6)
            put(0x80 | scalar & 0x3F)
        case ..<0x10000:
            put(0xE0 | scalar >> 12)
            put(0x80 | scalar >> 6 & 0x3F)
            put(0x80 | scalar & 0x3F)
        default:
            put(0xF0 | scalar >> 18)
            put(0x80 | scalar >> 12 & 0x3F)
            put(0x80 | scalar >> 6 & 0x3F)
            put(0x80 | scalar & 0x3F)
        }
    }
}

extension UInt8 {
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
}
