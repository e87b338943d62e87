/// The options of curl that add to the data of `-d`: `--data-ascii`, `--data-raw` and `--data-urlencode`.
///
/// The parser gives the values of one option in their order, and not those of several. So the words of these options
/// become `--data`, with a mark before their value that no word of a command line can have: NUL.
enum DataWords {
    /// What is made of a value.
    enum Kind: String, CaseIterable {
        case raw, urlencode
    }

    /// The words in which these options are `--data`.
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
            let equals = word.firstIndex(of: "=") ?? word.endIndex
            switch word[..<equals] {
            case "--data-ascii": joined.append("--data" + word[equals...])
            case let name where Kind.allCases.contains(where: { name == "--data-\($0.rawValue)" }):
                let mark = Kind(rawValue: String(name.dropFirst(7)))
                joined.append("--data")
                if equals == word.endIndex {
                    kind = mark
                } else if let mark {
                    joined.append(marked(String(word[word.index(after: equals)...]), mark))
                }
            default: joined.append(word)
            }
        }
        return joined
    }

    private static func marked(_ word: String, _ kind: Kind) -> String { "\0\(kind.rawValue)\0\(word)" }

    /// The kind and the value of a marked word; nil for the value of `-d` itself.
    static func kind(of word: String) -> (kind: Kind, value: String)? {
        let parts = word.split(separator: "\0", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return nil }
        return Kind(rawValue: String(parts[1])).map { ($0, String(parts[2])) }
    }
}
