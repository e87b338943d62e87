import PlugboardJSON

extension JSONTape {
    /// The bytes of a string or a number as they are written.
    @inline(__always)
    func content(_ token: UInt32) -> UnsafeBufferPointer<UInt8> {
        let this = self[token]
        return UnsafeBufferPointer(start: bytes + Int(this.offset), count: Int(this.length))
    }

    /// The text of a string or a key.
    @inline(__always)
    func string(_ token: UInt32) -> String {
        self[token].kind == .string ? String(decoding: content(token), as: UTF8.self) : Self.unescaped(content(token))
    }

    /// The escapes were checked when the tape was made.
    @inline(never)
    private static func unescaped(_ content: UnsafeBufferPointer<UInt8>) -> String {
        // No escape is shorter than what it stands for.
        String(unsafeUninitializedCapacity: content.count) { target in
            guard let start = target.baseAddress, var source = content.baseAddress else { return 0 }
            let end = source + content.count
            var written = start
            while source < end {
                let rest = UnsafeBufferPointer(start: source, count: end - source)
                let plain = rest.firstIndexOfBackslash ?? rest.count
                written.update(from: source, count: plain)
                written += plain
                source += plain
                if source < end { unescape(&source, to: &written) }
            }
            return written - start
        }
    }

    private static func unescape(_ source: inout UnsafePointer<UInt8>, to target: inout UnsafeMutablePointer<UInt8>) {
        let byte: UInt8
        switch source[1] {
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = UInt8(ascii: "\n")
        case UInt8(ascii: "r"): byte = UInt8(ascii: "\r")
        case UInt8(ascii: "t"): byte = UInt8(ascii: "\t")
        case UInt8(ascii: "u"):
            var scalar = UInt32(unit(at: source))
            source += 6
            if UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: scalar)) {
                scalar = 0x1_0000 + (scalar - 0xD800) << 10 + (UInt32(unit(at: source)) - 0xDC00)
                source += 6
            }
            append(scalar, to: &target)
            return
        default: byte = source[1]
        }
        target.pointee = byte
        target += 1
        source += 2
    }

    /// Of `\uXXXX`.
    private static func unit(at source: UnsafePointer<UInt8>) -> UInt16 {
        (2..<6).reduce(0) { $0 << 4 | (hexadecimal(source[$1]) ?? 0) }
    }

    static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte & 0x0F)
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte & 0x0F) + 9
        default: nil
        }
    }

    private static func append(_ scalar: UInt32, to target: inout UnsafeMutablePointer<UInt8>) {
        func add(_ value: UInt32) {
            target.pointee = UInt8(truncatingIfNeeded: value)
            target += 1
        }
        switch scalar {
        case ..<0x80:
            add(scalar)
        case ..<0x800:
            add(0xC0 | scalar >> 6)
            add(0x80 | scalar & 0x3F)
        case ..<0x1_0000:
            add(0xE0 | scalar >> 12)
            add(0x80 | scalar >> 6 & 0x3F)
            add(0x80 | scalar & 0x3F)
        default:
            add(0xF0 | scalar >> 18)
            add(0x80 | scalar >> 12 & 0x3F)
            add(0x80 | scalar >> 6 & 0x3F)
            add(0x80 | scalar & 0x3F)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    fileprivate var firstIndexOfBackslash: Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = 0
        let raw = UnsafeRawBufferPointer(self)
        while offset &+ 8 <= count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let others = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let hits = (others &- ones) & ~others & 0x8080_8080_8080_8080
            if hits != 0 { return offset &+ hits.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
        while offset < count {
            if self[offset] == UInt8(ascii: "\\") { return offset }
            offset &+= 1
        }
        return nil
    }
}

extension JSONTape {
    /// The number in its own words, for what the quick ways below do not hold.
    @inline(never)
    func exactNumber(_ token: UInt32) -> JSONNumber? {
        JSONNumber(text: String(decoding: content(token), as: UTF8.self))
    }

    /// Nil if the number is not an integer or does not fit.
    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ token: UInt32, as type: Integer.Type) -> Integer? {
        let this = self[token]
        // 18 digits fit in 64 bits.
        guard this.kind == .integer, this.length <= 18 else { return exactNumber(token)?.integer(type) }
        var digit = UnsafePointer(bytes + Int(this.offset))
        let end = digit + Int(this.length)
        let isNegative = digit.pointee == UInt8(ascii: "-")
        if isNegative { digit += 1 }
        var magnitude: Int64 = 0
        while digit < end {
            magnitude = magnitude &* 10 &+ Int64(digit.pointee & 0x0F)
            digit += 1
        }
        return Integer(exactly: isNegative ? -magnitude : magnitude)
    }

    /// The nearest double; infinite beyond the range of doubles.
    @inline(__always)
    func double(_ token: UInt32) -> Double {
        JSONDecimal(content(token))?.double ?? exactNumber(token)?.double ?? .infinity
    }
}

/// Decimal numbers whose nearest double needs only 128 bits: of at most 19 digits, and at most 19 zeros or places.
struct JSONDecimal {
    private var digits: UInt64 = 0
    private var exponent = 0
    private var isNegative = false

    /// Nil if the number is not among them. The text must follow RFC 8259 §6.
    @inline(__always)
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        // One digit more could overflow.
        guard var byte = text.baseAddress, text.count <= 26 else { return nil }
        let end = byte + text.count
        isNegative = byte.pointee == UInt8(ascii: "-")
        if isNegative { byte += 1 }
        var count = 0
        while byte < end, byte.pointee &- UInt8(ascii: "0") <= 9 {
            digits = digits &* 10 &+ UInt64(byte.pointee & 0x0F)
            // The digits may wrap around to zero.
            if digits != 0 || count != 0 { count += 1 }
            byte += 1
        }
        if byte < end, byte.pointee == UInt8(ascii: ".") {
            byte += 1
            let point = byte
            while byte < end, byte.pointee &- UInt8(ascii: "0") <= 9 {
                digits = digits &* 10 &+ UInt64(byte.pointee & 0x0F)
                // The digits may wrap around to zero.
                if digits != 0 || count != 0 { count += 1 }
                byte += 1
            }
            exponent = point - byte
        }
        guard count <= 19 else { return nil }
        if byte < end {
            byte += 1
            let sign = byte.pointee
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { byte += 1 }
            var written = 0
            // At most 24 digits, of which more than 18 are zeros in front.
            while byte < end {
                written = written &* 10 &+ Int(byte.pointee & 0x0F)
                byte += 1
            }
            exponent = sign == UInt8(ascii: "-") ? exponent &- written : exponent &+ written
        }
        guard (-19...19).contains(exponent) || digits == 0 else { return nil }
    }

    @inline(__always)
    var double: Double {
        guard digits != 0 else { return isNegative ? -0.0 : 0 }
        let value: Double
        if digits < 1 << 53, (-19...19).contains(exponent) {
            // Both are exact, so that the result is rounded once.
            let whole = Double(digits)
            value = exponent < 0 ? whole / Self.power(-exponent) : whole * Self.power(exponent)
        } else if exponent >= 0 {
            let product = digits.multipliedFullWidth(by: Self.integerPower(exponent))
            value = Self.rounded(product.high, product.low)
        } else {
            value = quotient
        }
        return isNegative ? -value : value
    }

    /// The digits divided by a power of ten, by integers.
    private var quotient: Double {
        let divisor = Self.integerPower(-exponent)
        let (divisorShift, digitShift) = (divisor.leadingZeroBitCount, digits.leadingZeroBitCount)
        let dividend = digits << UInt64(digitShift)
        // The divisor has its first bit set and the high half does not, so that the quotient has 62 to 64 bits.
        let (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth((dividend >> 1, dividend << 63))
        // The last bit stands for all that follow it: it is far beyond those that a double has.
        return Self.scaled(quotient | (remainder == 0 ? 0 : 1), by: divisorShift - digitShift - 63)
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
    private static func power(_ exponent: Int) -> Double { Double(integerPower(exponent)) }

    @inline(__always)
    private static func integerPower(_ exponent: Int) -> UInt64 { powers[exponent] }

    private static let powers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]
}
