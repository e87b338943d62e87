/// Whether a text is a token of HTTP, as names of fields and methods are (RFC 9110 §5.6.2). An empty text is not.
package func isToken(_ text: String) -> Bool {
    withUTF8(text) { bytes in
        for byte in bytes where !FieldName.isTokenByte(byte) { return false }
        return !bytes.isEmpty
    }
}

extension FieldName {
    /// Whether a byte may be part of a name of a field, a method or another token: `tchar` of RFC 9110 §5.6.2, a
    /// letter, a digit or one of 15 other signs.
    @inlinable
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        // A bit for each byte of ASCII, because every byte of every name is looked up.
        let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }
}
