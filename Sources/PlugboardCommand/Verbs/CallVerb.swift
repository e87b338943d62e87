import ArgumentParser
import Plugboard
import PlugboardEndpoints

struct CallVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", _superCommandName: Program.name,
        abstract: "Sends a request by the name of its definition.",
        discussion: """
            The definitions are those of the configuration's section endpoints, or of
            --openapi: an operation of an OpenAPI document is called by its operationId.
            Values have the types that the definition names. A list is given by repeating
            its parameter, an object by brackets: filter[role]=admin.

              key=text    a value          key=@FILE   the text of a file
              key:=JSON   a value in JSON  key:=@FILE  the JSON of a file

            A parameter whose type is file takes a path: image=cat.png.

            EXAMPLES:
              plugboard call TopicList board=swift page=2 --config plugboard.json
              plugboard call createTopic title=Hello tags=a tags=b --openapi api.json
              plugboard call getOrder order=17 --openapi api.json --credential key=@key.txt
            """)

    @Argument(
        help: ArgumentHelp("The name of the definition.", valueName: "name"), completion: DefinitionCompletion.names)
    var name: String
    @Argument(help: ArgumentHelp("Parameters.", valueName: "key=value"), completion: DefinitionCompletion.parameters)
    var parameters: [String] = []
    @OptionGroup(title: "Definitions") var definitions: DefinitionArguments
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The whole body instead of parameters: a text, @FILE, or - for standard input.", valueName: "data"))
    var body: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A credential for a security scheme of the OpenAPI document: a token, a key, or user:password; @FILE is the text "
                + "of a file. Enables the plugin authentication.", valueName: "scheme=value"))
    var credential: [String] = []
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    func run() async throws {
        var configuration = try arguments.configuration(isDry: output.isDry)
        if !credential.isEmpty { try configuration.switchOn("authentication", for: "--credential") }
        let read = configuration
        let curlBody = body.flatMap { PrintedCurlBody(of: InputArgument($0)) }
        var transfers = TransferRun()
        // The URL is that of the definition.
        let group = try output.group(for: [""], isLiteral: true)
        _ = try await Sending(arguments: arguments, output: output).run(configuration, group, &transfers) { kernel in
            let definitions = try await definitions.definitions(read, try arguments.connection.options()) { kernel }
            if definitions.isEmpty {
                throw CommandFailure(
                    .usage,
                    "There are no definitions: give --openapi FILE, or a configuration with the section endpoints.")
            }
            let definition = try definitions.definition(name)
            var settings = ClientSettings(base: read.kernel.baseURL)
            settings.definitions = definitions
            settings.credentials = try CredentialArgument.credentials(credential, of: definitions)
            if definition.base == nil, settings.base == nil {
                throw CommandFailure(
                    .url,
                    "\(Printable.text(name)) has no server. Give --server URL, or a configuration with kernel.baseURL.")
            }
            if definition.isDeprecated { StandardError.warn("\(Printable.text(name)) is deprecated") }
            let given = try ParameterArgument.parameters(parameters, of: definition)
            let client = Client(kernel: kernel, settings: settings)
            let request = try await client.request(
                for: client.endpoint(name, Parameters(given), body: try wholeBody(of: definition)))
            let complete = try arguments.complete(request)
            warnOfMissingCredential(definition, complete, settings.credentials, read)
            return Sending.Requests(jar: complete.attributes[CookieArguments.jarAttribute]) { _ in (complete, curlBody)
            }
        }
        try transfers.end()
    }

    /// Warns of a request that its definition says needs a credential, and that has none.
    private func warnOfMissingCredential(
        _ definition: Definition, _ request: Request, _ given: [String: DefinedCredential],
        _ configuration: Configuration
    ) {
        let entries = definition.security.filter { !$0.isEmpty }
        guard definition.needsAuthorization == true, !entries.isEmpty, request.fields[.authorization] == nil,
            !configuration.authenticates(request)
        else { return }
        let isGiven = entries.contains { entry in
            entry.allSatisfy { scheme in
                if case .key(.header, let name) = scheme.kind, request.fields[FieldName(name)] != nil { return true }
                return given[scheme.name] != nil
            }
        }
        if isGiven { return }
        let names = entries.map { $0.map { Printable.text($0.name) }.joined(separator: " and ") }
        StandardError.warn(
            "\(Printable.text(name)) needs a credential and is sent without one; give --credential SCHEME=VALUE for "
                + names.joined(separator: ", or "))
    }

    private func wholeBody(of definition: Definition) throws -> EndpointBody? {
        guard let body else { return nil }
        let type = definition.body?.contentType ?? "application/octet-stream"
        return .body(try InputArgument(body).body(for: "--body", isStreamed: true), type: type)
    }
}

extension Configuration {
    /// Whether the plugin authentication has a credential for a request: its own, or that of its origin.
    fileprivate func authenticates(_ request: Request) -> Bool {
        guard plugins.contains(where: { $0.id == "authentication" && $0.isEnabled }) else { return false }
        let origin = Origin(url: request.url).flatMap { origins[$0] }
        return request.authentication.scheme != nil || origin?["authentication.scheme"] != nil
    }
}
