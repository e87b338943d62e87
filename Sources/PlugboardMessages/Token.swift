/// Whether a text is a token of HTTP, as names of fields and methods are (RFC 9110 §5.6.2). An empty text is not.
public func isToken(_ text: String) -> Bool {
    withUTF8(text) { bytes in
        for byte in bytes where !isTokenByte(byte) { return false }
        return !bytes.isEmpty
    }
}

/// Whether a byte may be part of a token: `tchar` of RFC 9110 §5.6.2, a letter, a digit or one of 15 other signs.
public func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
