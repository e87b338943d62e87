import PlugboardMessages

/// Reads a field value from left to right, by the grammar that fields share (RFC 9110 §5.6). Its time is linear.
public struct FieldReader: Sendable {
    private let bytes: [UInt8]
    private var position = 0

    /// A reader at the beginning of a value.
    public init(_ value: String) { bytes = Array(value.utf8) }

    /// The byte that follows; nil at the end.
    public var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips a byte, or returns false if another one follows.
    public mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Skips bytes, and returns whether there were any.
    @discardableResult
    public mutating func skip(while isSkipped: (UInt8) -> Bool) -> Bool {
        let start = position
        while let byte = next, isSkipped(byte) { position += 1 }
        return position > start
    }

    /// Skips spaces and tabs, and returns whether there were any.
    @discardableResult
    public mutating func skipBlanks() -> Bool { skip(while: FieldReader.isBlank) }

    /// Reads bytes of one kind; nil if there are none.
    public mutating func word(_ isPart: (UInt8) -> Bool) -> String? {
        let start = position
        return skip(while: isPart) ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// Reads a token (RFC 9110 §5.6.2). Nil if no token begins here.
    public mutating func token() -> String? { word(FieldName.isTokenByte) }

    /// Reads a text in quotes and replaces its escapes (RFC 9110 §5.6.4); nil if no quote follows.
    ///
    /// Without a closing quote, the text extends to the end of the value.
    public mutating func quotedText() -> (text: String, isClosed: Bool)? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") { return (String(decoding: text, as: UTF8.self), true) }
            let isEscape = byte == UInt8(ascii: "\\") && next != nil
            text.append(isEscape ? bytes[position] : byte)
            if isEscape { position += 1 }
        }
        return (String(decoding: text, as: UTF8.self), false)
    }

    /// Whether a byte is a space or a tab (RFC 9110 §5.6.3).
    public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
