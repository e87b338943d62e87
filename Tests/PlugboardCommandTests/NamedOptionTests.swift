import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct NamedOptionTests {
    @Test(arguments: ["get", "post", "request", "curl", "download", "upload", "call", "explain", "exec"])
    func `each option of a verb is in a test`(verb: String) async throws {
        let words = try NamedOptionTests.words()
        let dump = try JSONParser.parse(try await Command.run("--experimental-dump-help").stdout)
        let commands = dump["command"]?["subcommands"]?.arrayValue ?? []
        let command = try #require(commands.first { $0["commandName"]?.stringValue == verb })

        let options = (command["arguments"]?.arrayValue ?? []).map { argument in
            (argument["names"]?.arrayValue ?? []).map { name in
                (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
            }
        }

        #expect(options.filter { !$0.isEmpty && words.isDisjoint(with: $0) } == [])
    }

    /// All words of the tests of the command that could be options.
    private static func words() throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        var words: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            words.formUnion(text.split { !($0.isLetter || $0.isNumber || "-.#".contains($0)) }.map(String.init))
        }
        return words
    }
}
