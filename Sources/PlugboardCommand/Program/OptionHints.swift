import PlugboardKit

/// What to write instead of options of curl, HTTPie, wget and aria2 that the command, or this verb, does not have.
enum OptionHints {
    /// The parser's message for a wrong command line as one line: what is wrong, and what to write instead or where the
    /// help is.
    static func line(of message: String) -> String {
        let lines = message.split(separator: "\n").map(String.init)
        let end = lines.firstIndex { $0.hasPrefix("Help:") || $0.hasPrefix("Usage:") } ?? lines.count
        let usage = lines.first { $0.hasPrefix("Usage:") }?.split(separator: " ").dropFirst() ?? []
        let verb = usage.prefix { $0.first?.isLowercase ?? false }.joined(separator: " ")
        var text = lines[..<end].map { $0.drop { $0 == " " } }.joined(separator: " ")
        if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
        text = withoutValue(text)
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 3, parts[0] == unknown {
            // What follows an equals sign may be a secret.
            let option = String(parts[1].prefix { $0 != "=" })
            if let hint = hint(for: option, isSending: sending.contains { verb.hasSuffix(" \($0)") }) {
                return "\(unknown)'\(option)'. \(hint)"
            }
            text = "\(unknown)'\(option)'.\(suggestion(parts[2], for: option))"
            // The usage of the program without a verb.
            if usage.dropFirst().first == "VERB" { text += " Options stand behind a verb, as in plugboard get URL -v." }
        }
        if text.last.map({ !".?".contains($0) }) ?? false { text += "." }
        return text + " See \(verb.isEmpty ? "plugboard" : verb) --help."
    }

    /// The message without a value that the parser could not read, which may be a secret, and with the list of those
    /// that it can read.
    static func withoutValue(_ text: String) -> String {
        guard text.hasPrefix("The value '"), let end = text.ranges(of: "' is invalid for '").last?.upperBound else {
            return text
        }
        let rest = text[end...]
        let option = rest.prefix { $0 != "'" && $0 != " " }
        let values = rest.firstRange(of: ". Please provide one of ").map { rest[$0.lowerBound...] } ?? "."
        return "The value of \(option) is invalid\(values)"
    }

    /// The parser suggests options that have nothing in common with the word but their length, or mean its opposite.
    private static func suggestion(_ text: String, for option: String) -> String {
        guard let word = text.split(separator: "'").dropFirst().first.map(String.init), option != "--no-\(name(word))",
            Spelling.nearest(name(option), in: [name(word)]) != nil
        else { return "" }
        return " Did you mean \(word)?"
    }

    /// - Parameter isSending: Whether the verb sends requests.
    static func hint(for option: String, isSending: Bool = true) -> String? {
        isSending ? table.first { $0.options.contains(option) }?.hint ?? hintOfCurl(for: option) : nil
    }

    /// The verbs to which the options of other programs could belong.
    static let sending = [
        "get", "head", "post", "put", "patch", "delete", "request", "download", "upload", "call", "explain",
    ]

    /// The hint for an option of curl that the table does not have: it does not exist here, or another verb has it.
    private static func hintOfCurl(for option: String) -> String? {
        let found =
            option.hasPrefix("--")
            ? CurlOption.named(String(option.dropFirst(2)))
            : option.count == 2 ? option.last.flatMap { CurlOption.short($0) } : nil
        switch found?.effect {
        case nil: return nil
        case .refused(let reason): return reason
        case .accepted: return "Leave it out: it changes nothing here."
        case .refusedWithTLS, .refusedWithProxy: return "Plugboard has nothing like it."
        case .passed, .kept, .placed: return "This verb does not have it; plugboard curl does."
        }
    }

    private static let unknown = "Unknown option "

    private static func name(_ option: String) -> String { String(option.drop { $0 == "-" }) }
}
