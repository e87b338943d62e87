import PlugboardMessages

/// The body of `-d`: application/x-www-form-urlencoded, in parts that the caller has encoded.
enum FormData {
    /// The data of `-d` and of the options that `OptionWords` marks, joined by `&`. `-` is standard input. Blocks.
    static func joined(_ words: [String]) throws(CommandFailure) -> [UInt8] {
        try joined(
            words.map { word in
                switch OptionWords.kind(of: word) {
                case (.raw, let text)?: (.raw, text)
                case (.urlencode, let text)?: (.encoded, text)
                case (.binary, let text)?: (.binary, text == "-" ? "@-" : text)
                case (.literal, _)?, nil: (.data, word == "-" ? "@-" : word)
                }
            })
    }

    /// The data of all options in their order, with `&` between them. Line ends and NUL are removed from files of text,
    /// as curl does. Blocks.
    static func joined(_ data: [(kind: CurlGroup.DataKind, value: String)]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, (kind, value)) in data.enumerated() {
            if index > 0, kind != .json { bytes.append(UInt8(ascii: "&")) }
            switch kind {
            case .raw: bytes += value.utf8
            case .encoded: bytes += try encoded(value, for: "--data-urlencode")
            case .data, .ascii, .binary, .json:
                guard value.hasPrefix("@") else {
                    bytes += value.utf8
                    continue
                }
                let isText = kind == .data || kind == .ascii
                let content = try InputArgument(value).bytes(
                    for: "--\(kind.rawValue)", advice: isText ? "--data-binary sends any size." : "")
                bytes += isText ? content.filter { ![0x00, 0x0A, 0x0D].contains($0) } : content
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

    /// An argument of `--url-query`: a parameter as above, or after `+` a text that is encoded already.
    static func query(_ text: String) throws(CommandFailure) -> String {
        if text.hasPrefix("+") { return String(text.dropFirst()) }
        return String(decoding: try encoded(text, for: "--url-query"), as: UTF8.self)
    }

    /// The bytes as forms encode them: a space is `+`.
    static func encoded(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        PercentEncoding.append(escaping: content.span, to: &bytes)
        return bytes.replacing("%20".utf8, with: "+".utf8)
    }
}
