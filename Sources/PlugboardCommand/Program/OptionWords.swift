/// Options that are other spellings of an option with another value, such as `--data-raw` and `--socks5`.
///
/// The parser gives the values of one option in their order, and not those of several. So the words of these options
/// become the other option; data gets a mark before its value that no word of a command line can have: NUL.
enum OptionWords {
    /// What is made of the value of data.
    enum Kind: String {
        case raw, urlencode, binary, literal
    }

    /// The other option, and the value that it gets.
    private static func option(_ name: Substring) -> (option: String, value: @Sendable (String) -> String)? {
        switch name {
        case "--data-ascii": ("--data", { $0 })
        case "--data-raw": ("--data", { marked($0, .raw) })
        case "--data-binary": ("--data", { marked($0, .binary) })
        case "--data-urlencode": ("--data", { marked($0, .urlencode) })
        case "--form-string": ("--form", { marked($0, .literal) })
        case "--socks4": ("--proxy", { "socks4://\($0)" })
        case "--socks4a": ("--proxy", { "socks4a://\($0)" })
        case "--socks5": ("--proxy", { "socks5://\($0)" })
        case "--socks5-hostname": ("--proxy", { "socks5h://\($0)" })
        case "--max-download-limit": ("--limit-rate", { $0 })
        default: nil
        }
    }

    /// The words with the other options instead of these.
    static func replaced(_ words: [String]) -> [String] {
        var replaced: [String] = []
        var change: (@Sendable (String) -> String)?
        for (index, word) in words.enumerated() {
            if let value = change {
                replaced.append(value(word))
                change = nil
                continue
            }
            if word == "--" { return replaced + words[index...] }
            let equals = word.firstIndex(of: "=")
            guard let (option, value) = option(word[..<(equals ?? word.endIndex)]) else {
                replaced.append(word)
                continue
            }
            replaced.append(option)
            if let equals {
                replaced.append(value(String(word[word.index(after: equals)...])))
            } else {
                change = value
            }
        }
        return replaced
    }

    private static func marked(_ word: String, _ kind: Kind) -> String { "\0\(kind.rawValue)\0\(word)" }

    /// The kind and the value of a marked word; nil for the value of `-d` or `-F` itself.
    static func kind(of word: String) -> (kind: Kind, value: String)? {
        let parts = word.split(separator: "\0", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return nil }
        return Kind(rawValue: String(parts[1])).map { ($0, String(parts[2])) }
    }
}
