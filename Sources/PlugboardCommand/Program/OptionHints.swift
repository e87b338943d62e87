import PlugboardKit

/// What to write for options of curl that the command does not have, or not in this verb.
enum OptionHints {
    private static let hints: [(options: [String], hint: String)] = [
        (["-C", "--continue-at"], "plugboard download URL --resume continues a download."),
        (
            ["-J", "--remote-header-name", "--no-clobber", "--remove-on-error"],
            "plugboard download URL names the file as the server does, and replaces none."
        ),
        (["--next", "-:", "-K"], "plugboard curl takes a whole command line of curl."),
        (["--no-check-certificate"], "Write --insecure, for tests only."),
    ]

    /// A message of the parser, in which the first line says what to write instead of an option that is unknown.
    static func improve(_ message: String) -> String {
        let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard message.hasPrefix(unknown), parts.count == 3 else { return message }
        let option = String(parts[1])
        let rest = parts[2].drop { $0 != "\n" }
        if let hint = hints.first(where: { $0.options.contains(option) })?.hint {
            return "\(unknown)'\(option)'. \(hint)\(rest)"
        }
        // The parser suggests options that have nothing in common with the word but their length.
        let suggestion = parts[2].prefix { $0 != "\n" }.split(separator: "'").dropFirst().first.map(String.init)
        guard let suggestion, Spelling.nearest(name(option), in: [name(suggestion)]) == nil else { return message }
        return "\(unknown)'\(option)'.\(rest)"
    }

    private static let unknown = "Error: Unknown option "

    private static func name(_ option: String) -> String { String(option.drop { $0 == "-" }) }
}
