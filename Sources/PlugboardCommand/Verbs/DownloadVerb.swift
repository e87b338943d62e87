import ArgumentParser
import Plugboard
import PlugboardDownloads
import PlugboardKit

struct DownloadVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Downloads files, and continues downloads that broke.",
        discussion: """
            A file is received as FILE.part and renamed when it is complete. After a
            break, the same command with --resume continues it, as long as the server
            still has the same version.

            EXAMPLES:
              plugboard download https://example.com/image.iso
              plugboard download https://example.com/image.iso --resume
              plugboard download --input-file urls.txt -o downloads/
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url")) var urls: [String] = []
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file, or the folder; without it, the current folder, and names from the URLs.", valueName: "file"))
    var output: String?
    @Flag(help: "Continues what an earlier download has left.") var resume = false
    @Flag(help: "With --resume: the part is of another URL of the same file, such as an expired one.") var moved = false
    @Flag(help: "Replaces files that exist.") var overwrite = false
    @Option(help: ArgumentHelp("The digest of the file: sha-256=VALUE.", valueName: "digest")) var checksum: String?
    @Option(
        name: .customLong("mirror"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Another URL of the same file. Repeatable.", valueName: "url"))
    var mirrors: [String] = []
    @Option(help: ArgumentHelp("A file with a URL on each line; - is standard input.", valueName: "file"))
    var inputFile: String?
    @Option(help: ArgumentHelp("How many files are downloaded at a time.", valueName: "count")) var parallel = 4
    @Option(help: ArgumentHelp("How progress is shown: bar, json, none.", valueName: "form")) var progress = "bar"
    @OptionGroup var arguments: RequestArguments

    func run() async throws {
        let downloading = try Downloading(self)
        try await downloading.run()
    }
}
