import PlugboardJSON
import PlugboardKit

/// Lays out a text of JSON for people. Every token stays as it came: escapes, digits, the order of members, and keys
/// that stand twice.
struct JSONLayout: Equatable {
    /// Puts each member and each element on a line; else white space stays as it came.
    var indents: Bool
    var colours: Bool

    /// The usual layout for terminals.
    static var forTerminals: JSONLayout { JSONLayout(indents: true, colours: JSONText.hasColours) }

    /// The text in this layout; nil for bytes that are not JSON.
    ///
    /// - Parameter escapes: Whether characters that control a terminal become escapes of JSON.
    func text(of bytes: Bytes, escapes: Bool) -> String? {
        bytes.withUnsafeBytes { bytes in
            guard (try? JSONParser.parse(bytes)) != nil else { return nil }
            var output = Output(layout: self, escapes: escapes)
            output.append(bytes)
            return output.text
        }
    }

    /// Writes the tokens of a valid text.
    private struct Output {
        let layout: JSONLayout
        let escapes: Bool
        var text = ""
        private var depth = 0

        init(layout: JSONLayout, escapes: Bool) { (self.layout, self.escapes) = (layout, escapes) }

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            var index = isMarked ? 3 : 0
            while index < bytes.count {
                let start = index
                switch bytes[index] {
                case 0x20, 0x09, 0x0A, 0x0D:
                    if !layout.indents { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
                    index += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    index = open(bytes, at: index)
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    breakLine()
                    append(.punctuation, bytes[start...start])
                    index += 1
                case UInt8(ascii: ","):
                    append(.punctuation, bytes[start...start])
                    breakLine()
                    index += 1
                case UInt8(ascii: ":"):
                    append(.punctuation, bytes[start...start])
                    if layout.indents { text += " " }
                    index += 1
                case UInt8(ascii: "\""):
                    index = Output.endOfString(bytes, from: index)
                    let next = bytes[index...].first { !Output.isBlank($0) }
                    append(next == UInt8(ascii: ":") ? .key : .string, bytes[start..<index])
                default:
                    let end = bytes[index...].firstIndex { Output.isBlank($0) || ",]}".utf8.contains($0) }
                    index = end ?? bytes.count
                    let isWord = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[start])
                    append(isWord ? .word : .number, bytes[start..<index])
                }
            }
        }

        /// An opening bracket; an empty list or object stays on its line. Returns the index after it.
        private mutating func open(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
            append(.punctuation, bytes[start...start])
            if layout.indents, let next = bytes[(start + 1)...].firstIndex(where: { !Output.isBlank($0) }),
                "]}".utf8.contains(bytes[next])
            {
                append(.punctuation, bytes[next...next])
                return next + 1
            }
            depth += 1
            breakLine()
            return start + 1
        }

        /// Deep levels are not indented further: the text would become much longer than what came.
        private mutating func breakLine() {
            if layout.indents { text += "\n" + String(repeating: "  ", count: min(max(depth, 0), 40)) }
        }

        private mutating func append(_ token: JSONWriter.Token, _ bytes: Slice<UnsafeRawBufferPointer>) {
            let plain = String(decoding: bytes, as: UTF8.self)
            let safe = escapes ? JSONText.escaped(plain) : plain
            text += layout.colours ? JSONText.coloured(token, safe) : safe
        }

        private static func endOfString(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
            var index = start + 1
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(index + 1, bytes.count)
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
        }
    }
}
