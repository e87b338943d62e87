extension TapeParser {
    /// Reads the number at the cursor (RFC 8259 §6). Up to 18 digits are kept as an integer and a power of ten.
    @inline(__always)
    mutating func number() throws(JSONDocumentError) {
        let start = cursor
        var read = cursor
        let isNegative = bytes[read] == UInt8(ascii: "-")
        if isNegative { read &+= 1 }
        var value: UInt64 = 0
        let first = read
        while bytes[read].isDigit {
            value = value &* 10 &+ UInt64(bytes[read] & 0x0F)
            read &+= 1
        }
        let digits = read &- first
        guard digits > 0 else { throw failure("a digit is expected", at: read) }
        guard digits == 1 || bytes[first] != UInt8(ascii: "0") else {
            throw failure("a number must not begin with a zero", at: first)
        }
        let next = bytes[read]
        if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e"), digits <= 18 {
            cursor = read
            let integer = Int64(bitPattern: value)
            append(Token(kind: .integer, payload: UInt64(bitPattern: isNegative ? 0 &- integer : integer)))
            return
        }
        try longNumber(start, read, digits: digits, value: value, isNegative: isNegative)
    }

    @inline(never)
    private mutating func longNumber(
        _ start: Int, _ point: Int, digits whole: Int, value: UInt64, isNegative: Bool
    ) throws(JSONDocumentError) {
        var read = point
        var value = value
        var digits = whole
        var exponent = 0
        var flags: UInt8 = 0
        if bytes[read] == UInt8(ascii: ".") {
            flags = Token.hasFraction
            read &+= 1
            let first = read
            while bytes[read].isDigit {
                value = value &* 10 &+ UInt64(bytes[read] & 0x0F)
                read &+= 1
            }
            guard read > first else { throw failure("a digit is expected", at: read) }
            digits += read - first
            exponent = first - read
        }
        if bytes[read] | 0x20 == UInt8(ascii: "e") {
            flags = Token.hasFraction
            exponent += try writtenExponent(&read)
        }
        cursor = read
        if digits <= 18 {
            if let token = small(value, exponent, isNegative, flags) { return append(token) }
        } else {
            let decimal = DecimalText(UnsafeBufferPointer(start: bytes + start, count: read - start))
            if let value = decimal.smallDigits, let token = small(value, decimal.exponent, isNegative, flags) {
                return append(token)
            }
        }
        let decimal = DecimalText(UnsafeBufferPointer(start: bytes + start, count: read - start))
        guard decimal.isWithinLimits else {
            throw failure("an exponent has more than 18 digits", at: start)
        }
        append(
            .text(decimal.exponent >= 0 ? .bigInteger : .bigDecimal, flags: flags, offset: start, count: read - start))
    }

    private func writtenExponent(_ read: inout Int) throws(JSONDocumentError) -> Int {
        read &+= 1
        let isNegative = bytes[read] == UInt8(ascii: "-")
        if isNegative || bytes[read] == UInt8(ascii: "+") { read &+= 1 }
        let first = read
        var value = 0
        while bytes[read].isDigit {
            value = min(value &* 10 &+ Int(bytes[read] & 0x0F), DecimalText.largestExponent)
            read &+= 1
        }
        guard read > first else { throw failure("a digit is expected", at: read) }
        return isNegative ? -value : value
    }

    /// Nil if the value is not 18 digits and a power of ten from -18 to 0.
    private func small(_ value: UInt64, _ power: Int, _ isNegative: Bool, _ flags: UInt8) -> Token? {
        var value = value
        var power = power
        while value != 0, power < 0, value % 10 == 0 {
            value /= 10
            power += 1
        }
        if value == 0 { power = 0 }
        while power > 0, value < 100_000_000_000_000_000 {
            value *= 10
            power -= 1
        }
        guard power <= 0, power >= -18 else { return nil }
        let integer = isNegative ? -Int64(value) : Int64(value)
        return Token(
            kind: power == 0 ? .integer : .decimal, flags: flags, exponent: Int8(power),
            payload: UInt64(bitPattern: integer))
    }
}
