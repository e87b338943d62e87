import ArgumentParser
import PlugboardKit

/// A verb that sends one request and writes the response's body.
protocol RequestVerb: AsyncParsableCommand {
    var method: Method { get }
    var words: RequestWords { get }
}

/// What follows such a verb.
struct RequestWords: ParsableArguments {
    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments
}

extension ArgumentHelp {
    static let url = ArgumentHelp(
        "An http or https URL; without a scheme, http. /path and ./path begin at kernel.baseURL.",
        valueName: "url")
}

extension RequestVerb {
    func run() async throws {
        try await Sending(arguments: words.arguments, output: words.output)
            .run(method, words.url, words.methods, words.body)
    }
}
