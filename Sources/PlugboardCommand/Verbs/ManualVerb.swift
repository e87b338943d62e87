import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardKit

struct ManualVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Writes the pages of the manual, for man.",
        discussion: """
            Without --directory, writes one page to standard output: that of the command,
            or of the verb whose words are given.

            EXAMPLES:
              plugboard manual get | man -l -
              plugboard manual plugins check | man -l -
              plugboard manual --directory /usr/local/share/man/man1
            """)

    @Argument(help: ArgumentHelp("The verb.", valueName: "verb")) var words: [String] = []
    @Option(
        help: ArgumentHelp("Writes all pages as files into this folder, which must exist.", valueName: "folder"),
        completion: .directory)
    var directory: String?

    func validate() throws {
        if directory != nil, !words.isEmpty { throw ValidationError("--directory writes all pages: give no verb.") }
    }

    func run() throws {
        let pages = ManualPage.all(of: try ManualVerb.description())
        if let directory {
            for page in pages { try ByteOutput(path: "\(directory)/\(page.name).1").write(page.text) }
            return
        }
        let name = (["plugboard"] + words).joined(separator: "-")
        guard let page = pages.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, "There is no verb \(Printable.text(words.joined(separator: " "))). See plugboard --help.")
        }
        try ByteOutput.standard.write(page.text)
    }

    /// The parser's description of the command line, which it gives as the message of an option that it has of itself.
    private static func description() throws -> JSONValue {
        do {
            _ = try Program.parseAsRoot(["--experimental-dump-help"])
        } catch {
            if let command = try? JSONParser.parse(Program.fullMessage(for: error))["command"] { return command }
        }
        throw CommandFailure(.failure, "The parser of the command line does not describe its options.")
    }
}
