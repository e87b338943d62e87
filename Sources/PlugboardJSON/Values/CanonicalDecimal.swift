/// A decimal number in a unique form: ± digits × 10^exponent, where the digits neither begin nor end with 0.
///
/// Zero has no digits, no sign and the exponent 0.
struct CanonicalDecimal: Hashable {
    private(set) var isNegative = false
    /// Values 0–9, most significant first.
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    init(_ integer: Int64) {
        var magnitude = integer.magnitude
        while magnitude > 0 {
            digits.append(UInt8(truncatingIfNeeded: magnitude % 10))
            magnitude /= 10
        }
        digits.reverse()
        isNegative = integer < 0
        dropTrailingZeros()
    }

    /// The text must follow RFC 8259 §6, and its exponent have 18 digits at most unless the value is zero.
    init(_ text: String) {
        var text = text
        text.withUTF8 { text in
            let decimal = DecimalText(text)
            guard decimal.digitCount > 0 else { return }
            isNegative = decimal.isNegative
            exponent = decimal.exponent
            digits.reserveCapacity(decimal.digitCount)
            for byte in text[decimal.first..<decimal.end] where byte != UInt8(ascii: ".") { digits.append(byte & 0x0F) }
        }
    }

    private mutating func dropTrailingZeros() {
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
    }

    var isZero: Bool { digits.isEmpty }
    var isInteger: Bool { exponent >= 0 }

    /// The power of ten just above the value: 0.5 has 0, 1 has 1, 250 has 3.
    private var magnitude: Int { digits.count + exponent }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        // No integer type of n bits has more than n decimal digits.
        guard isInteger, magnitude <= Integer.bitWidth else { return isZero ? 0 : nil }
        var result: Integer = 0
        for position in 0..<magnitude {
            let digit = position < digits.count ? Integer(digits[position]) : 0
            let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
            let (sum, isOut) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !isTooLarge, !isOut else { return nil }
            result = sum
        }
        return result
    }

    /// The nearest double, also for exponents that the standard library cannot parse.
    var double: Double {
        let value: Double
        if isZero || magnitude < -400 {
            value = 0
        } else if magnitude > 400 {
            value = .infinity
        } else {
            // 800 digits are more than enough to decide between two neighbouring doubles.
            let shown = digits.prefix(800)
            let text = String(decoding: shown.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
            value = Double("\(text)e\(exponent + digits.count - shown.count)") ?? 0
        }
        return isNegative ? -value : value
    }
}

extension CanonicalDecimal: Comparable {
    static func < (left: CanonicalDecimal, right: CanonicalDecimal) -> Bool {
        switch (left.isNegative, right.isNegative) {
        case (true, false): true
        case (false, true): false
        case (false, false): left.isSmaller(than: right)
        case (true, true): right.isSmaller(than: left)
        }
    }

    /// Compares absolute values.
    private func isSmaller(than other: CanonicalDecimal) -> Bool {
        if isZero || other.isZero { return !other.isZero }
        if magnitude != other.magnitude { return magnitude < other.magnitude }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

extension CanonicalDecimal {
    func isMultiple(of divisor: CanonicalDecimal) -> Bool {
        guard !isZero else { return true }
        // With a smaller exponent, the digits would have to be divisible by ten, but they never end with 0.
        guard !divisor.isZero, exponent >= divisor.exponent else { return false }
        // Each factor of ten cancels one 2 and one 5 of the divisor, which has fewer than four of them per digit.
        // Therefore more zeros change nothing.
        let zeros = min(exponent - divisor.exponent, 4 * divisor.digits.count)
        if divisor.digits.count <= 18 {
            let modulus = divisor.digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
            // The products are at most 10^18 × 10, which fits in 64 bits.
            var remainder = digits.reduce(0 as UInt64) { ($0 * 10 + UInt64($1)) % modulus }
            for _ in 0..<zeros where remainder != 0 { remainder = remainder * 10 % modulus }
            return remainder == 0
        }
        var division = LongDivision(by: divisor.digits)
        for digit in digits { division.bringDown(digit) }
        for _ in 0..<zeros where !division.remainder.isEmpty { division.bringDown(0) }
        return division.remainder.isEmpty
    }
}
