import PlugboardKit

/// What to write instead of options of curl, HTTPie, wget and aria2 that the command, or this verb, does not have.
enum OptionHints {
    /// A message of the parser, in which the first line says what to write instead of an option that is unknown.
    static func improve(_ message: String) -> String {
        let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard message.hasPrefix(unknown), parts.count == 3 else { return message }
        let option = String(parts[1].prefix { $0 != "=" })
        let rest = parts[2].drop { $0 != "\n" }
        if let hint = hint(for: option) { return "\(unknown)'\(option)'. \(hint)\(rest)" }
        // The parser suggests options that have nothing in common with the word but their length.
        let suggestion = parts[2].prefix { $0 != "\n" }.split(separator: "'").dropFirst().first.map(String.init)
        guard let suggestion, Spelling.nearest(name(option), in: [name(suggestion)]) == nil else { return message }
        return "\(unknown)'\(option)'.\(rest)"
    }

    static func hint(for option: String) -> String? {
        table.first { $0.options.contains(option) }?.hint ?? hintOfCurl(for: option)
    }

    /// The hint for an option of curl that the table does not have: it does not exist here, or another verb has it.
    private static func hintOfCurl(for option: String) -> String? {
        let found =
            option.hasPrefix("--")
            ? CurlOption.named(String(option.dropFirst(2)))
            : option.count == 2 ? option.last.flatMap { CurlOption.short($0) } : nil
        switch found?.effect {
        case nil: return nil
        case .refused(let reason): return reason
        default: return "This verb does not have it; plugboard curl does."
        }
    }

    private static let unknown = "Error: Unknown option "

    private static func name(_ option: String) -> String { String(option.drop { $0 == "-" }) }
}
