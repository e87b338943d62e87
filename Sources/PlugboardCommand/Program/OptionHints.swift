import PlugboardKit

/// What to write for options of curl that the command does not have, or not in this verb.
enum OptionHints {
    private static let hints: [(options: [String], hint: String)] = [
        (["-L", "--location"], "--plugin redirect follows redirects."),
        (["-O", "--remote-name"], "plugboard download URL saves the file under its name."),
        (["-X", "--request"], "plugboard request METHOD URL sends any method."),
        (["-I", "--head"], "plugboard head URL asks for the head."),
        (["-T", "--upload-file"], "plugboard upload FILE URL sends a file."),
        (["-C", "--continue-at"], "plugboard download URL --resume continues a download."),
        (
            ["-u", "--user"],
            "A URL can hold credentials (https://user:password@host/), and the plugin authentication reads them from the "
                + "environment or a file."
        ),
        (["--oauth2-bearer"], "Write -H 'Authorization: Bearer TOKEN', or -H @FILE."),
        (
            ["-E", "--cert", "--key"],
            "A configuration names the client's certificate and its key: kernel.tls.certificate and kernel.tls.key."
        ),
        (["--retry"], "Write --plugin retry, and --set retry.attempts=5 for another number of attempts."),
        (["--compressed"], "--plugin decode asks for compressed responses and decodes them."),
        (["-G", "--get"], "Write the parameters into the URL, after a question mark."),
        (["-A", "--user-agent"], "Write -H 'User-Agent: TEXT'."),
        (["-e", "--referer"], "Write -H 'Referer: URL'."),
        (["-r", "--range"], "Write -H 'Range: bytes=FIRST-LAST'."),
        (["-m", "--max-time"], "Write --timeout."),
        (["-D", "--dump-header"], "-i writes the head before the body."),
        (["-w", "--write-out"], "--timing prints how long each step took, and -i the head."),
        (["--resolve"], "Write --connect-to HOST:PORT:ADDRESS:PORT."),
        (["--data-raw", "--data-ascii"], "Write -d, in which only a first @ or a single - has a meaning."),
        (["--data-urlencode"], "Write -d with the text percent-encoded."),
        (["-S", "--show-error"], "Errors are always printed, also with -s."),
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
