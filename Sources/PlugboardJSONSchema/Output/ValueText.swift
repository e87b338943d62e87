@_spi(Tape) import PlugboardJSON

/// Writes the beginning of a value as JSON, for errors that quote it.
struct ValueText {
    private let tokens: UnsafePointer<JSONToken>
    private let bytes: UnsafePointer<UInt8>
    private let limit: Int
    private var text: [UInt8] = []

    /// The value as JSON without spaces; a long text is cut and ends with `…`.
    ///
    /// - Parameter limit: The most bytes; values above 4096 have the effect of 4096.
    static func text(
        _ token: Int, _ tokens: UnsafePointer<JSONToken>, _ bytes: UnsafePointer<UInt8>, limit: Int
    ) -> String {
        var writer = ValueText(tokens: tokens, bytes: bytes, limit: min(limit, 4096))
        _ = writer.write(token)
        guard writer.text.count > writer.limit else { return String(decoding: writer.text, as: UTF8.self) }
        var end = writer.limit
        // Does not cut within a character.
        while end > 0, writer.text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: writer.text[..<end], as: UTF8.self) + "…"
    }

    private init(tokens: UnsafePointer<JSONToken>, bytes: UnsafePointer<UInt8>, limit: Int) {
        self.tokens = tokens
        self.bytes = bytes
        self.limit = limit
    }

    private var isFull: Bool { text.count > limit }

    /// Returns the token after the value. Each level writes a byte, so the limit bounds the depth.
    private mutating func write(_ index: Int) -> Int {
        let token = tokens[index]
        switch token.kind {
        case .null: text += "null".utf8
        case .true: text += "true".utf8
        case .false: text += "false".utf8
        case .integer: text += String(token.integer).utf8
        case .decimal: writeDecimal(token)
        case .bigInteger, .bigDecimal:
            text += UnsafeBufferPointer(start: bytes + token.offset, count: min(Int(token.count), limit + 1))
        case .string, .key, .replacedKey: writeString(token)
        case .array: return writeContainer(index, "[", "]")
        case .object: return writeContainer(index, "{", "}")
        }
        return index + 1
    }

    private mutating func writeContainer(_ index: Int, _ begin: String, _ end: String) -> Int {
        text += begin.utf8
        var next = index + 1
        while next < tokens[index].offset, !isFull {
            if next > index + 1 { text.append(UInt8(ascii: ",")) }
            if tokens[index].kind == .object {
                writeString(tokens[next])
                text.append(UInt8(ascii: ":"))
                next += 1
            }
            next = write(next)
        }
        text += end.utf8
        return tokens[index].offset
    }

    private mutating func writeDecimal(_ token: JSONToken) {
        let digits = Array(String(token.integer.magnitude).utf8)
        let fraction = -Int(token.exponent)
        if token.integer < 0 { text.append(UInt8(ascii: "-")) }
        let padded = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, fraction + 1 - digits.count)) + digits
        text += padded.dropLast(fraction)
        if fraction > 0 { text += [UInt8(ascii: ".")] + padded.suffix(fraction) }
    }

    private mutating func writeString(_ token: JSONToken) {
        // Four bytes more than fit, so that the replacement of a character that is cut in two is not shown.
        let start = UnsafeBufferPointer(start: bytes + token.offset, count: min(Int(token.count), limit + 4))
        text += JSONWriter.write(.string(String(decoding: start, as: UTF8.self))) as [UInt8]
    }
}
