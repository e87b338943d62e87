import ArgumentParser
import PlugboardCodecs
import PlugboardKit

/// The options for the body of a request, of which at most one kind can be given, and the request items after the URL.
struct BodyArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Form data (application/x-www-form-urlencoded), already encoded; several are joined by &. @FILE is a file "
                + "without its line ends, - standard input. --data-raw takes @ and - as text, and --data-urlencode "
                + "(text, name=text, @FILE, name@FILE) encodes the text.", valueName: "data"))
    var data: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Form data, a file of which is sent unchanged: a text, @FILE, or - for standard input; joined with that of -d "
                + "by &.", valueName: "data"))
    // `OptionWords` makes it --data. The parser has it for help and completions.
    var dataBinary: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "JSON, and asks for a JSON response: a text, @FILE, or - for standard input; several follow one another.",
            valueName: "text"))
    var json: [String] = []
    @Option(
        name: [.customShort("F"), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part of multipart/form-data: name=value, name=@FILE (with its name), name=<FILE (as a text). ;type=TYPE, "
                + ";filename=NAME and ;headers=\"Name: value\" can follow. --form-string takes @, < and ; as text.",
            valueName: "part"))
    var parts: [String] = []
    @Argument(
        help: ArgumentHelp(
            "Further URLs, which begin with http:// or https://, and request items: name=text, name:=JSON (the body, in JSON), name==text (the query), Name:value (a header "
                + "field), name@FILE (a file of a form). Each can take its value from a file, as in name=@FILE.",
            valueName: "item"))
    var words: [String] = []
    @Flag(help: "Sends the data of items as a form instead of JSON.") var asForm = false
    @Flag(help: "Sends the data of items as multipart/form-data, as is done with files.") var multipart = false
    @Flag(help: "Takes no body from standard input.") var ignoreStdin = false

    struct Content {
        let body: Body
        let type: String
        var accept = "*/*"

        /// A copy for another request. A body that can be read only once is shared.
        var copy: Content {
            Content(body: body.source.copy().map { Body($0) } ?? body, type: type, accept: accept)
        }
    }

    func validate() throws {
        let kinds = [!data.isEmpty, !json.isEmpty, !parts.isEmpty]
        guard kinds.count(where: { $0 }) <= 1 else {
            throw ValidationError("A request has one body: give only one of -d, --json and --form.")
        }
        if asForm || multipart, items.isEmpty {
            throw ValidationError("--as-form and --multipart are for request items; -d and --form need neither.")
        }
    }

    /// The further URLs.
    var urls: [String] { words.filter(BodyArguments.isURL) }
    var items: [String] { words.filter { !BodyArguments.isURL($0) } }

    private static func isURL(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    /// The data of `-d` for the query. Throws where another kind of body is given.
    func queryData(beside items: RequestItems) throws -> [UInt8] {
        guard !items.haveData, json.isEmpty, parts.isEmpty else {
            throw CommandFailure(.usage, "--get puts the data of -d into the query, and no other body.")
        }
        return try FormData.joined(data)
    }

    /// - Parameters:
    ///   - items: Those of the command line, whose data is a body too.
    ///   - isRepeated: Whether several requests have this body.
    ///   - isStreamed: Whether a pipe is read only while the body is sent.
    func content(_ items: RequestItems, isRepeated: Bool = false, isStreamed: Bool = false) throws -> Content? {
        if items.haveData {
            guard data.isEmpty, json.isEmpty, parts.isEmpty else {
                throw CommandFailure(
                    .usage, "A request has one body: give items with data, or one of -d, --data-binary, --json, --form."
                )
            }
            return try items.content(isRepeated: isRepeated, isStreamed: isStreamed)
        }
        if !data.isEmpty {
            let body = try binary?.body(for: "--data-binary", isRepeated: isRepeated, isStreamed: isStreamed)
            return Content(
                body: try body ?? .bytes(try FormData.joined(data)), type: "application/x-www-form-urlencoded")
        }
        if !json.isEmpty {
            return Content(
                body: try joinedJSON(isRepeated: isRepeated, isStreamed: isStreamed),
                type: "application/json", accept: "application/json")
        }
        if !parts.isEmpty {
            let form = MultipartForm(try parts.map { try FormPart($0).part(isStreamed: isStreamed) })
            return Content(body: try form.body(), type: form.contentType)
        }
        return nil
    }

    /// The methods of verbs that take a body from standard input where no option gives one, as for HTTPie.
    static let methodsWithInput: [Method] = [.post, .put, .patch]

    /// The body that another program or a file gives: JSON. Nil with `--ignore-stdin`. Blocks.
    func input() throws(CommandFailure) -> Content? {
        guard !ignoreStdin, let bytes = try StandardInput.offered() else { return nil }
        return Content(body: .bytes(bytes), type: "application/json", accept: "application/json")
    }

    /// The data of `--data-binary` without other data, of which a file is read while it is sent. Several are joined in
    /// memory, as curl joins them.
    var binary: InputArgument? {
        guard data.count == 1, case (.binary, let text)? = OptionWords.kind(of: data[0]) else { return nil }
        return InputArgument(text)
    }

    /// The file of one is read while it is sent, too.
    private func joinedJSON(isRepeated: Bool, isStreamed: Bool) throws -> Body {
        if json.count == 1 {
            return try InputArgument(json[0]).body(for: "--json", isRepeated: isRepeated, isStreamed: isStreamed)
        }
        return .bytes(try json.flatMap { try InputArgument($0).bytes(for: "--json") })
    }
}
