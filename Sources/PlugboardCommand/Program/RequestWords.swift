import PlugboardKit

/// The words of the verbs that send: `--next` begins the words of another request by the same verb, `-K` takes options
/// from a file, `--url` is a URL, and `-O` keeps its place among the files of `-o`.
struct RequestWords {
    /// The value of `--output` for a file that the URL names. No word of a command line can have NUL.
    static let remoteName = "\0"

    /// The words of each request, which begin with the verb.
    private(set) var groups: [[String]]
    private let verb: String
    /// How many files of options include one another.
    private var depth = 0

    /// - Parameter words: The verb, and what follows it.
    init(_ words: [String]) throws(CommandFailure) {
        verb = words.first ?? ""
        groups = [[verb]]
        try read(words.dropFirst())
    }

    private mutating func add(_ words: String...) { groups[groups.count - 1] += words }

    private mutating func read(_ words: ArraySlice<String>) throws(CommandFailure) {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                add(word)
                while let word = rest.popFirst() { add(word) }
            } else if word.hasPrefix("--") {
                readLong(word, &rest)
            } else if word.hasPrefix("-"), word.count > 1 {
                try readShort(word.dropFirst(), &rest)
            } else {
                add(word)
            }
        }
    }

    private mutating func readLong(_ word: String, _ rest: inout ArraySlice<String>) {
        let name = word.prefix { $0 != "=" }
        let given = name == word ? nil : String(word[name.endIndex...].dropFirst())
        switch name {
        case "--next" where given == nil: groups.append([verb])
        case "--remote-name" where given == nil: add("--output", RequestWords.remoteName)
        case "--url":
            // A URL after the first needs a scheme, because other words there are request items. Without a value, the
            // parser reports it.
            guard let url = given ?? rest.popFirst() else { return add(word) }
            add((try? RequestArguments.absolute(url, against: nil)) ?? url)
        default:
            add(word)
            // The value may look like an option.
            if given == nil, CurlOption.named(String(name.dropFirst(2)))?.takesValue ?? false,
                let value = rest.popFirst()
            {
                add(value)
            }
        }
    }

    private mutating func readShort(_ letters: Substring, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
        var letters = letters
        var flags = "-"
        func flush() -> [String] { flags.count > 1 ? [flags] : [] }
        while let letter = letters.popFirst() {
            switch letter {
            case "O": add("--output", RequestWords.remoteName)
            case ":":
                groups[groups.count - 1] += flush()
                flags = "-"
                groups.append([verb])
            case "K":
                groups[groups.count - 1] += flush()
                guard let path = letters.isEmpty ? rest.popFirst() : String(letters) else {
                    throw CommandFailure(.usage, "-K needs a file of options, or - for standard input.")
                }
                return try readFile(path)
            case _ where JoinedOptions.letters.contains(letter):
                add(flags + String(letter) + letters)
                if letters.isEmpty, let value = rest.popFirst() { add(value) }
                return
            default: flags.append(letter)
            }
        }
        groups[groups.count - 1] += flush()
    }

    // MARK: Files of options

    private static let deepest = 20

    private mutating func readFile(_ path: String) throws(CommandFailure) {
        guard depth < RequestWords.deepest else {
            throw CommandFailure(.usage, "Files of -K include one another more than \(RequestWords.deepest) deep.")
        }
        let bytes = try InputArgument(path: path).bytes(for: "-K")
        depth += 1
        let text = String(decoding: bytes, as: UTF8.self)
        for words in try CurlFile.lines(of: text, named: path, isOfCurl: false) {
            try read(words[...])
        }
        depth -= 1
    }
}
