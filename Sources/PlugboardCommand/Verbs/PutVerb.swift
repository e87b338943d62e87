import ArgumentParser
import PlugboardKit

struct PutVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "put", _superCommandName: Program.name, abstract: "Puts a body at a URL.",
        discussion: """
            EXAMPLES:
              plugboard put https://example.com/notes/1 -T note.txt
              tar c . | plugboard put https://example.com/backup.tar -T -
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .put }
}
