import ArgumentParser
import Plugboard
import PlugboardKit

struct UploadVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", _superCommandName: Program.name,
        abstract: "Uploads files, and continues uploads that broke.",
        discussion: """
            Where the server can resume uploads (tus 1.0, or the draft of the IETF), the
            same command continues an upload that broke or was interrupted.
            To a URL that ends in / each file is put under its own name.

            EXAMPLES:
              plugboard upload image.iso https://example.com/images/
              plugboard upload a.mp4 b.mp4 https://example.com/files --resumable tus
              plugboard upload image.iso https://example.com/images/ --abort
            """)

    @Argument(
        help: ArgumentHelp(
            "The files, then the URL; - is standard input.", valueName: "file-and-url"))
    var files: [String] = []
    @Option(
        name: [.customShort("X"), .long], parsing: .unconditional,
        help: ArgumentHelp("The method; tus has its own.", valueName: "method"))
    var method = "PUT"
    @Option(help: ArgumentHelp("The protocol: auto, draft, tus, none.", valueName: "protocol"))
    var resumable = "auto"
    @Flag(help: "Starts over, and does not continue what broke.") var restart = false
    @Flag(help: "Removes what broken uploads have left on the server.") var abort = false
    @Flag(help: "Allows servers to place uploads on other hosts.") var otherOrigins = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("What tus tells the server of each file. Repeatable.", valueName: "name=value"))
    var metadata: [String] = []
    @Option(help: ArgumentHelp("The most bytes of one request of a resumable upload.", valueName: "8MiB"))
    var partSize: String?
    @Flag(help: "Sends SHA-256 digests for the server to verify; servers without tus may ignore them.")
    var checksum = false
    @Option(help: ArgumentHelp("How many files are uploaded at a time.", valueName: "count")) var parallel = 4
    @OptionGroup(title: "Output") var output: TransferPrinting
    @OptionGroup var transfer: TransferArguments
    @OptionGroup var arguments: RequestArguments

    func run() async throws {
        let uploading = try Uploading(self)
        if output.printCurl { return try await uploading.printCurl() }
        try await uploading.run()
    }
}
