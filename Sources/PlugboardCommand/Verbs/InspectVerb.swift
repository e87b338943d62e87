import ArgumentParser
import PlugboardKit
import PlugboardSystem

struct InspectVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows recorded exchanges in a browser.",
        discussion: """
            Prints the address of a page, which it serves on 127.0.0.1 until it is
            interrupted. The address has a token: who does not know it sees nothing.
            Exchanges that are recorded meanwhile appear on the page.

            FILE is a HAR file, or a file of the plugin recorder. Without FILE, that is
            recorder.sqlite in the recorder's data directory.

            plugboard recorder report writes the same page as one file.

            EXAMPLES:
              plugboard inspect
              plugboard inspect feed.har --port 8800
              plugboard recorder report > page.html
            """)

    @Argument(
        help: ArgumentHelp("A HAR file, or a file of the plugin recorder.", valueName: "file"), completion: .file())
    var file: String?
    @Option(help: ArgumentHelp("The port; without it, any that is free.", valueName: "port")) var port: UInt16 = 0

    func run() throws {
        var words = ["--port", "\(port)"]
        if let file { words += ["--", file] }
        try PageServer.run(words)
    }
}
