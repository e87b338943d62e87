/// A JSON text that is being written.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private let options: JSONWriter.Options
    private let style: JSONWriter.Style?

    init(options: JSONWriter.Options, style: JSONWriter.Style?) {
        self.options = options
        self.style = style
    }

    /// Appends a value; the indentation counts levels.
    mutating func append(_ value: JSONValue, indentation: Int) {
        switch value {
        case .null: append("null", as: .word)
        case .bool(let bool): append(bool ? "true" : "false", as: .word)
        case .number(let number): append(number.text, as: .number)
        case .string(let string): append(quoting: string, as: .string)
        case .array(let array): append(array, indentation: indentation)
        case .object(let object): append(object, indentation: indentation)
        }
    }

    private mutating func append(_ array: [JSONValue], indentation: Int) {
        append("[", as: .punctuation)
        for (position, element) in array.enumerated() {
            if position > 0 { append(",", as: .punctuation) }
            breakLine(indentation + 1)
            append(element, indentation: indentation + 1)
        }
        if !array.isEmpty { breakLine(indentation) }
        append("]", as: .punctuation)
    }

    private mutating func append(_ object: JSONObject, indentation: Int) {
        let members =
            options.sortedKeys
            ? object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            : object.members
        append("{", as: .punctuation)
        for (position, member) in members.enumerated() {
            if position > 0 { append(",", as: .punctuation) }
            breakLine(indentation + 1)
            append(quoting: member.key, as: .key)
            append(":", as: .punctuation)
            if options.pretty { bytes.append(UInt8(ascii: " ")) }
            append(member.value, indentation: indentation + 1)
        }
        if !members.isEmpty { breakLine(indentation) }
        append("}", as: .punctuation)
    }

    private mutating func breakLine(_ indentation: Int) {
        guard options.pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indentation))
    }

    private mutating func append(_ text: String, as token: JSONWriter.Token) {
        bytes.append(contentsOf: (style?(token, text) ?? text).utf8)
    }

    private mutating func append(quoting string: String, as token: JSONWriter.Token) {
        let start = bytes.count
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { append(escaping: $0) }
        bytes.append(UInt8(ascii: "\""))
        if let style {
            let text = String(decoding: bytes[start...], as: UTF8.self)
            bytes.replaceSubrange(start..., with: style(token, text).utf8)
        }
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        var written = 0
        for (position, byte) in text.enumerated() where needsEscape(byte) {
            bytes.append(contentsOf: text[written..<position])
            append(escaping: byte)
            written = position + 1
        }
        bytes.append(contentsOf: text[written...])
    }

    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || (byte == UInt8(ascii: "/") && options.escapesSlashes)
    }

    /// Appends an escape (RFC 8259 §7); the byte must need one.
    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case 0x20...: append(escape: byte)
        case 0x08: append(escape: UInt8(ascii: "b"))
        case 0x0C: append(escape: UInt8(ascii: "f"))
        case UInt8(ascii: "\n"): append(escape: UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): append(escape: UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): append(escape: UInt8(ascii: "t"))
        default:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 0x0F)])
        }
    }

    private mutating func append(escape byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
    }
}
