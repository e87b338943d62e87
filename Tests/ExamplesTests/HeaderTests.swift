import Foundation
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

/// What `plugboard.h` promises of itself as a manual.
struct HeaderTests {
    private let lines: [Substring]

    init() throws {
        lines = try Repository.text("SDK/include/plugboard.h").split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `the plugin at its head has at most 25 lines, builds with the command below it, and runs`() async throws
    {
        let code = block(after: "hello.c:")
        let command = try #require(block(after: "To build it").first)
        let folder = try TemporaryFolder("hello")
        defer { folder.remove() }
        try folder.write("hello.c", code.map { "\($0)\n" }.joined())

        try await Repository.output(of: [
            "/bin/sh", "-ec",
            "umask 022; cd '\(folder.path)'; "
                + command.replacing("-O2", with: "-O2 -Wall -Wextra -Werror")
                .replacing("-I SDK", with: "-I '\(Repository.root)'/SDK"),
        ])
        chmod(folder.path, 0o755)
        let bench = try Workbench(file: folder.file("hello.so"), loader: .dynamic)
        _ = try await bench.send(Request(.get, "http://a.test/"))

        #expect(code.count <= 25)
        #expect(bench.transport.requests.map { $0["x-hello"] } == ["world"])
    }

    @Test func `every function that is called across the border has one thread tag, at the end of its comment`() {
        var untagged: [Substring] = []
        var functions = 0
        for (index, line) in lines.enumerated() where line.hasPrefix("    ") && line.contains("(*") {
            functions += 1
            let comment = lines[..<index].reversed().prefix { $0.hasPrefix("    //") }
            let hasTag = comment.first?.contains(/\[(loop|any|start|worker)\]( \[calls back\])?$/) == true
            if !hasTag || comment.dropFirst().contains(where: { $0.contains(/\[(loop|any|start|worker)\]/) }) {
                untagged.append(line)
            }
        }

        #expect(functions > 90)
        #expect(untagged == [])
    }

    @Test func `its lines have at most 120 columns`() {
        #expect(lines.filter { $0.count > 120 } == [])
    }

    /// The indented lines of the head's comment that follow a line which contains the words.
    private func block(after words: String) -> [String] {
        let rest = lines.drop { !$0.contains(words) }.dropFirst().drop { !$0.hasPrefix("//     ") }
        let block = rest.prefix { $0.hasPrefix("//     ") || $0 == "//" }.map { String($0.dropFirst(7)) }
        return block.last == "" ? block.dropLast() : block
    }
}
