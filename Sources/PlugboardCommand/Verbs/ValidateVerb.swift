import ArgumentParser
import PlugboardJSON
import PlugboardJSONSchema
import PlugboardMessages

struct ValidateVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Checks JSON documents against a JSON Schema.",
        discussion: """
            Ends with status 0 if all documents are valid, with 1 if one is not, with 2 if
            the schema cannot be used, with 26 if a file cannot be read, and with 108 if a
            limit was reached before a document could be judged; the others are checked all
            the same. Of several, the first of 26, 1 and 108 counts. Errors name places and
            rules, and the data only with --show-values.

            With --output flag, and beyond 64 MiB, a document is checked while it is read,
            up to the first error, and is not kept in memory.

            EXAMPLES:
              plugboard validate --schema user.json one.json two.json
              plugboard get https://api.example.com/users/1 \\
                | plugboard validate --schema user.json --output detailed -
            """)

    @Option(help: ArgumentHelp("The file of the schema.", valueName: "file"), completion: .file()) var schema: String
    @Option(help: ArgumentHelp("A document that the schema refers to, by its URI.", valueName: "uri=file"))
    var document: [String] = []
    @Option(help: ArgumentHelp("The draft of a schema without $schema.", valueName: "draft"))
    var draft = SchemaDraft.draft2020.rawValue
    @Flag(help: "Also checks format.") var formats = false
    @Flag(help: "Does not check contentEncoding and contentMediaType, which draft 7 asserts.") var noContents = false
    @Option(
        help: ArgumentHelp("flag, basic or detailed: writes the result as JSON, one line each.", valueName: "format"))
    var output: String?
    @Flag(help: "Errors also quote the value, up to 256 bytes of it.") var showValues = false
    @Argument(help: ArgumentHelp("The documents; - is standard input.", valueName: "instance")) var instances: [String]

    func validate() throws {
        guard SchemaDraft(rawValue: draft) != nil else {
            let known = SchemaDraft.allCases.map(\.rawValue).joined(separator: ", ")
            throw ArgumentParser.ValidationError("--draft must be one of \(known).")
        }
        guard output.map({ ValidationResult.Output(rawValue: $0) != nil }) ?? true else {
            throw ArgumentParser.ValidationError("--output must be flag, basic or detailed.")
        }
        guard !instances.isEmpty else { throw ArgumentParser.ValidationError("Give a document to check.") }
    }

    func run() throws {
        let schema = try compiled()
        for instance in instances where instance == "-" { try StandardInput.claim(for: "-") }
        var isValid = true
        var isDecided = true
        var isReadable = true
        for instance in instances {
            var checking = DocumentChecking(
                schema, valueLimit: showValues ? 256 : 0, streams: output == ValidationResult.Output.flag.rawValue)
            do throws(CommandFailure) {
                if instance == "-" {
                    try FileContents.readStandardInput { checking.take($0) }
                } else {
                    try FileContents.read(instance) { checking.take($0) }
                }
            } catch {
                isReadable = false
                try fail(instance, error.message ?? "it cannot be read", prefix: nil)
                continue
            }
            switch try write(checking.finish(), instance) {
            case .valid: break
            case .invalid: isValid = false
            case .undecided: isDecided = false
            }
        }
        if !isReadable { throw CommandFailure(.read, nil) }
        if !isValid { throw CommandFailure(.failure, nil) }
        if !isDecided { throw CommandFailure(.undecided, nil) }
    }

    /// Writes why a document cannot be checked; with an output format, as its line of JSON, too.
    private func fail(_ name: String, _ reason: String, prefix: String?) throws {
        StandardError.write("\(prefix ?? "")\(Printable.text(reason))\n")
        guard let format = output else { return }
        var line: JSONObject = ["instance": .string(name), "valid": false]
        if format != ValidationResult.Output.flag.rawValue {
            line["errors"] = [
                ["valid": false, "instanceLocation": "", "keywordLocation": "", "error": .string(reason)]
            ]
        }
        try ByteOutput.standard.write("\(JSONWriter.write(.object(line)) as String)\n")
    }

    private func compiled() throws -> JSONSchema {
        var options = JSONSchema.Options()
        if let draft = SchemaDraft(rawValue: draft) { options.draft = draft }
        if formats { options.formats = true }
        if noContents { options.contents = false }
        var registry = SchemaRegistry()
        for text in document {
            guard let equals = text.lastIndex(of: "=") else {
                throw CommandFailure(.usage, "--document \(text) must be URI=FILE.")
            }
            registry.add(try json(String(text[text.index(after: equals)...])), uri: String(text[..<equals]))
        }
        let value = try json(schema)
        do throws(SchemaError) {
            return try JSONSchema(value, options: options, registry: registry)
        } catch {
            throw CommandFailure(.usage, "\(schema): the schema cannot be used. \(error.description)")
        }
    }

    private func json(_ path: String) throws -> JSONValue {
        let bytes = try FileContents.bytes(of: path)
        do throws(JSONError) {
            return try JSONParser.parse(bytes)
        } catch {
            throw CommandFailure(.usage, "\(path) is not valid JSON: \(error.description).")
        }
    }

    private enum Judgement { case valid, invalid, undecided }

    /// Writes the result of one document.
    private func write(_ outcome: Result<ValidationResult, JSONDocumentError>, _ name: String) throws -> Judgement {
        let result: ValidationResult
        let shown = Printable.text(name)
        do throws(JSONDocumentError) {
            result = try outcome.get()
        } catch {
            let kind = error.isLimit ? "it cannot be judged" : "not valid JSON"
            try fail(name, "\(kind): \(error.description).", prefix: "\(shown): ")
            return error.isLimit ? .undecided : .invalid
        }
        if let format = output.flatMap({ ValidationResult.Output(rawValue: $0) }) {
            var line: JSONObject = ["instance": .string(name)]
            for (key, value) in result.json(format).objectValue ?? [:] { line[key] = value }
            try ByteOutput.standard.write("\(JSONWriter.write(.object(line)) as String)\n")
        } else if result.isValid {
            try ByteOutput.standard.write("\(shown): valid\n")
        } else {
            for error in result.leaves { StandardError.write("\(shown): \(Printable.text(error.description))\n") }
        }
        return result.isLimited ? .undecided : result.isValid ? .valid : .invalid
    }
}
