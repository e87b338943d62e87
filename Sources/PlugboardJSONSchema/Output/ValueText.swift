@_spi(Tape) import PlugboardJSON

/// Writes the beginning of a value as JSON, for errors that quote it.
struct ValueText {
    private let values: JSONTokens
    private let limit: Int
    private var text: [UInt8] = []

    /// The value as JSON without spaces; a long text is cut and ends with `…`.
    ///
    /// - Parameter limit: The most bytes; values above 4096 have the effect of 4096.
    static func text(_ token: Int, of values: JSONTokens, limit: Int) -> String {
        var writer = ValueText(values: values, limit: min(limit, 4096))
        _ = writer.write(token)
        guard writer.text.count > writer.limit else { return String(decoding: writer.text, as: UTF8.self) }
        var end = writer.limit
        // Does not cut within a character.
        while end > 0, writer.text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: writer.text[..<end], as: UTF8.self) + "…"
    }

    /// Returns the token after the value. Each level writes a byte, so the limit bounds the depth.
    private mutating func write(_ index: Int) -> Int {
        let token = values[index]
        switch token.kind {
        case .string, .key, .replacedKey:
            // Four bytes more than fit, so that the replacement of a character that is cut in two is not shown.
            let start = String(decoding: values.text(index).prefix(limit + 4), as: UTF8.self)
            text += JSONWriter.write(.string(start)) as [UInt8]
        case .array, .object:
            let isObject = token.kind == .object
            text += (isObject ? "{" : "[").utf8
            var next = index + 1
            while next < token.offset, text.count <= limit {
                if next > index + 1 { text += ",".utf8 }
                if isObject {
                    next = write(next)
                    text += ":".utf8
                }
                next = write(next)
            }
            text += (isObject ? "}" : "]").utf8
        case .bigInteger, .bigDecimal: text += values.text(index).prefix(limit + 1)
        default: text += JSONWriter.write(values.value(index)) as [UInt8]
        }
        return values.after(index)
    }
}
