import ArgumentParser
import PlugboardKit

struct HeadVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Asks for the head of an answer and writes it.",
        discussion: """
            EXAMPLES:
              plugboard head https://example.com/
              plugboard head https://example.com/ --timing
            """)

    @Argument(help: ArgumentHelp("An absolute http or https URL.", valueName: "url")) var url: String
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .head }
}
