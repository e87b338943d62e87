import ArgumentParser
import Plugboard
import PlugboardCodecs
import PlugboardKit

/// Options of curl that decide the method, the query and the range of a request.
struct MethodArguments: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("The method, instead of the verb's.", valueName: "method"))
    var method: String?
    @Flag(name: [.customShort("I"), .long], help: "Asks for the head alone (HEAD), and writes it.") var head = false
    @Flag(name: [.customShort("G"), .long], help: "Sends the data of -d in the query, by GET.") var get = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A parameter of the query: text, name=text (encoded), @FILE or name@FILE; +text is encoded already.",
            valueName: "data"))
    var urlQuery: [String] = []
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("Bytes of the file: 0-499, 500-, or -500 for the last.", valueName: "range"))
    var range: String?
    @Option(
        name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Sends a file, - for standard input, with PUT unless the verb has another method for bodies. A URL that ends "
                + "with / gets the file's name. Braces and brackets are lists and ranges, as in URLs.",
            valueName: "file"), completion: .file())
    var uploadFiles: [String] = []
    @Flag(
        name: [.customShort("g"), .long],
        help: "Takes brackets and braces in URLs and in files of -T as they are, and not as lists.")
    var globoff = false
    @Flag(help: "Has no effect: paths are always sent unchanged.") var pathAsIs = false

    // `RequestWords` reads these before the parser, which has them for help and completions.
    @Option(
        name: .customLong("url"),
        help: ArgumentHelp("A URL, also one that looks like a request item.", valueName: "url"))
    var namedURL: String?
    @Flag(help: "Begins another request; -: is the short form.") var next = false
    @Option(
        name: .customShort("K"),
        help: ArgumentHelp("Takes options from a file, one on each line.", valueName: "file"),
        completion: .file())
    var optionFile: String?

    func validate() throws {
        if let range, !range.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2C }) {
            throw ValidationError("--range must be like 0-499, 500- or -500.")
        }
    }

    /// The method of a verb, after these options, with the file of `-T`.
    func method(of verb: Method, uploading file: String?) -> Method {
        if let method { return Method(method) }
        let usual: Method = head || get && verb == .head ? .head : get ? .get : verb
        return file != nil && ![.post, .put, .patch].contains(usual) ? .put : usual
    }

    /// Whether a request of a verb takes its body from standard input where no option gives one: not with `-I`, `-G`
    /// and `-T`, nor where `-X` names a method that usually has no body.
    func canTakeInput(with verb: Method) -> Bool {
        guard BodyArguments.methodsWithInput.contains(verb), !head, !get, uploadFiles.isEmpty else { return false }
        let sent = method(of: verb, uploading: nil)
        return !sent.isSafe && sent != .delete
    }

    /// The body of the file of `-T`; nil without one.
    ///
    /// - Parameter content: The body of other options, beside which `-T` is refused.
    func upload(_ file: String?, beside content: BodyArguments.Content?) throws(CommandFailure) -> Body? {
        guard let file else { return nil }
        guard content == nil else {
            throw CommandFailure(.usage, "A request has one body: give -T without -d, --json and the like.")
        }
        return try InputArgument(path: file == "." ? "-" : file).body(for: "--upload-file", isStreamed: true)
    }

    /// The fields of these options, which `-H` replaces.
    var fields: [FieldArgument] {
        range.map { [FieldArgument(name: .range, value: MethodArguments.field(of: $0))] } ?? []
    }

    /// The value of the field Range for an argument of `--range`. A number alone is the first byte of a range to the
    /// end, as for curl.
    static func field(of range: String) -> String {
        let digits = range.prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty || range.contains("-") ? "bytes=\(range)" : "bytes=\(digits)-"
    }

    /// What these options add to the query, behind other data. Reads files; blocks.
    func parameters(after data: [UInt8]) throws(CommandFailure) -> [String] {
        var parameters = data.isEmpty ? [] : [String(decoding: data, as: UTF8.self)]
        for parameter in urlQuery { parameters.append(try FormData.query(parameter)) }
        return parameters
    }

    /// The URL with the name of the file of `-T` and these parameters, before a fragment.
    func url(of target: CurlTarget, adding parameters: [String]) -> String {
        let url = CurlURL.adding(parameters, to: target.url)
        return target.upload.map { CurlURL.forUpload(of: $0, to: url) } ?? url
    }
}
