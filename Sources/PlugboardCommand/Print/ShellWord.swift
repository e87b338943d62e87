import PlugboardKit

/// Words of a command line for sh (POSIX.1-2017, Shell Command Language, 2.2).
enum ShellWord {
    /// The text as one word.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._/:@%+,=".utf8.contains(byte)
            }
        }
        // Some shells replace a word that begins with an equals sign.
        if isPlain, !text.isEmpty, !text.hasPrefix("=") { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A command that writes the bytes to its standard output: printf's format as one word.
    static func printing(_ bytes: Bytes) -> String {
        let digits = Array("01234567".utf8)
        var format: [UInt8] = []
        bytes.withUnsafeBytes { bytes in
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "%"): format += [byte, byte]
                case UInt8(ascii: "\\"): format += [byte, byte]
                case UInt8(ascii: "'"): format += "'\\''".utf8
                case 0x20..<0x7F, 0x0A: format.append(byte)
                default:
                    format += [
                        UInt8(ascii: "\\"), digits[Int(byte >> 6)], digits[Int(byte >> 3 & 7)], digits[Int(byte & 7)],
                    ]
                }
            }
        }
        return "printf '\(String(decoding: format, as: UTF8.self))'"
    }
}
