import PlugboardSystem

// RFC 8259 §7
@_spi(Tape) extension JSONTapeParser {
    /// Reads the string at the cursor and decodes its escapes in place.
    ///
    /// Returns the end of its bytes; the cursor is then after the closing quote.
    @inline(__always)
    mutating func scanString() throws(JSONFailure) -> (end: Int, isASCII: Bool) {
        let (end, isASCII) = textEnd(from: cursor &+ 1)
        guard isASCII, bytes[end] == UInt8(ascii: "\"") else { return try scanRest(to: end, isASCII) }
        cursor = end &+ 1
        return (end, true)
    }

    /// The next quote, backslash or control character, and whether all bytes before it are ASCII.
    @inlinable @inline(__always)
    public func textEnd(from start: Int) -> (end: Int, isASCII: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawPointer(bytes)
        var read = start
        var seen: UInt64 = 0
        while true {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: read, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // The usual test of a word for a zero byte and for a byte below 0x20. Only the first hit is reliable, and
            // only that one is used.
            let hits =
                (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
                    | ((word &- (ones &* 0x20)) & ~word)) & highs
            if hits != 0 {
                let bits = UInt64(truncatingIfNeeded: hits.trailingZeroBitCount & ~7)
                seen |= word & ~(~0 &<< bits)
                return (read &+ Int(truncatingIfNeeded: bits &>> 3), seen & highs == 0)
            }
            seen |= word
            read &+= 8
        }
    }

    /// Reads a string with escapes or non-ASCII characters. The text up to `end` has been scanned.
    @inline(never)
    private mutating func scanRest(to end: Int, _ isASCII: Bool) throws(JSONFailure) -> (end: Int, isASCII: Bool) {
        var read = cursor &+ 1
        var write = read
        var (end, isPlain, isASCII) = (end, isASCII, isASCII)
        while true {
            if !isPlain { try validate(read..<end) }
            if write != read, end > read { memmove(bytes + write, bytes + read, end &- read) }
            write &+= end &- read
            read = end
            guard bytes[read] == UInt8(ascii: "\\") else { break }
            if isTrying, read == write { keepOriginal(from: read) }
            repeat {
                let scalar = try escape(&read)
                if scalar >= 0x80 { isASCII = false }
                encode(scalar, &write)
            } while bytes[read] == UInt8(ascii: "\\")
            (end, isPlain) = textEnd(from: read)
            if !isPlain { isASCII = false }
        }
        guard bytes[read] == UInt8(ascii: "\"") else {
            if read >= size { throw unclosed() }
            throw failure("a control character in a string must be escaped", at: read)
        }
        cursor = read &+ 1
        return (write, isASCII)
    }

    /// The error for a string without a closing quote.
    public func unclosed() -> JSONFailure { failure("the string is never closed") }

    /// Throws at the first byte that is not UTF-8 (RFC 3629).
    func validate(_ range: Range<Int>) throws(JSONFailure) {
        let bytes = UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw failure("the text is not valid UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    /// Copies the rest of a string before it is decoded in place.
    private mutating func keepOriginal(from start: Int) {
        var end = start
        while end < size, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let count = min(end, size) - start
        originals += UnsafeBufferPointer(start: bytes + start, count: count)
        originalPlaces.append((start, count))
    }

    /// The scalar of the escape at `read`, which is moved after it.
    public func escape(_ read: inout Int) throws(JSONFailure) -> UInt32 {
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
        default:
            if read > size { throw unclosed() }
            throw failure("a backslash must be followed by one of \" \\ / b f n r t u", at: start)
        }
        let first = try unit(&read)
        guard first & 0xF800 == 0xD800 else { return first }
        if first < 0xDC00, bytes[read] == UInt8(ascii: "\\"), bytes[read &+ 1] == UInt8(ascii: "u") {
            read &+= 2
            let second = try unit(&read)
            if second & 0xFC00 == 0xDC00 { return 0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF) }
        }
        throw failure("a surrogate has no second half", at: start)
    }

    /// Reads the four digits after `\u`.
    private func unit(_ read: inout Int) throws(JSONFailure) -> UInt32 {
        var value: UInt32 = 0
        for position in 0..<4 {
            let digit: UInt8
            switch bytes[read &+ position] {
            case let byte where byte.isDigit: digit = byte & 0x0F
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20): digit = (byte & 0x0F) + 9
            default: throw failure("\\u is not followed by four hexadecimal digits", at: read &- 2)
            }
            value = value << 4 | UInt32(digit)
        }
        read &+= 4
        return value
    }

    /// Writes UTF-8. The result is never longer than the escape.
    private func encode(_ scalar: UInt32, _ write: inout Int) {
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
    @inline(__always) var isDigit: Bool { self &- UInt8(ascii: "0") <= 9 }
}
