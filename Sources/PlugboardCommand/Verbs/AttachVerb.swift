import ArgumentParser
import Plugboard
import PlugboardControl
import PlugboardJSON
import PlugboardKit

/// `plugboard attach PATH`: sees and steers a running program.
struct AttachVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Sees and steers a running program.",
        usage: "plugboard attach <path> [<action> ...] [<options>]",
        discussion: """
            The path is that of kernel.control in the program's configuration. Only the user
            who runs the program can use it.

            ACTIONS:
              (none)                 Prints what the program is, and its metrics.
              metrics                Prints the metrics alone.
              exchanges              Lists the exchanges under way.
              watch                  Shows exchanges as they happen, until the program ends.
              command PLUGIN NAME …  Gives a plugin's command, as plugboard PLUGIN NAME does.
              suspend, resume, cancel  Acts on the requests under way: those of --tag, one
                                     by --exchange, or --all.
              disable, enable PLUGIN Switches a plugin off, or on again, for new requests.
              shutdown               Lets the requests under way end, and shuts the kernel
                                     down; it takes no more requests then.

            EXAMPLES:
              plugboard attach ./control
              plugboard attach ./control watch
              plugboard attach ./control metrics --prometheus
              plugboard attach ./control command recorder list
              plugboard attach ./control cancel --tag sync
              plugboard attach ./control disable cache
            """)

    @Argument(help: ArgumentHelp("The path of the program's socket.", valueName: "path"), completion: .file())
    var path: String
    @Argument(help: ArgumentHelp("What to do; see below.", valueName: "action")) var words: [String] = []
    @Flag(help: "With metrics: Prometheus's text format.") var prometheus = false
    @Flag(help: "Prints JSON, one value a line.") var json = false
    @Flag(help: "With suspend, resume and cancel: all requests of the program.") var all = false
    @Option(help: ArgumentHelp("With suspend, resume and cancel: the requests of this tag.", valueName: "word"))
    var tag: String?
    @Option(help: ArgumentHelp("With suspend, resume and cancel: the request of this number.", valueName: "number"))
    var exchange: UInt64?
    @Option(help: ArgumentHelp("With shutdown: how long requests under way may take.", valueName: "30s"))
    var within: String?

    func run() throws {
        let (action, rest) = (words.first ?? "status", words.dropFirst())
        let request = try AttachedRequest(self, action, rest)
        let client = try ControlClient(path)
        if action == "watch" { return try AttachedWatch(client, isJSON: json).run() }
        let output = ByteOutput.standard
        let result: JSONValue
        do {
            result = try client.ask(request.members) { (bytes: [UInt8]) in
                try output.write(
                    output.isTerminal ? Bytes(VisibleText.of(String(decoding: bytes, as: UTF8.self))) : Bytes(bytes))
            }
        } catch let error as PlugboardError where action == "command" {
            throw CommandFailure(.command, error)
        }
        if json { return try output.write(result) }
        let text = try AttachedText.text(result, of: action) { try client.ask(["do": "metrics"]) }
        if let text { try output.write(text) } else if result != .null { try output.write(result) }
    }
}
