import PlugboardMessages

/// The command line of `plugboard-inspect`, which `plugboard inspect` has checked and made.
struct InspectArguments {
    /// A HAR file or a file of the recorder; nil for the recorder's own file in the data directory.
    var file: String?
    /// The control socket of a running program.
    var socket: String?
    /// 0 for any free port.
    var port: UInt16 = 0

    static let usage = "plugboard-inspect [FILE | --attach PATH] [--port N]"

    /// Throws `request.option` for words that it does not know.
    init(_ words: some Sequence<String>) throws(PlugboardError) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--port":
                guard let port = words.next().flatMap({ UInt16($0) }) else {
                    throw InspectArguments.failure("--port needs a number up to 65535")
                }
                self.port = port
            case "--attach":
                guard let path = words.next() else { throw InspectArguments.failure("--attach needs a path") }
                socket = path
            case "--":
                guard let path = words.next() else { throw InspectArguments.failure("-- needs a file") }
                file = path
            default:
                guard !word.hasPrefix("-"), file == nil else {
                    throw InspectArguments.failure("\(Printable.text(word)) is unknown")
                }
                file = word
            }
        }
        if file != nil, socket != nil { throw InspectArguments.failure("a file and --attach exclude each other") }
    }

    private static func failure(_ what: String) -> PlugboardError {
        PlugboardError(.requestOption, "\(what): \(usage)")
    }
}
