extension JSONScanner {
    // RFC 8259 §7
    mutating func string() throws(Failure) -> String {
        let quote = cursor
        cursor += 1
        let first = cursor
        let isASCII = skipPlainText()
        if cursor < end, cursor.pointee == UInt8(ascii: "\"") {
            let bytes = UnsafeBufferPointer(start: first, count: cursor - first)
            let text = isASCII ? String(decoding: bytes, as: UTF8.self) : try text(of: bytes)
            cursor += 1
            return text
        }
        return try stringWithEscapes(from: first, quote: quote)
    }

    private mutating func stringWithEscapes(
        from first: UnsafePointer<UInt8>, quote: UnsafePointer<UInt8>
    ) throws(Failure) -> String {
        unescaped.removeAll(keepingCapacity: true)
        var piece = first
        while cursor < end {
            let byte = cursor.pointee
            guard byte >= 0x20 else { throw failure("a control character in a string must be escaped") }
            unescaped.append(contentsOf: UnsafeBufferPointer(start: piece, count: cursor - piece))
            if byte == UInt8(ascii: "\"") {
                // Escapes represent whole characters, so that the result is valid if the source is valid.
                try validate(first..<cursor)
                cursor += 1
                return String(decoding: unescaped, as: UTF8.self)
            }
            try escape()
            piece = cursor
            skipPlainText()
        }
        try validate(first..<cursor)
        cursor = quote
        throw failure("the string is never closed")
    }

    /// Stops at a quote, a backslash, a control character or the end. Returns whether all before it is ASCII.
    @discardableResult
    private mutating func skipPlainText() -> Bool {
        var seen: UInt64 = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while end - cursor >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // The usual test of a word for a zero byte and for a byte below 0x20. It is exact up to the first hit, and
            // only that one is used.
            let hits =
                ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
                | ((word &- (ones &* 0x20)) & ~word)
            if hits & highs != 0 {
                let bits = (hits & highs).trailingZeroBitCount & ~7
                cursor += bits >> 3
                return (seen | word & ~(~0 << UInt64(bits))) & highs == 0
            }
            seen |= word
            cursor += 8
        }
        while cursor < end, cursor.pointee >= 0x20, cursor.pointee != UInt8(ascii: "\""),
            cursor.pointee != UInt8(ascii: "\\")
        {
            seen |= UInt64(cursor.pointee)
            cursor += 1
        }
        return seen & highs == 0
    }

    /// Appends the character of the escape at the cursor.
    private mutating func escape() throws(Failure) {
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
            throw failure("a backslash must be followed by one of \" \\ / b f n r t u")
        }
        unescaped.append(byte)
        cursor += 2
    }

    private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
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
        throw failure("a surrogate has no second half")
    }

    /// Reads `\uXXXX`.
    private mutating func hexadecimals() throws(Failure) -> UInt16 {
        var value: UInt16 = 0
        for position in 2..<6 {
            guard end - cursor > position, let digit = Character(Unicode.Scalar(cursor[position])).hexDigitValue else {
                throw failure("\\u is not followed by four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
        }
        cursor += 6
        return value
    }

    /// Throws at the first byte that is not UTF-8 (RFC 3629).
    private func text(of bytes: UnsafeBufferPointer<UInt8>) throws(Failure) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw invalid(bytes, error)
        }
    }

    func validate(_ range: Range<UnsafePointer<UInt8>>) throws(Failure) {
        let bytes = UnsafeBufferPointer(start: range.lowerBound, count: range.count)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw invalid(bytes, error)
        }
    }

    private func invalid(_ bytes: UnsafeBufferPointer<UInt8>, _ error: UTF8.ValidationError) -> Failure {
        let before = bytes.baseAddress.map { $0 - start } ?? 0
        return Failure(offset: before + error.byteOffsets.lowerBound, reason: "the text is not valid UTF-8")
    }
}
