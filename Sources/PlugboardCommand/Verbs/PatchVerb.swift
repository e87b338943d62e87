import ArgumentParser
import PlugboardKit

struct PatchVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "patch", abstract: "Sends PATCH with a body.",
        discussion: """
            EXAMPLES:
              plugboard patch https://example.com/topics/1 --json '{"title": "Linux"}'
            """)

    @OptionGroup var words: RequestWords

    var method: Method { .patch }
}
