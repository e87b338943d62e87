@_spi(Tape) import PlugboardJSON

/// A limit of numbers.
struct Limit {
    /// The value, if it can be stored as an integer and a power of ten.
    let small: SmallDecimal
    let isSmall: Bool

    init(_ number: JSONNumber) {
        let text = Array(number.text.utf8)
        let small = text.withUnsafeBufferPointer { Limit.small($0) }
        isSmall = small != nil
        self.small = small ?? SmallDecimal(digits: 0, exponent: 0)
    }

    private static func small(_ text: UnsafeBufferPointer<UInt8>) -> SmallDecimal? {
        let decimal = DecimalText(text)
        guard var digits = decimal.smallDigits, decimal.exponent >= -18, decimal.exponent <= 18 else { return nil }
        var exponent = decimal.exponent
        while exponent > 0, digits < 100_000_000_000_000_000 {
            digits *= 10
            exponent -= 1
        }
        guard exponent <= 0 || digits == 0 else { return nil }
        let value = Int64(digits)
        return SmallDecimal(digits: decimal.isNegative ? -value : value, exponent: Int8(min(exponent, 0)))
    }
}

/// A number of at most 18 digits: an integer and a power of ten from -18 to 0.
struct SmallDecimal {
    let digits: Int64
    let exponent: Int8

    static let powers: [UInt64] = (0...18).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }

    /// Compares two numbers: -1, 0 or 1.
    @inline(__always)
    static func compare(_ left: SmallDecimal, _ right: SmallDecimal) -> Int {
        if left.exponent == right.exponent {
            return left.digits < right.digits ? -1 : left.digits == right.digits ? 0 : 1
        }
        return compareScaled(left, right)
    }

    @inline(never)
    private static func compareScaled(_ left: SmallDecimal, _ right: SmallDecimal) -> Int {
        if left.exponent < right.exponent { return -compareScaled(right, left) }
        // The left number has the larger exponent.
        let power = Int64(powers[Int(left.exponent) - Int(right.exponent)])
        let scaled = left.digits.multipliedFullWidth(by: power)
        let other = right.digits
        let high: Int64 = other < 0 ? -1 : 0
        if scaled.high != high { return scaled.high < high ? -1 : 1 }
        let low = UInt64(bitPattern: other)
        return scaled.low == low ? 0 : scaled.low < low ? -1 : 1
    }

    @inline(__always)
    func isMultiple(of divisor: SmallDecimal) -> Bool {
        guard digits != 0 else { return true }
        guard divisor.digits != 0, exponent >= divisor.exponent else { return false }
        let modulus = divisor.digits.magnitude
        if exponent == divisor.exponent { return digits.magnitude % modulus == 0 }
        let power = SmallDecimal.powers[Int(exponent) - Int(divisor.exponent)] % modulus
        let product = (digits.magnitude % modulus).multipliedFullWidth(by: power)
        return modulus.dividingFullWidth(product).remainder == 0
    }
}
