import PlugboardKit

/// The words of a verb, with each short option and its value in words of their own: the parser knows joined ones only
/// for values of letters and digits.
///
/// For the verbs that send to URLs, `--next` begins the words of another request by the same verb, `-K` takes options
/// from a file, `--url` is a URL, and `-O` keeps its place among the files of `-o`. For all verbs that send, options of
/// curl that change nothing here are left out.
struct RequestWords: OptionReader {
    /// The value of `--output` for a file that the URL names. No word of a command line can have NUL.
    static let remoteName = "\0"
    static let isOfCurl = false
    /// Further long options whose value may look like an option: curl does not have them.
    static let valued: Set<Substring> = [
        "--attribute", "--body", "--ca-file", "--command", "--credential", "--dir", "--directory-prefix",
        "--load-cookies", "--metadata", "--metalink", "--metalink-file", "--method", "--mirror", "--only", "--plugin",
        "--server-variable", "--set", "--timeout", "--with",
    ]

    /// The words of each request, which begin with the verb.
    private(set) var groups: [[String]]
    private let verb: String
    private let isRequest: Bool
    var depth = 0

    /// - Parameters:
    ///   - words: The verb, and what follows it.
    ///   - isRequest: Whether the verb sends to URLs.
    init(_ words: [String], isRequest: Bool = true) throws(CommandFailure) {
        verb = words.first ?? ""
        self.isRequest = isRequest
        groups = [[verb]]
        try read(words.dropFirst())
    }

    private mutating func add(_ words: String...) { groups[groups.count - 1] += words }

    mutating func takeOperand(_ word: String) { add(word) }

    mutating func takeOperands(_ words: ArraySlice<String>) {
        add("--")
        groups[groups.count - 1] += words
    }

    mutating func takeShort(_ letter: Character, value: String?) throws(CommandFailure) {
        switch letter {
        case "O" where isRequest: add("--output", RequestWords.remoteName)
        case ":" where isRequest: groups.append([verb])
        case "-" where isRequest:
            throw CommandFailure(.usage, "A hyphen cannot follow letters of options: -o - is standard output.")
        case "K" where isRequest:
            guard let value else {
                throw CommandFailure(.usage, "-K needs a file of options, or - for standard input.")
            }
            try readFile(value)
        case _ where isIdle(CurlOption.short(letter)): break
        default:
            add("-\(letter)")
            if let value { add(value) }
        }
    }

    mutating func takeLong(_ word: String, _ rest: inout ArraySlice<String>) {
        let name = word.prefix { $0 != "=" }
        let given = name == word ? nil : String(word[name.endIndex...].dropFirst())
        let idle = CurlOption.named(String(name.dropFirst(name.hasPrefix("--no-") ? 5 : 2)))
        switch name {
        case "--next" where isRequest && given == nil: groups.append([verb])
        case "--remote-name" where isRequest && given == nil: add("--output", RequestWords.remoteName)
        case "--url" where isRequest:
            // A URL after the first needs a scheme, because other words there are request items. Without a value, the
            // parser reports it.
            guard let url = given ?? rest.popFirst() else { return add(word) }
            add((try? RequestArguments.absolute(url, against: nil)) ?? url)
        case _ where isIdle(idle) && !isOwn(name):
            // Without its value, the parser reports it.
            if given == nil, idle?.takesValue ?? false, rest.popFirst() == nil { add(word) }
        default:
            guard given == nil, takesValue(name), let value = rest.popFirst() else { return add(word) }
            // The parser reads a word behind an option that the verb does not have as options: -all,https has -h.
            if value.hasPrefix("-") { add("\(word)=\(value)") } else { add(word, value) }
        }
    }

    /// Whether an option of curl changes nothing for a verb that sends.
    private func isIdle(_ option: CurlOption?) -> Bool {
        guard case .accepted? = option?.effect else { return false }
        return OptionHints.sending.contains(verb)
    }

    /// Whether the verb has an option of its own by a name of curl's.
    private func isOwn(_ name: Substring) -> Bool {
        ["download", "upload"].contains(verb) && ["--metalink", "--parallel"].contains(name)
    }

    private func takesValue(_ name: Substring) -> Bool {
        // Flags of some verbs.
        if name == "--json" && !isRequest || name == "--metadata" && verb == "plugins" { return false }
        return RequestWords.valued.contains(name) || CurlOption.named(String(name.dropFirst(2)))?.takesValue ?? false
    }
}
