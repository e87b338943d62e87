/// Short options with their value in the same word, as curl takes them: `-oFILE`, `-sHX:y`. The parser knows them only
/// for values of letters and digits.
enum JoinedOptions {
    /// The short options of all verbs that take a value.
    static let letters: Set<Character> = [
        "A", "b", "c", "C", "d", "D", "e", "E", "F", "H", "m", "o", "r", "T", "u", "U", "w", "x", "X", "y", "Y", "z",
    ]

    /// The words with such options in words of their own. What follows a short option that takes a value is left as it
    /// is.
    static func split(_ words: [String]) -> [String] {
        var parts: [String] = []
        var isValue = false
        for (index, word) in words.enumerated() {
            if isValue {
                isValue = false
            } else if word == "--" {
                return parts + words[index...]
            } else if word.hasPrefix("-"), !word.hasPrefix("--"), let letter = word.firstIndex(where: letters.contains)
            {
                let value = word[word.index(after: letter)...]
                parts.append(String(word[...letter]))
                if value.isEmpty { isValue = true } else { parts.append(String(value)) }
                continue
            }
            parts.append(word)
        }
        return parts
    }
}
