/// A 64-bit checksum that detects damaged bytes, and bytes at another position than the stored one. It does not protect
/// against deliberate changes.
///
/// Each sixteen bytes are multiplied as two words, and the halves of the 128-bit product are combined with exclusive
/// or, so that each bit of the words affects all bits of the sum. A change is missed with a probability of about 2⁻⁶⁴.
/// It is many times faster than CRC-32. The multiplication and the constants are those of wyhash; they are combined in
/// another order, so that the sums are not those of wyhash. The algorithm must not change, because files contain its
/// sums.
public enum Checksum {
    /// The checksum of bytes.
    ///
    /// - Parameter seed: Identifies the bytes or their position, so that the same bytes elsewhere have another sum.
    public static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        // Different from all keys: otherwise exchanging the words of the first pair would not change the sum.
        var sum = mixed(seed ^ keys.2, keys.3)
        guard let start = bytes.baseAddress else { return ended(sum, 0) }
        // The offsets below are within the count, so that the loads need no checks of their own.
        let count = bytes.count
        var offset = 0
        if count > 64 {
            // Four products that do not depend on each other.
            var (lane1, lane2, lane3) = (sum, sum, sum)
            while count - offset > 64 {
                sum = mixed(word(start, offset) ^ keys.0, word(start, offset + 8) ^ sum)
                lane1 = mixed(word(start, offset + 16) ^ keys.1, word(start, offset + 24) ^ lane1)
                lane2 = mixed(word(start, offset + 32) ^ keys.2, word(start, offset + 40) ^ lane2)
                lane3 = mixed(word(start, offset + 48) ^ keys.3, word(start, offset + 56) ^ lane3)
                offset += 64
            }
            sum = mixed(sum ^ keys.1, lane1) ^ mixed(lane2 ^ keys.2, lane3)
        }
        while count - offset > 16 {
            sum = mixed(word(start, offset) ^ keys.1, word(start, offset + 8) ^ sum)
            offset += 16
        }
        let (first, second) = last(start, count)
        return ended(mixed(first ^ keys.2, second ^ sum), count)
    }

    /// The checksum of a text in UTF-8.
    public static func of(_ text: String, seed: UInt64 = 0) -> UInt64 {
        var text = text
        return text.withUTF8 { of(UnsafeRawBufferPointer($0), seed: seed) }
    }

    /// The last sixteen bytes, some of which may already be in the sum. If there are fewer, all bytes, some of them
    /// twice.
    @inline(__always)
    private static func last(_ start: UnsafeRawPointer, _ count: Int) -> (UInt64, UInt64) {
        switch count {
        case 16...: return (word(start, count - 16), word(start, count - 8))
        case 8...: return (word(start, 0), word(start, count - 8))
        case 4...: return (halfWord(start, 0), halfWord(start, count - 4))
        default:
            var bytes: UInt64 = 0
            for offset in 0..<count { bytes = bytes << 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) }
            return (bytes, 0)
        }
    }

    /// Adds the length, so that bytes that differ only in zeros at the end have different sums.
    @inline(__always)
    private static func ended(_ sum: UInt64, _ count: Int) -> UInt64 {
        mixed(sum ^ keys.3, UInt64(truncatingIfNeeded: count) ^ keys.1)
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func halfWord(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    @inline(__always)
    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The constants of wyhash, with as many ones as zeros and without a pattern, so that no likely bytes make a factor
    /// zero.
    @inline(__always)
    private static var keys: (UInt64, UInt64, UInt64, UInt64) {
        (0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3)
    }
}
