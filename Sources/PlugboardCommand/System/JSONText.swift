import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// JSON as this command writes it: on a terminal in a readable layout, with colours unless NO_COLOR is set or the
/// terminal has no control sequences, and with escapes for characters that control the terminal.
enum JSONText {
    /// Whether a terminal gets colours. https://no-color.org: any value that is not empty.
    static var hasColours: Bool {
        (environment("NO_COLOR")?.isEmpty ?? true) && StandardError.hasControlSequences
    }

    static func write(_ value: JSONValue, isForTerminal: Bool) -> String {
        let options = JSONWriter.Options(pretty: isForTerminal)
        guard isForTerminal else { return JSONWriter.write(value, options: options) }
        guard hasColours else { return escaped(JSONWriter.write(value, options: options)) }
        return JSONWriter.write(value, options: options) { coloured($0, escaped($1)) }
    }

    static func coloured(_ token: JSONWriter.Token, _ text: String) -> String {
        switch token {
        case .key: "\u{1B}[34m\(text)\u{1B}[0m"
        case .string: "\u{1B}[32m\(text)\u{1B}[0m"
        case .number: "\u{1B}[36m\(text)\u{1B}[0m"
        case .word: "\u{1B}[35m\(text)\u{1B}[0m"
        case .punctuation: text
        }
    }

    /// The writer escapes what JSON forbids in strings (RFC 8259 §7); C1 and characters of direction are allowed there.
    static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { $0 != "\n" && VisibleText.steers($0) }) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard VisibleText.steers(scalar) else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
