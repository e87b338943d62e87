extension UnsafeRawBufferPointer {
    /// Whether a byte is NUL, CR or LF, which no value of a field contains (RFC 9110 §5.5).
    package var hasLineBreakOrNUL: Bool {
        var index = 0
        // Eight bytes at a time up to the first one below 0x0E, because each field that is set or sent is checked.
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if (word &- 0x0E0E_0E0E_0E0E_0E0E) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 8
        }
        while index < count {
            let byte = self[index]
            if byte == 0 || byte == 0x0A || byte == 0x0D { return true }
            index &+= 1
        }
        return false
    }
}
