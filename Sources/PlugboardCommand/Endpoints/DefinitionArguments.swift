import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import PlugboardYAML

/// The options that say where definitions of endpoints are.
struct DefinitionArguments: ParsableArguments {
    @Option(
        name: [.long, .customLong("definitions")],
        help: ArgumentHelp(
            "An OpenAPI document (JSON or YAML), or a file of definitions: a path or a URL. Without it, those of the "
                + "configuration's section endpoints are used.", valueName: "file|url"))
    var openapi: String?
    @Option(
        help: ArgumentHelp(
            "The server: a URL, or the number of a server of the OpenAPI document, from 0.", valueName: "url|number"))
    var server: String?
    @Option(
        name: .customLong("server-variable"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A variable in the URL of the document's server.", valueName: "name=value"))
    var variables: [String] = []
    @Flag(help: "Refuses an OpenAPI document in which anything is wrong; otherwise only operations are left out.")
    var strict = false

    /// The definitions. Those of a URL are fetched by the kernel, with these options.
    func definitions(
        _ configuration: Configuration, _ options: RequestOptions = RequestOptions(), _ kernel: () throws -> Kernel
    ) async throws -> Definitions {
        var definitions: Definitions
        switch openapi {
        case let url? where url.hasPrefix("http://") || url.hasPrefix("https://"):
            definitions = try await .url(
                url, by: try kernel(), server: try choice(), formats: [.yaml], requestOptions: options)
        case let path?: definitions = try .file(path, server: try choice(), formats: [.yaml])
        case nil: definitions = try Definitions(configuration)
        }
        if strict { definitions = try definitions.strict() }
        guard let server, Int(server) == nil else { return definitions }
        for var definition in definitions.all {
            definition.base = server
            definitions.add(definition)
        }
        return definitions
    }

    private func choice() throws(CommandFailure) -> ServerChoice {
        var choice = ServerChoice()
        if let server {
            if let index = Int(server) { choice.index = index } else { choice.url = server }
        }
        for variable in variables {
            guard let equals = variable.firstIndex(of: "=") else {
                throw CommandFailure(.usage, "--server-variable must be name=value.")
            }
            choice.variables[String(variable[..<equals])] = String(variable[variable.index(after: equals)...])
        }
        return choice
    }

    /// Prints what is wrong in the OpenAPI document, and what it says that is ignored.
    static func warn(of definitions: Definitions) {
        for error in definitions.defects + definitions.unsupported { StandardError.warn("\(error)") }
    }
}
