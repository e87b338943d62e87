import ArgumentParser
import PlugboardKit

struct GetVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "get", _superCommandName: Program.name, abstract: "Gets what is at a URL.",
        discussion: """
            EXAMPLES:
              plugboard get https://example.com/ -o page.html
              plugboard get https://example.com/topics -H 'Accept: text/plain' --fail
              plugboard get https://example.com/search q=='two words' Accept:text/plain
              plugboard get https://example.com/feed -L --print-curl
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .get }
}
