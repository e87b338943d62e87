@_spi(Tape) import PlugboardJSON

extension JSONTokens {
    /// The nearest double; infinite beyond the range of doubles.
    @inline(__always)
    func double(_ token: Int) -> Double {
        let this = self[token]
        switch this.kind {
        case .integer where this.payload != 0: return Double(this.integer)
        case .decimal where this.payload != 0:
            return this.integer.magnitude.double(exponent: Int(this.exponent), isNegative: this.integer < 0)
        default: return otherDouble(token)
        }
    }

    @inline(never)
    private func otherDouble(_ token: Int) -> Double {
        let decimal = DecimalText(numberText(token))
        guard decimal.digitCount > 0 else { return decimal.isNegative ? -0.0 : 0 }
        if let digits = decimal.smallDigits, (-19...19).contains(decimal.exponent) {
            return digits.double(exponent: decimal.exponent, isNegative: decimal.isNegative)
        }
        return number(token).double
    }
}

extension UInt64 {
    /// The double nearest to a number, which must not be 0, times a power of ten from -19 to 19. Needs only 128-bit
    /// arithmetic.
    @inline(__always)
    fileprivate func double(exponent: Int, isNegative: Bool) -> Double {
        let value: Double
        if self < 1 << 53 {
            // Both factors are exact, so that the result is rounded once.
            let power = Double(UInt64.power(abs(exponent)))
            value = exponent < 0 ? Double(self) / power : Double(self) * power
        } else if exponent >= 0 {
            let product = multipliedFullWidth(by: UInt64.power(exponent))
            value = UInt64.rounded(product.high, product.low)
        } else {
            value = quotient(by: UInt64.power(-exponent))
        }
        return isNegative ? -value : value
    }

    private func quotient(by divisor: UInt64) -> Double {
        let (divisorShift, digitShift) = (divisor.leadingZeroBitCount, leadingZeroBitCount)
        let dividend = self << UInt64(digitShift)
        // The divisor has its first bit set and the high half does not, so that the quotient has 62 to 64 bits.
        let (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth((dividend >> 1, dividend << 63))
        // The last bit represents the rest of the division: it is far below the precision of a double.
        return UInt64.scaled(quotient | (remainder == 0 ? 0 : 1), by: divisorShift - digitShift - 63)
    }

    private static func rounded(_ high: UInt64, _ low: UInt64) -> Double {
        guard high != 0 else { return Double(low) }
        let shift = UInt64(high.leadingZeroBitCount)
        let top = shift == 0 ? high : high << shift | low >> (64 - shift)
        let rest = low << shift
        return scaled(top | (rest == 0 ? 0 : 1), by: 64 - Int(shift))
    }

    /// `value` × 2^`exponent`, which must be a normal double.
    private static func scaled(_ value: UInt64, by exponent: Int) -> Double {
        Double(value) * Double(sign: .plus, exponent: exponent, significand: 1)
    }

    @inline(__always)
    private static func power(_ exponent: Int) -> UInt64 { powers[exponent] }

    private static let powers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]
}
