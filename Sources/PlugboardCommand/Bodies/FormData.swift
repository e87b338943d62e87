import PlugboardMessages

/// The body of `-d`: application/x-www-form-urlencoded, in parts that the caller has encoded.
enum FormData {
    /// The parts with `&` between them. Line ends and NUL are removed from files, as curl does.
    static func joined(_ pieces: [String]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            switch DataWords.kind(of: piece) {
            case (.raw, let text)?:
                bytes += text.utf8
                continue
            case (.urlencode, let text)?:
                bytes += try encoded(text, for: "--data-urlencode")
                continue
            case (.literal, _)?, nil: break
            }
            let argument = InputArgument(piece)
            let content = try argument.bytes(for: "--data", advice: "--data-binary sends any size.")
            if case .text = argument {
                bytes += content
            } else {
                bytes += content.filter { ![0x00, 0x0A, 0x0D].contains($0) }
            }
        }
        return bytes
    }

    /// A parameter whose content is encoded as forms are (a space is `+`), in curl's words: `content`, `=content`,
    /// `name=content`, `@FILE` or `name@FILE`.
    static func encoded(_ text: String, for option: String) throws(CommandFailure) -> [UInt8] {
        let sign = text.firstIndex { $0 == "=" || $0 == "@" }
        let name = sign.map { text[..<$0] } ?? ""
        let rest = sign.map { String(text[text.index(after: $0)...]) } ?? text
        let isFile = sign.map { text[$0] == "@" } ?? false
        let content = isFile ? try InputArgument("@\(rest)").bytes(for: option) : Array(rest.utf8)
        return Array(name.utf8) + (name.isEmpty ? [] : [UInt8(ascii: "=")]) + encoded(content)
    }

    /// The bytes as forms encode them: a space is `+`.
    static func encoded(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        PercentEncoding.append(escaping: content.span, to: &bytes)
        return bytes.replacing("%20".utf8, with: "+".utf8)
    }
}
