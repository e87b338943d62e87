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
              plugboard download https://example.com/image.iso --segments 4
              plugboard download --input-file urls.txt -o downloads/
              plugboard download --metalink https://example.com/images.meta4
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url")) var urls: [String] = []
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file, or the folder; without it, the current folder. In a folder, files have the names that the "
                + "servers or the URLs give them, made safe.", valueName: "file"))
    var output: String?
    @Flag(
        name: [.customShort("O"), .long], help: "Names the file as the server or the URL does, which is the default.")
    var remoteName = false
    @Flag(help: "Continues what an earlier download has left; a complete file stays.") var resume = false
    @Flag(help: "With --resume: the part is of another URL of the same file, such as an expired one.") var moved = false
    @Flag(help: "Replaces files that exist.") var overwrite = false
    @Option(
        help: ArgumentHelp(
            "How many parts of a file are requested at the same time.", valueName: "count"))
    var segments = 1
    @Option(
        help: ArgumentHelp("The most bytes that a file receives in a second: 2MiB.", valueName: "size"))
    var limitRate: String?
    @Option(help: ArgumentHelp("The file's digest: sha-256=VALUE or sha-512=VALUE.", valueName: "digest"))
    var checksum: String?
    @Option(
        name: .customLong("mirror"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another URL of the same file, for when one fails; with --checksum, segments use all. The fields, "
                + "cookies and attributes of the command line are not sent to another origin. Repeatable.",
            valueName: "url"))
    var mirrors: [String] = []
    @Option(
        name: .customLong("metalink"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A Metalink document (RFC 5854) with the files to download: a file, or a URL. The fields, cookies and "
                + "attributes of the command line are sent to the URL's own origin alone. Repeatable.",
            valueName: "file"))
    var metalinks: [String] = []
    @Flag(help: "Uses a Metalink document or mirrors that a server names (RFC 6249). Asks by HEAD.")
    var followMetalink = false
    @Option(help: ArgumentHelp("A file with a URL on each line; - is standard input.", valueName: "file"))
    var inputFile: String?
    @Option(help: ArgumentHelp("How many files are downloaded at a time.", valueName: "count")) var parallel = 4
    @Option(
        help: ArgumentHelp(
            "How progress is shown: bar, json, or none, which prints only errors and notes.", valueName: "form"))
    var progress = "bar"
    @OptionGroup var arguments: RequestArguments

    func run() async throws {
        let downloading = try Downloading(self)
        try await downloading.run()
    }
}
