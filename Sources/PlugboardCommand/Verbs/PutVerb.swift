import ArgumentParser
import PlugboardKit

struct PutVerb: RequestVerb {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Puts a body at a URL.",
        discussion: """
            EXAMPLES:
              plugboard put https://example.com/notes/1 --data-binary @note.txt
              tar c . | plugboard put https://example.com/backup.tar --data-binary -
            """)

    @OptionGroup var words: RequestWords

    var method: Method { .put }
}
