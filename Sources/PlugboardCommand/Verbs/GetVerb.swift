import ArgumentParser
import PlugboardKit

struct GetVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Gets what is at a URL.",
        discussion: """
            EXAMPLES:
              plugboard get https://example.com/ -o page.html
              plugboard get https://example.com/topics -H 'Accept: text/plain' --fail
              plugboard get https://example.com/search q=='two words' Accept:text/plain
              plugboard get https://example.com/feed -L --print-curl
            """)

    @OptionGroup var words: RequestWords

    var method: Method { .get }
}
