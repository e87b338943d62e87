import ArgumentParser
import PlugboardKit

struct HeadVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Gets the head of a response.",
        discussion: """
            EXAMPLES:
              plugboard head https://example.com/
              plugboard head https://example.com/ --timing
            """)

    @OptionGroup var words: RequestWords

    var method: Method { .head }
}
