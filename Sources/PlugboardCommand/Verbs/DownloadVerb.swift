import ArgumentParser
import Plugboard
import PlugboardDownloads
import PlugboardKit

struct DownloadVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", _superCommandName: Program.name,
        abstract: "Downloads files, and continues downloads that broke.",
        discussion: """
            A file is received as FILE.part and renamed when it is complete. After a
            break, the same command with --resume continues it, as long as the server
            still has the same version. Redirects are followed.

            aria2's and wget's spellings work too. Where curl has the same letter, what
            follows decides: -x 4 and -s 4 are connections, -x URL is the proxy, -s alone
            prints only errors; -k alone accepts any certificate, -k 1M is the least size
            of a part, which is refused; -c before a URL continues, -c FILE is the cookie
            jar.

            EXAMPLES:
              plugboard download https://example.com/image.iso
              plugboard download https://example.com/image.iso --resume
              plugboard download https://example.com/image.iso --segments 4
              plugboard download --input-file urls.txt -o downloads/
              plugboard download --metalink https://example.com/images.meta4
              plugboard download https://example.com/a.iso --checksums SHA256SUMS
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url")) var urls: [String] = []
    @OptionGroup(title: "Files") var files: DownloadFiles
    @Flag(
        name: [.long, .customLong("continue")],
        help: "Continues what an earlier download has left; a complete file stays.")
    var resume = false
    @Flag(help: "With --resume: the part is of another URL of the same file, such as an expired one.") var moved = false
    @Option(
        name: [.long, .customLong("split"), .customLong("max-connection-per-server")],
        help: ArgumentHelp("How many parts of a file are requested at the same time.", valueName: "count"))
    var segments = 1
    @Option(help: ArgumentHelp("The file's digest: sha-256=VALUE or sha-512=VALUE.", valueName: "digest"))
    var checksum: String?
    @Option(
        help: ArgumentHelp(
            "A file of digests, such as SHA256SUMS, which files are checked against by their names.",
            valueName: "file"), completion: .file())
    var checksums: String?
    @Option(
        name: [.customShort("t"), .customLong("max-tries"), .customLong("tries")],
        help: ArgumentHelp("How many requests in a row may end without new bytes (0: no limit).", valueName: "5"))
    var tries: Int?
    @Option(
        name: .customLong("mirror"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another URL of the same file, for when one fails; with --checksum, segments use all. Fields, cookies, "
                + "attributes and the client's certificate are not sent to another origin. Repeatable.",
            valueName: "url"))
    var mirrors: [String] = []
    @Option(
        name: [.customShort("M"), .customLong("metalink"), .customLong("metalink-file")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A Metalink document (RFC 5854) with the files to download: a file, or a URL. The fields, cookies and "
                + "attributes of the command line are sent to the URL's own origin alone. Repeatable.",
            valueName: "file"), completion: .file())
    var metalinks: [String] = []
    @Flag(help: "Uses a Metalink document or mirrors that a server names (RFC 6249). Asks by HEAD.")
    var followMetalink = false
    @Option(
        name: [.customShort("i"), .long],
        help: ArgumentHelp(
            "A file with a URL on each line, and further URLs of the same file after tabs; a line ' out=NAME' or "
                + "' checksum=DIGEST' is about the URL before it. The name - is standard input.", valueName: "file"),
        completion: .file())
    var inputFile: String?
    @Option(
        name: [.customShort("j"), .long, .customLong("max-concurrent-downloads")],
        help: ArgumentHelp("How many files are downloaded at a time.", valueName: "count"))
    var parallel = 4
    @Flag(help: "Does not follow redirects.") var noLocation = false
    @OptionGroup(title: "Output") var output: TransferPrinting
    @OptionGroup var transfer: TransferArguments
    @Flag(name: [.customShort("R"), .long], help: TimeOptions.remoteTime) var remoteTime = false
    @Option(
        name: [.customShort("z"), .customLong("time-cond")], parsing: .unconditional, help: TimeOptions.condition)
    var condition: String?
    @OptionGroup var arguments: RequestArguments

    func run() async throws {
        let downloading = try Downloading(self)
        try await downloading.run()
    }
}
