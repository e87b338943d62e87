import ArgumentParser
import PlugboardKit

struct PostVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "post", _superCommandName: Program.name, abstract: "Posts a body.",
        discussion: """
            The data of request items is the body: an object in JSON, a form with
            --as-form, a form in parts where there are files. name[key]=value and
            name[]=value are nested, and a backslash makes one of :;=@[] part of a name.

            EXAMPLES:
              plugboard post https://example.com/topics title=Swift tags:='["a"]' q==1
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
