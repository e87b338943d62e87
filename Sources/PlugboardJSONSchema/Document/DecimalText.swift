/// What the text of a number (RFC 8259 §6) says: its significant digits, which neither begin nor end with 0, and the
/// power of ten of the last one.
struct DecimalText {
    /// Exponents are cut off here; beyond 18 digits, a number is refused.
    static let largestExponent = 500_000_000_000_000_000

    let text: UnsafeBufferPointer<UInt8>
    private(set) var isNegative = false
    /// The positions of the first and behind the last significant digit.
    private(set) var first = 0
    private(set) var end = 0
    private(set) var digitCount = 0
    private(set) var exponent = 0
    private var written = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        var position = 0
        if text.first == UInt8(ascii: "-") {
            isNegative = true
            position = 1
        }
        var isFraction = false
        // The power of ten of the digit that was read last, before the written exponent.
        var power = 0
        var zeros = 0
        scan: while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
            default:
                if isFraction { power -= 1 }
                if byte == UInt8(ascii: "0") {
                    if digitCount > 0 { zeros += 1 }
                } else {
                    if digitCount == 0 { first = position }
                    digitCount += zeros + 1
                    zeros = 0
                    end = position + 1
                }
            }
            position += 1
        }
        exponent = power + zeros
        if position < text.count { readExponent(at: position + 1) }
        if digitCount == 0 { exponent = 0 } else { exponent += written }
    }

    private mutating func readExponent(at start: Int) {
        var position = start
        let isMinus = text[position] == UInt8(ascii: "-")
        if isMinus || text[position] == UInt8(ascii: "+") { position += 1 }
        while position < text.count {
            // Bounded before the next digit, so that it cannot overflow.
            written = min(written, DecimalText.largestExponent) * 10 + Int(text[position] & 0x0F)
            position += 1
        }
        written = min(written, DecimalText.largestExponent)
        if isMinus { written = -written }
    }

    var isWithinLimits: Bool { digitCount == 0 || abs(written) < DecimalText.largestExponent }

    /// The significant digits as an integer, if they are 18 or fewer.
    var smallDigits: UInt64? {
        guard digitCount <= 18 else { return nil }
        var value: UInt64 = 0
        for position in first..<end where text[position] != UInt8(ascii: ".") {
            value = value * 10 + UInt64(text[position] & 0x0F)
        }
        return value
    }
}
