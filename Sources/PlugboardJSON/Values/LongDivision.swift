/// Long division that keeps only the remainder, for divisors of any length.
struct LongDivision {
    /// Limbs of 32 bits, the least significant first, without zeros at the end.
    private(set) var remainder: [UInt32] = []
    private let divisor: [UInt32]

    /// The digits (0–9, most significant first) must not all be zero.
    init(by digits: [UInt8]) {
        divisor = digits.reduce(into: []) { limbs, digit in Self.append(digit, to: &limbs) }
    }

    /// Adds the next digit (0–9) of the dividend.
    mutating func bringDown(_ digit: UInt8) {
        Self.append(digit, to: &remainder)
        // The remainder was less than the divisor, so that this runs at most nine times.
        while isDivisorContained { subtractDivisor() }
    }

    private static func append(_ digit: UInt8, to limbs: inout [UInt32]) {
        var carry = UInt64(digit)
        for position in limbs.indices {
            let sum = UInt64(limbs[position]) * 10 + carry
            limbs[position] = UInt32(truncatingIfNeeded: sum)
            carry = sum >> 32
        }
        if carry > 0 { limbs.append(UInt32(truncatingIfNeeded: carry)) }
    }

    private var isDivisorContained: Bool {
        guard remainder.count == divisor.count else { return remainder.count > divisor.count }
        return !remainder.reversed().lexicographicallyPrecedes(divisor.reversed())
    }

    private mutating func subtractDivisor() {
        var borrow: Int64 = 0
        for position in remainder.indices {
            let subtrahend = position < divisor.count ? Int64(divisor[position]) : 0
            let difference = Int64(remainder[position]) - subtrahend - borrow
            remainder[position] = UInt32(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        while remainder.last == 0 { remainder.removeLast() }
    }
}
