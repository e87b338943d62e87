import ArgumentParser
import PlugboardKit

/// A verb that sends one request and writes the response's body.
protocol RequestVerb: AsyncParsableCommand {
    var method: Method { get }
    var url: String { get }
    var methods: MethodArguments { get }
    var body: BodyArguments { get }
    var arguments: RequestArguments { get }
    var output: OutputArguments { get }
}

extension ArgumentHelp {
    static let url = ArgumentHelp(
        "An http or https URL; without a scheme, http. /path and ./path begin at kernel.baseURL.",
        valueName: "url")
}

extension RequestVerb {
    func run() async throws {
        try await Sending(arguments: arguments, output: output).run(method, url, methods, body)
    }
}
