/// Base 64 with padding (RFC 4648 §4). Decoding is strict: exactly one text stands for each sequence of bytes.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The value of each byte of the alphabet; 0xFF for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// The text that stands for these bytes, without line breaks.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
            for digit in 0..<4 {
                text.append(digit <= count ? alphabet[Int(bits >> UInt32(18 - 6 * digit)) & 63] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that a text stands for. Nil for a text that `encode` does not write: other characters, line breaks,
    /// missing padding, or unused bits that are not zero.
    public static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 4) else { return nil }
        let pads = text.suffix(2).reversed().prefix { $0 == padding }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let missing = start + 4 == text.count ? pads : 0
            var bits: UInt32 = 0
            for digit in 0..<4 {
                let value = digit < 4 - missing ? values[Int(text[start + digit])] : 0
                guard value != 0xFF else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            guard bits & ((1 << UInt32(8 * missing)) - 1) == 0 else { return nil }
            for byte in 0..<(3 - missing) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * byte))) }
        }
        return bytes
    }
}
