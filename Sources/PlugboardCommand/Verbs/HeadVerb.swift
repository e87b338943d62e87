import ArgumentParser
import PlugboardKit

struct HeadVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "head", _superCommandName: Program.name, abstract: "Gets the head of a response.",
        discussion: """
            EXAMPLES:
              plugboard head https://example.com/
              plugboard head https://example.com/ --timing
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .head }
}
