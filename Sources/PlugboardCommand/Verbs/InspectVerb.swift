import ArgumentParser
import PlugboardKit
import PlugboardSystem

struct InspectVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows recorded exchanges in a browser.",
        discussion: """
            Prints the address of a page, which it serves on 127.0.0.1 until it is
            interrupted. The address has a token, without which the server shows nothing.
            Exchanges that are recorded meanwhile appear on the page.

            FILE is a HAR file, or a file of the plugin recorder. Without FILE, that is
            recorder.sqlite in the recorder's data directory. With --attach, the page
            shows what the recorder of a running program has.

            plugboard recorder report writes the same page as one file.

            EXAMPLES:
              plugboard inspect
              plugboard inspect feed.har --port 8800
              plugboard inspect --attach control.sock
              plugboard recorder report > page.html
            """)

    @Argument(
        help: ArgumentHelp("A HAR file, or a file of the plugin recorder.", valueName: "file"), completion: .file())
    var file: String?
    @Option(
        help: ArgumentHelp("The socket of a running program (kernel.control).", valueName: "path"),
        completion: .file())
    var attach: String?
    @Option(help: ArgumentHelp("The port; without it, any that is free.", valueName: "port")) var port: UInt16 = 0

    func validate() throws {
        if file != nil, attach != nil { throw ValidationError("Give a file or --attach, not both.") }
    }

    func run() throws {
        var words = ["--port", "\(port)"]
        if let attach { words += ["--attach", attach] }
        if let file { words += ["--", file] }
        try PageServer.run(words)
    }
}
