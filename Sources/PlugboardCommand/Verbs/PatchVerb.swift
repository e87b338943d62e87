import ArgumentParser
import PlugboardKit

struct PatchVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "patch", _superCommandName: Program.name, abstract: "Sends PATCH with a body.",
        discussion: """
            EXAMPLES:
              plugboard patch https://example.com/topics/1 --json '{"title": "Linux"}'
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .patch }
}
