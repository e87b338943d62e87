/// The value of a number's text (RFC 8259 §6): its significant digits, which neither begin nor end with 0, and the
/// power of ten of the last digit.
@_spi(Tape) public struct DecimalText {
    public let text: UnsafeBufferPointer<UInt8>
    public private(set) var isNegative = false
    /// The positions of the first significant digit and after the last one.
    public private(set) var first = 0
    public private(set) var end = 0
    public private(set) var digitCount = 0
    public private(set) var exponent = 0

    /// The text must follow RFC 8259 §6, and its exponent have 18 digits at most unless the value is zero.
    public init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        var position = 0
        if text.first == UInt8(ascii: "-") {
            isNegative = true
            position = 1
        }
        var isFraction = false
        // The power of ten of the last digit that was read, before the written exponent.
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
        guard digitCount > 0 else { return }
        exponent = power + zeros + (position < text.count ? writtenExponent(text[(position + 1)...]) : 0)
    }

    private func writtenExponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text where byte.isDigit { value = value &* 10 &+ Int(byte & 0x0F) }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    /// The significant digits as an integer, if they are 18 or fewer.
    public var smallDigits: UInt64? {
        guard digitCount <= 18 else { return nil }
        var value: UInt64 = 0
        for position in first..<end where text[position] != UInt8(ascii: ".") {
            value = value * 10 + UInt64(text[position] & 0x0F)
        }
        return value
    }
}
