import PlugboardJSON

extension EncodingText {
    // RFC 8259 §7
    @inline(__always)
    func append(quoting string: String) {
        var string = string
        string.withUTF8 { append(quoting: $0) }
    }

    private func append(quoting text: UnsafeBufferPointer<UInt8>) {
        // One word more than the text, because whole words are written.
        reserve(text.count + 16)
        append(UInt8(ascii: "\""))
        let source = UnsafeRawBufferPointer(text)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var read = 0
        while read &+ 8 <= source.count {
            let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let hits =
                (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
                    | ((word &- (ones &* 0x20)) & ~word)) & 0x8080_8080_8080_8080
            UnsafeMutableRawPointer(bytes + count).storeBytes(of: word.littleEndian, as: UInt64.self)
            if hits == 0 {
                advance(8)
                read &+= 8
            } else {
                let plain = hits.trailingZeroBitCount >> 3
                advance(plain)
                append(escaping: source[read &+ plain])
                read &+= plain &+ 1
                reserve(source.count &- read &+ 16)
            }
        }
        while read < source.count {
            let byte = source[read]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(escaping: byte)
            } else {
                append(byte)
            }
            read &+= 1
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends an escape; the byte must need one.
    private func append(escaping byte: UInt8) {
        let letter: UInt8
        switch byte {
        case 0x20...: letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x0C: letter = UInt8(ascii: "f")
        case UInt8(ascii: "\n"): letter = UInt8(ascii: "n")
        case UInt8(ascii: "\r"): letter = UInt8(ascii: "r")
        case UInt8(ascii: "\t"): letter = UInt8(ascii: "t")
        default:
            let digits: StaticString = "0123456789abcdef"
            append(literal: "\\u00")
            append(digits.utf8Start[Int(byte >> 4)])
            append(digits.utf8Start[Int(byte & 0x0F)])
            return
        }
        append(UInt8(ascii: "\\"))
        append(letter)
    }

    @inline(__always)
    func append(integer: some FixedWidthInteger) {
        guard let small = Int64(exactly: integer) else { return append(ascii: integer.description) }
        append(small)
    }

    private func append(_ integer: Int64) {
        reserve(20)
        var magnitude = integer.magnitude
        if integer < 0 { append(UInt8(ascii: "-")) }
        var length = 1
        var limit: UInt64 = 10
        while length < 19, magnitude >= limit {
            length += 1
            limit *= 10
        }
        var place = bytes + count + length
        repeat {
            place -= 1
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            place.pointee = UInt8(truncatingIfNeeded: digit) | 0x30
            magnitude = quotient
        } while magnitude > 0
        advance(length)
    }

    @inline(__always)
    func append(ascii text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a value unchanged.
    func append(_ value: JSONValue) {
        switch value {
        case .null: append(literal: "null")
        case .bool(let bool): append(bool)
        case .string(let string): append(quoting: string)
        case .number(let number): append(ascii: number.text)
        case .array, .object:
            let text: [UInt8] = JSONWriter.write(value)
            text.withUnsafeBufferPointer { append($0) }
        }
    }

    @inline(__always)
    func append(_ bool: Bool) {
        if bool { append(literal: "true") } else { append(literal: "false") }
    }
}
