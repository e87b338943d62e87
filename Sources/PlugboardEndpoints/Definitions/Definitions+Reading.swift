import PlugboardCodecs
import PlugboardConfiguration
import PlugboardCore
public import PlugboardJSON
import PlugboardSystem

extension Definitions {
    /// The section of a configuration that holds definitions.
    public static let section = "endpoints"

    /// The result of reading: definitions, or errors.
    public struct Check: Sendable {
        /// Nil if there are errors.
        public let definitions: Definitions?
        /// The errors in the order of the text, at most the first hundred.
        public let errors: [ConfigurationError]

        func throwing() throws(PlugboardError) -> Definitions {
            guard let definitions else { throw PlugboardError(errors) }
            return definitions
        }
    }

    /// Reads a JSON value that was made in code or from a property list. `server` is for an OpenAPI document.
    ///
    /// - Throws: One error of the code `configuration` that lists all errors.
    public init(_ value: JSONValue, server: ServerChoice = ServerChoice()) throws(PlugboardError) {
        self = try Definitions.check(value, nil, server).throwing()
    }

    /// Reads a file: definitions in JSON, with comments and trailing commas, or an OpenAPI document. Blocks.
    ///
    /// Relative paths in definitions are relative to the file's folder.
    ///
    /// - Parameter formats: Formats other than JSON for the file and the files that it refers to, chosen by file name.
    /// - Throws: One error of the code `configuration` that lists all errors.
    public static func file(
        _ path: String, server: ServerChoice = ServerChoice(), formats: [DocumentFormat] = []
    ) throws(PlugboardError) -> Definitions {
        try check(file: path, server: server, formats: formats).throwing()
    }

    /// Reads a text: definitions in JSON, with comments and trailing commas, or an OpenAPI document.
    ///
    /// - Throws: One error of the code `configuration` that lists all errors.
    public static func text(
        _ text: String, folder: String? = nil, server: ServerChoice = ServerChoice()
    ) throws(PlugboardError) -> Definitions {
        try check(text.utf8, folder: folder, server: server).throwing()
    }

    /// Fetches definitions or an OpenAPI document with a kernel. A relative server of an OpenAPI document is relative
    /// to the URL. Fetched definitions must not name local files, as `downloadPath` or as default of a file parameter.
    ///
    /// - Parameter requestOptions: Options of the request that fetches, such as its proxy.
    /// - Throws: Errors of the request, `response.status` for any status except 200, and one error of the code
    ///   `configuration` that lists all errors of the text.
    public nonisolated(nonsending) static func url(
        _ url: String, by sender: some RequestSender, server: ServerChoice = ServerChoice(),
        formats: [DocumentFormat] = [], requestOptions: RequestOptions = RequestOptions()
    ) async throws(PlugboardError) -> Definitions {
        var request = Request(.get, url)
        request.options = requestOptions
        let types = ["application/json"] + formats.flatMap(\.types).map { "\($0);q=0.9" } + ["*/*;q=0.1"]
        request.fields[.accept] = types.joined(separator: ", ")
        let response = try await sender.send(request)
        guard response.status == 200 else {
            throw PlugboardError(
                .responseStatus,
                "The definitions at \(Printable.url(url)) cannot be fetched: the server responded with status "
                    + "\(response.status).")
        }
        let bytes = try await response.body.collect(upTo: .bytes(options.sizeLimit))
        let format =
            formats.format(ofType: response.fields[.contentType])
            ?? formats.format(ofFile: URLParts(url).map { String($0.path) } ?? url)
        var definitions = try bytes.withUnsafeBytes { Array($0) }
            .checked(at: Printable.url(url), server, format: format).throwing()
        for definition in definitions.all where definition.namesFiles {
            throw PlugboardError(
                .configuration,
                "The definition \(Printable.text(definition.name)) at \(Printable.url(url)) names a file of this system. "
                    + "Remove downloadPath and the defaults of file parameters, or read the definitions from a file.")
        }
        for name in definitions.names {
            guard var definition = definitions[name], definition.base == nil else { continue }
            definition.base = URLParts.resolve("/", against: response.url.isEmpty ? url : response.url)
            definitions.addRead(definition)
        }
        return definitions
    }

    /// Reads the section `endpoints` of a configuration that was read with this section registered:
    /// `Configuration.file(path, sections: [Definitions.section])`. There are no definitions without the section.
    ///
    /// - Throws: One error of the code `configuration` that lists all errors.
    public init(_ configuration: Configuration) throws(PlugboardError) {
        self = try Definitions.check(configuration).throwing()
    }

    /// Reads the definitions of a configuration as `init(_:)` does, but returns the errors.
    public static func check(_ configuration: Configuration) -> Check {
        guard let value = configuration.sections[section] else { return Check(definitions: Definitions(), errors: []) }
        return check(
            ConfigurationNode(value: value, path: [.key(section)]), configuration.source, folder: configuration.folder,
            ServerChoice())
    }

    /// Reads a file as `file` does, but returns the errors.
    public static func check(
        file path: String, server: ServerChoice = ServerChoice(), formats: [DocumentFormat] = []
    ) -> Check {
        switch SmallFile.bytes(of: path, limit: options.sizeLimit) {
        case .success(let bytes):
            bytes.checked(
                at: path, folder: SmallFile.folder(of: path), server, format: formats.format(ofFile: path),
                formats)
        case .failure(let cause): Check(whole: cause.reason, file: path)
        }
    }

    /// Reads a text as `text` does, but returns the errors.
    public static func check(
        _ bytes: some Sequence<UInt8>, folder: String? = nil, server: ServerChoice = ServerChoice()
    ) -> Check {
        Array(bytes.prefix(options.sizeLimit + 1)).checked(at: nil, folder: folder, server)
    }

    /// The JSON Schema of the section `endpoints`, for editors.
    package static let schema: JSONValue = [
        "type": "object", "description": "Definitions of endpoints, by name.",
        "additionalProperties": .object(ConfigurationKey.schema(of: Definition.keys)),
    ]

    /// The JSON Schema of one parameter of a definition.
    package static let parameterSchema = JSONValue.object(ConfigurationKey.schema(of: DefinedParameter.keys))

    fileprivate static let options: JSONParser.Options = {
        var options = JSONParser.configuration
        // The plugin validator has the same limit of documents.
        options.sizeLimit = JSONParser.Options().sizeLimit
        return options
    }()

    fileprivate static let subject = "the definitions"

    fileprivate static func check(
        _ value: JSONValue, _ source: ConfigurationSource?, folder: String? = nil, file: String? = nil,
        _ server: ServerChoice, _ formats: [DocumentFormat] = []
    ) -> Check {
        check(ConfigurationNode(value: value, path: []), source, folder: folder, file: file, server, formats)
    }

    private static func check(
        _ node: ConfigurationNode, _ source: ConfigurationSource?, folder: String?, file: String? = nil,
        _ server: ServerChoice, _ formats: [DocumentFormat] = []
    ) -> Check {
        if OpenAPIReader.isOpenAPI(node.value), node.path.isRoot {
            let result = OpenAPIReader.read(node, source, folder: folder, file: file, server: server, formats)
            guard result.errors.isEmpty else { return Check(definitions: nil, errors: result.errors) }
            var definitions = Definitions(result.definitions)
            definitions.unsupported = result.unsupported
            definitions.defects = result.defects
            definitions.refused = result.refused
            return Check(definitions: definitions, errors: [])
        }
        var reading = ConfigurationReading(folder: folder, source: source)
        let definitions = DefinitionsReader.read(node, &reading)
        let errors = reading.errors.inOrder
        return Check(definitions: errors.isEmpty ? Definitions(definitions) : nil, errors: errors)
    }
}

extension Definitions.Check {
    fileprivate init(whole reason: String, file: String?, position: JSONPosition? = nil) {
        let error = ConfigurationError(
            code: .configuration, file: file, path: "", position: position, reason: reason,
            subject: Definitions.subject)
        self.init(definitions: nil, errors: [error])
    }
}

extension [UInt8] {
    fileprivate func checked(
        at file: String?, folder: String? = nil, _ server: ServerChoice, format: DocumentFormat? = nil,
        _ formats: [DocumentFormat] = []
    ) -> Definitions.Check {
        if let format {
            do throws(PlugboardError) {
                let value = try format.read(self, nil)
                let source = ConfigurationSource(file: file, positions: nil, subject: Definitions.subject)
                return Definitions.check(value, source, folder: folder, file: file, server, formats)
            } catch {
                return Definitions.Check(whole: "cannot be read: \(error.reason)", file: file)
            }
        }
        do throws(JSONError) {
            let (value, positions) = try JSONParser.parseWithPositions(self, options: Definitions.options)
            let source = ConfigurationSource(file: file, positions: positions, subject: Definitions.subject)
            return Definitions.check(value, source, folder: folder, file: file, server, formats)
        } catch {
            if let check = checkedWithDuplicates(error, at: file, folder: folder, server, formats) { return check }
            let isYAML = starts(with: "openapi:".utf8) || starts(with: "swagger:".utf8) || starts(with: "---".utf8)
            let help =
                isYAML
                ? "; it seems to be YAML, which is read with formats: [.yaml] of PlugboardYAML, from a file that ends with .yaml"
                : ""
            return Definitions.Check(
                whole: "cannot be read: \(error.reason)\(help)", file: file, position: error.position)
        }
    }
}

extension [UInt8] {
    /// Like `checked`, for an OpenAPI document with duplicate keys, which are a defect; nil for any other text.
    private func checkedWithDuplicates(
        _ error: JSONError, at file: String?, folder: String?, _ server: ServerChoice, _ formats: [DocumentFormat]
    ) -> Definitions.Check? {
        var options = Definitions.options
        options.duplicateKeys = .lastWins
        guard let (value, positions) = try? JSONParser.parseWithPositions(self, options: options),
            OpenAPIReader.isOpenAPI(value)
        else { return nil }
        let source = ConfigurationSource(file: file, positions: positions, subject: Definitions.subject)
        let check = Definitions.check(value, source, folder: folder, file: file, server, formats)
        guard var definitions = check.definitions else { return check }
        let defect = ConfigurationError(
            code: .configuration, file: file, path: "", position: error.position,
            reason: "have duplicate keys, of which the last is used: \(error.reason)", subject: Definitions.subject)
        definitions.defects.insert(defect, at: 0)
        return Definitions.Check(definitions: definitions, errors: [])
    }
}

extension Definition {
    /// Whether a call reads or writes a file that the caller did not name.
    fileprivate var namesFiles: Bool {
        downloadPath != nil
            || parameters.contains { $0.fallback != nil && ($0.kind == .file || $0.elementKind == .file) }
    }
}
