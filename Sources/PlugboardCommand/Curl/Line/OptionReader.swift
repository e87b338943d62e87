import PlugboardKit

/// Reads the words of a command line by curl's rules: short options can be joined, the last one with its value, and
/// the options of a file stand in the place of `-K`.
protocol OptionReader {
    /// Whether all options are curl's, as behind `plugboard curl`.
    static var isOfCurl: Bool { get }
    /// How many files of options include one another.
    var depth: Int { get set }

    mutating func takeOperand(_ word: String)
    /// Takes the words after `--`.
    mutating func takeOperands(_ words: ArraySlice<String>)
    /// Takes a short option.
    ///
    /// - Parameter value: Nil for an option without a value, and where the value is missing.
    mutating func takeShort(_ letter: Character, value: String?) throws(CommandFailure)
    /// Takes a long option, and its value from the words after it.
    mutating func takeLong(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure)
}

extension OptionReader {
    mutating func read(_ words: some Sequence<String>) throws(CommandFailure) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" { return takeOperands(rest) }
            if word.hasPrefix("--") {
                try takeLong(word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try readShort(word.dropFirst(), &rest)
            } else {
                takeOperand(word)
            }
        }
    }

    private mutating func readShort(_ letters: Substring, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard CurlOption.short(letter)?.takesValue ?? false else {
                try takeShort(letter, value: nil)
                continue
            }
            return try takeShort(letter, value: letters.isEmpty ? rest.popFirst() : String(letters))
        }
    }

    /// Reads the options of a file, or of standard input for `-`. Blocks.
    mutating func readFile(_ path: String) throws(CommandFailure) {
        guard depth < deepest else {
            throw CommandFailure(.usage, "Files of -K are nested more than \(deepest) deep.")
        }
        let text = String(decoding: try InputArgument(path: path).bytes(for: "-K"), as: UTF8.self)
        depth += 1
        for words in try CurlFile.lines(of: text, named: path, isOfCurl: Self.isOfCurl) { try read(words) }
        depth -= 1
    }
}

private let deepest = 20
