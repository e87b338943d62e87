import PlugboardTransport

/// The characters of a token (RFC 9110 §5.6.2), eight at a time, because the names of all fields of all responses are
/// checked.
enum Token {
    /// Whether the text is a token.
    @inline(__always)
    static func isToken(_ text: UnsafeRawBufferPointer) -> Bool { !text.isEmpty && length(text) == text.count }

    /// The number of bytes at the start of the text that may belong to a token.
    @inline(__always)
    static func length(_ text: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index &+ 8 <= text.count {
            let others = notLetters(text.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
            if others == 0 {
                index &+= 8
                continue
            }
            index &+= others.trailingZeroBitCount &>> 3
            if !FieldName.isTokenByte(text[index]) { return index }
            index &+= 1
        }
        while index < text.count, FieldName.isTokenByte(text[index]) { index &+= 1 }
        return index
    }

    /// The highest bit of each byte that is neither a letter of ASCII nor a hyphen.
    @inline(__always)
    private static func notLetters(_ word: UInt64) -> UInt64 {
        let low = (word | 0x2020_2020_2020_2020) & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = low &+ 0x1F1F_1F1F_1F1F_1F1F
        let afterZ = low &+ 0x0505_0505_0505_0505
        let isNoHyphen = ((word ^ 0x2D2D_2D2D_2D2D_2D2D) & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
        return (~(fromA & ~afterZ | ~isNoHyphen) | word) & 0x8080_8080_8080_8080
    }
}
