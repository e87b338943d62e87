import PlugboardKit

/// Text from outside for a terminal: characters that control the terminal are escaped, as in `\u{1B}`.
///
/// These are all control characters except tab and line feed (C0, DEL, and C1, which are U+0080 to U+009F), and the
/// characters that change the direction of text (Unicode UAX #9, table 1).
struct VisibleText {
    /// Bytes that the next piece decides about: an incomplete character, or a carriage return.
    private var pending: [UInt8] = []

    /// A complete text with control characters escaped.
    static func of(_ text: String) -> String {
        guard text.utf8.contains(where: { !isPlain($0) }) else { return text }
        var visible = ""
        visible.reserveCapacity(text.utf8.count)
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            // Of CR LF, only the line feed is written.
            if isAfterReturn && scalar != "\n" { visible += escape("\r") }
            isAfterReturn = scalar == "\r"
            if isAfterReturn { continue }
            if steers(scalar) { visible += escape(scalar) } else { visible.unicodeScalars.append(scalar) }
        }
        return isAfterReturn ? visible + escape("\r") : visible
    }

    /// The next piece of a body: bytes that are not UTF-8 become U+FFFD.
    mutating func add(_ piece: Bytes) -> String {
        var bytes = pending
        piece.withUnsafeBytes { bytes += $0 }
        let count = bytes.count - VisibleText.openEnd(of: bytes)
        pending = Array(bytes[count...])
        return VisibleText.of(String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// The rest at the end of the body.
    mutating func finish() -> String {
        defer { pending = [] }
        return VisibleText.of(String(decoding: pending, as: UTF8.self))
    }

    /// Whether the character could control a terminal.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    /// How many bytes at the end may belong to the next piece.
    private static func openEnd(of bytes: [UInt8]) -> Int {
        if bytes.last == UInt8(ascii: "\r") { return 1 }
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
