/// The characters of a token (RFC 9110 §5.6.2) as bits, because the names of all fields of all responses are checked.
enum Token {
    private static let low: UInt64 = 0x03ff_6cfa_0000_0000
    private static let high: UInt64 = 0x57ff_ffff_c7ff_fffe

    /// Whether the text is a token.
    @inline(__always)
    static func isToken(_ text: UnsafeRawBufferPointer) -> Bool { !text.isEmpty && length(text) == text.count }

    /// The number of bytes at the start of the text that may belong to a token.
    @inline(__always)
    static func length(_ text: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < text.count {
            let byte = text[index]
            // Most are letters.
            if (byte | 0x20) &- 0x61 < 26 || byte == 0x2D {
                index &+= 1
                continue
            }
            let bits = byte < 64 ? low : high
            if byte > 127 || (bits &>> UInt64(byte)) & 1 == 0 { return index }
            index &+= 1
        }
        return index
    }
}
