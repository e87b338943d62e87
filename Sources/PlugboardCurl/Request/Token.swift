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
        for index in 0..<text.count {
            let byte = text[index]
            let bits = byte < 64 ? low : byte < 128 ? high : 0
            if bits >> UInt64(byte & 63) & 1 == 0 { return index }
        }
        return text.count
    }
}
