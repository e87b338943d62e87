import ArgumentParser
import PlugboardKit

struct DeleteVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "delete", _superCommandName: Program.name, abstract: "Deletes what is at a URL.",
        discussion: """
            EXAMPLES:
              plugboard delete https://example.com/topics/1 --fail
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .delete }
}
