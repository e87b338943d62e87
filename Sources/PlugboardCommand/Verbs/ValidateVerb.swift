import ArgumentParser
import PlugboardJSON
import PlugboardJSONSchema

struct ValidateVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Checks JSON documents against a JSON Schema.",
        discussion: """
            Ends with status 0 if all documents are valid, with 1 if one is not, with 2 if
            the schema cannot be used, and with 26 if a file cannot be read. Errors name
            places and rules, never the data.

            EXAMPLES:
              plugboard validate --schema user.json one.json two.json
              plugboard get https://api.example.com/users/1 \\
                | plugboard validate --schema user.json --output detailed -
            """)

    @Option(help: ArgumentHelp("The file of the schema.", valueName: "file")) var schema: String
    @Option(help: ArgumentHelp("A document that the schema refers to, by its URI.", valueName: "uri=file"))
    var document: [String] = []
    @Option(help: ArgumentHelp("The draft of a schema without $schema.", valueName: "draft"))
    var draft = SchemaDraft.draft2020.rawValue
    @Flag(help: "Also checks format.") var formats = false
    @Option(
        help: ArgumentHelp("flag, basic or detailed: writes the result as JSON, one line each.", valueName: "format"))
    var output: String?
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
        var isValid = true
        for instance in instances {
            let bytes: [UInt8]
            if instance == "-" {
                try StandardInput.claim(for: "-")
                bytes = try FileContents.ofStandardInput()
            } else {
                bytes = try FileContents.bytes(of: instance)
            }
            if try !check(bytes, instance, schema) { isValid = false }
        }
        if !isValid { throw CommandFailure(.failure, nil) }
    }

    private func compiled() throws -> JSONSchema {
        var options = JSONSchema.Options()
        if let draft = SchemaDraft(rawValue: draft) { options.draft = draft }
        if formats { options.formats = true }
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

    /// Writes the result of one document. Returns whether it is valid.
    private func check(_ bytes: [UInt8], _ name: String, _ schema: JSONSchema) throws -> Bool {
        let result: ValidationResult
        do throws(JSONDocumentError) {
            result = schema.validate(try JSONDocument(bytes))
        } catch {
            StandardError.write("\(name): not valid JSON: \(error.description).\n")
            return false
        }
        if let format = output.flatMap({ ValidationResult.Output(rawValue: $0) }) {
            var line: JSONObject = ["instance": .string(name)]
            for (key, value) in result.json(format).objectValue ?? [:] { line[key] = value }
            try ByteOutput.standard.write("\(JSONWriter.write(.object(line)) as String)\n")
        } else if result.isValid {
            try ByteOutput.standard.write("\(name): valid\n")
        } else {
            for error in result.leaves { StandardError.write("\(name): \(error.description)\n") }
        }
        return result.isValid
    }
}
