extension JSONScanner {
    // RFC 8259 §7
    mutating func string() throws(Fault) -> String {
        let quote = cursor
        cursor += 1
        let first = cursor
        skipPlainText()
        if cursor < end, cursor.pointee == UInt8(ascii: "\"") {
            let text = try text(first..<cursor)
            cursor += 1
            return text
        }
        return try stringWithEscapes(from: first, quote: quote)
    }

    private mutating func stringWithEscapes(
        from first: UnsafePointer<UInt8>, quote: UnsafePointer<UInt8>
    ) throws(Fault) -> String {
        unescaped.removeAll(keepingCapacity: true)
        var piece = first
        while cursor < end {
            let byte = cursor.pointee
            guard byte >= 0x20 else { throw fault("a control character in a string must be escaped") }
            unescaped.append(contentsOf: UnsafeBufferPointer(start: piece, count: cursor - piece))
            if byte == UInt8(ascii: "\"") {
                if let text = String(validating: unescaped, as: UTF8.self) {
                    cursor += 1
                    return text
                }
                break
            }
            try escape()
            piece = cursor
            skipPlainText()
        }
        // Escapes are ASCII, so what is wrong with the result is wrong with the source.
        try validate(first..<cursor)
        cursor = quote
        throw fault("the string is never closed")
    }

    /// Stops at a quote, a backslash, a control character or the end.
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while end - cursor >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // The well-known test for a zero byte, and for a byte below 0x20; exact up to the first hit, and only that is used.
            let hits =
                ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
                | ((word &- (ones &* 0x20)) & ~word)
            if hits & highs != 0 {
                cursor += (hits & highs).trailingZeroBitCount >> 3
                return
            }
            cursor += 8
        }
        while cursor < end, cursor.pointee >= 0x20, cursor.pointee != UInt8(ascii: "\""),
            cursor.pointee != UInt8(ascii: "\\")
        { cursor += 1 }
    }

    /// Appends what the escape at the cursor stands for.
    private mutating func escape() throws(Fault) {
        guard end - cursor > 1 else {
            cursor = end
            return
        }
        let byte: UInt8
        switch cursor[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = cursor[1]
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = UInt8(ascii: "\n")
        case UInt8(ascii: "r"): byte = UInt8(ascii: "\r")
        case UInt8(ascii: "t"): byte = UInt8(ascii: "\t")
        case UInt8(ascii: "u"):
            unescaped.append(contentsOf: UTF8.encode(try unicodeEscape()) ?? UTF8.encodedReplacementCharacter)
            return
        default:
            throw fault("a backslash is followed by none of \" \\ / b f n r t u")
        }
        unescaped.append(byte)
        cursor += 2
    }

    private mutating func unicodeEscape() throws(Fault) -> Unicode.Scalar {
        let escape = cursor
        let first = try hexadecimals()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if UTF16.isLeadSurrogate(first), end - cursor > 1, cursor.pointee == UInt8(ascii: "\\"),
            cursor[1] == UInt8(ascii: "u")
        {
            let second = try hexadecimals()
            if UTF16.isTrailSurrogate(second) { return UTF16.decode(UTF16.EncodedScalar([first, second])) }
        }
        cursor = escape
        throw fault("half of a surrogate pair stands alone")
    }

    /// Reads `\uXXXX`.
    private mutating func hexadecimals() throws(Fault) -> UInt16 {
        var value: UInt16 = 0
        for position in 2..<6 {
            guard end - cursor > position, let digit = Character(Unicode.Scalar(cursor[position])).hexDigitValue else {
                throw fault("\\u is not followed by four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
        }
        cursor += 6
        return value
    }

    private func text(_ range: Range<UnsafePointer<UInt8>>) throws(Fault) -> String {
        let bytes = UnsafeBufferPointer(start: range.lowerBound, count: range.count)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            try validate(range)
            throw fault("the text is not valid UTF-8")
        }
        return text
    }

    /// Throws at the first byte that is not UTF-8 (RFC 3629).
    func validate(_ range: Range<UnsafePointer<UInt8>>) throws(Fault) {
        let bytes = UnsafeBufferPointer(start: range.lowerBound, count: range.count)
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        var valid = 0
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) { valid += scalar.count }
        throw Fault(offset: range.lowerBound - start + valid, reason: "the text is not valid UTF-8")
    }
}
