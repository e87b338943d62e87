/// The options of curl that add to the data of `-d` and to the parts of `-F`: `--data-ascii`, `--data-raw`,
/// `--data-urlencode` and `--form-string`.
///
/// The parser gives the values of one option in their order, and not those of several. So the words of these options
/// become `--data` and `--form`, with a mark before their value that no word of a command line can have: NUL.
enum DataWords {
    /// What is made of a value.
    enum Kind: String {
        case raw, urlencode, literal
    }

    private static let options: [String: (option: String, kind: Kind?)] = [
        "--data-ascii": ("--data", nil), "--data-raw": ("--data", .raw), "--data-urlencode": ("--data", .urlencode),
        "--form-string": ("--form", .literal),
    ]

    /// The words in which these options are `--data` and `--form`.
    static func joined(_ words: [String]) -> [String] {
        var joined: [String] = []
        var kind: Kind?
        for (index, word) in words.enumerated() {
            if let mark = kind {
                joined.append(marked(word, mark))
                kind = nil
                continue
            }
            if word == "--" { return joined + words[index...] }
            let equals = word.firstIndex(of: "=")
            guard let (option, mark) = options[String(word[..<(equals ?? word.endIndex)])] else {
                joined.append(word)
                continue
            }
            joined.append(option)
            if let equals {
                let value = String(word[word.index(after: equals)...])
                joined.append(mark.map { marked(value, $0) } ?? value)
            } else {
                kind = mark
            }
        }
        return joined
    }

    private static func marked(_ word: String, _ kind: Kind) -> String { "\0\(kind.rawValue)\0\(word)" }

    /// The kind and the value of a marked word; nil for the value of `-d` or `-F` itself.
    static func kind(of word: String) -> (kind: Kind, value: String)? {
        let parts = word.split(separator: "\0", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return nil }
        return Kind(rawValue: String(parts[1])).map { ($0, String(parts[2])) }
    }
}
