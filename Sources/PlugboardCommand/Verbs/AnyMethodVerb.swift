import ArgumentParser
import PlugboardKit

struct AnyMethodVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "request", _superCommandName: Program.name, abstract: "Sends a request with any method.",
        discussion: """
            The method is sent as it is written: case matters (RFC 9110 §9.1).

            EXAMPLES:
              plugboard request OPTIONS https://example.com/
              plugboard request PROPFIND https://example.com/files -H 'Depth: 1'
            """)

    @Argument(help: ArgumentHelp("Such as OPTIONS.", valueName: "method")) var name: String
    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { Method(name) }
}
