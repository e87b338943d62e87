// RFC 8259 §6: number = [ minus ] int [ frac ] [ exp ]
@_spi(Tape) extension JSONTapeParser {
    /// Reads the number at the cursor. Up to 18 digits are kept as an integer and a power of ten.
    @inline(__always)
    public mutating func number() throws(JSONFailure) {
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
        guard digits > 0 else { throw unexpected("a digit", at: read) }
        guard digits == 1 || bytes[first] != UInt8(ascii: "0") else {
            throw failure("a number must not begin with 0 before other digits", at: first)
        }
        let next = bytes[read]
        if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e"), digits <= 18 {
            cursor = read
            let integer = Int64(bitPattern: value)
            append(
                JSONToken(
                    kind: .integer, count: UInt32(truncatingIfNeeded: start),
                    payload: UInt64(bitPattern: isNegative ? 0 &- integer : integer)))
            return
        }
        try longNumber(start, read, digits: digits, value: value, isNegative: isNegative)
    }

    @inline(never)
    private mutating func longNumber(
        _ start: Int, _ point: Int, digits whole: Int, value: UInt64, isNegative: Bool
    ) throws(JSONFailure) {
        var read = point
        var value = value
        var digits = whole
        var exponent = 0
        var detail: UInt16 = 0
        if bytes[read] == UInt8(ascii: ".") {
            detail = JSONToken.hasFraction
            read &+= 1
            let first = read
            while bytes[read].isDigit {
                value = value &* 10 &+ UInt64(bytes[read] & 0x0F)
                read &+= 1
            }
            guard read > first else { throw unexpected("a digit", at: read) }
            digits += read - first
            exponent = first - read
        }
        if bytes[read] | 0x20 == UInt8(ascii: "e") {
            detail = JSONToken.hasFraction
            exponent += try writtenExponent(&read, of: start)
        }
        cursor = read
        if digits <= 18, let token = small(start, value, exponent, isNegative, detail) { return append(token) }
        let decimal = DecimalText(UnsafeBufferPointer(start: bytes + start, count: read - start))
        if digits > 18, let value = decimal.smallDigits,
            let token = small(start, value, decimal.exponent, isNegative, detail)
        {
            return append(token)
        }
        append(
            .text(
                decimal.exponent >= 0 ? .bigInteger : .bigDecimal, detail: detail, offset: start, count: read - start))
    }

    /// An exponent of more than 18 digits is an error, unless the number is zero.
    private func writtenExponent(_ read: inout Int, of start: Int) throws(JSONFailure) -> Int {
        let end = read
        read &+= 1
        let isNegative = bytes[read] == UInt8(ascii: "-")
        if isNegative || bytes[read] == UInt8(ascii: "+") { read &+= 1 }
        guard bytes[read].isDigit else { throw unexpected("a digit", at: read) }
        while bytes[read] == UInt8(ascii: "0") { read &+= 1 }
        let first = read
        var value = 0
        while bytes[read].isDigit {
            value = value &* 10 &+ Int(bytes[read] & 0x0F)
            read &+= 1
        }
        if read - first > 18 {
            let mantissa = UnsafeBufferPointer(start: bytes + start, count: end - start)
            guard !mantissa.contains(where: { $0 > UInt8(ascii: "0") && $0.isDigit }) else {
                throw failure("an exponent has at most 18 digits", at: first)
            }
            return 0
        }
        return isNegative ? -value : value
    }

    /// Nil if the value is not 18 digits and a power of ten from -18 to 0.
    private func small(
        _ start: Int, _ value: UInt64, _ power: Int, _ isNegative: Bool, _ detail: UInt16
    ) -> JSONToken? {
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
        return JSONToken(
            kind: power == 0 ? .integer : .decimal, exponent: Int8(power), detail: detail,
            count: UInt32(truncatingIfNeeded: start), payload: UInt64(bitPattern: integer))
    }
}
