import ArgumentParser
import PlugboardKit

struct DeleteVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes what is at a URL.",
        discussion: """
            EXAMPLES:
              plugboard delete https://example.com/topics/1 --fail
            """)

    @OptionGroup var words: RequestWords

    var method: Method { .delete }
}
