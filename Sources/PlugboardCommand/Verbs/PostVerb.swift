import ArgumentParser
import PlugboardKit

struct PostVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Posts a body.",
        discussion: """
            EXAMPLES:
              plugboard post https://example.com/topics --json '{"title": "Swift"}'
              plugboard post https://example.com/login -d user=me -d @password.txt
              plugboard post https://example.com/photos --form of=Lake --form it=@lake.jpg
            """)

    @Argument(help: .url) var url: String
    @OptionGroup(title: "Method and query") var methods: MethodArguments
    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup var arguments: RequestArguments
    @OptionGroup(title: "Output") var output: OutputArguments

    var method: Method { .post }
}
