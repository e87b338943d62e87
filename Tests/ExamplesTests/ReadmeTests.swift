import Foundation
import JSON
import Plugboard
import PluginLoader
import TestSupport
import Testing

struct ReadmeTests {
    private static let pages = ["README.md", "Plugins/README.md", "Documentation/plugins-in-code.md"]
    private static let articles = ["PlugboardKit", "HookByHook", "Bodies", "Waiting", "Testing"].map {
        "Sources/PlugboardKit/PlugboardKit.docc/\($0).md"
    }

    @Test(arguments: pages + articles)
    func `every block of code is the text of a file that the tests compile, load or read`(page: String) throws {
        let blocks = try Document(page).blocks.filter { $0.language != "sh" }

        #expect(!blocks.isEmpty)
        for block in blocks {
            let file = try Repository.text(block.file)
            let isTrue = block.isPart ? "\n\(file)".contains("\n\(block.text)") : block.text == file
            #expect(isTrue && !block.text.isEmpty, "\(page) shows another \(block.file) than there is")
        }
    }

    @Test func `code that is shown is compiled, as a part of a target or by a test`() async throws {
        let blocks = try (ReadmeTests.pages + ReadmeTests.articles).flatMap { try Document($0).blocks }
        let files = Set(blocks.filter { ["swift", "c"].contains($0.language) }.map(\.file))
        // The first is this one; the script builds the second before the tests; the others have targets of the first.
        let packages = ["", "Examples/UserAgent", "Examples/Program", "Examples/Slim"]
        let stamp = try Document("Plugins/README.md").commands.filter { $0.hasPrefix("cc ") }
            .flatMap { $0.split(separator: " ").map(String.init) }
        let inC = stamp + CookbookCTests.sources.map { "Examples/Cookbook/C/\($0)" }

        let compiled = try await CompiledFiles(of: packages, and: inC)

        let inOthers = Set(blocks.filter { ["cpp", "rust"].contains($0.language) }.map(\.file))
        let built = CookbookScenarioTests.rows.map { "\($0.language.folder)/\($0.plugin).\($0.language.suffix)" }
        #expect(inOthers.filter { !built.contains($0) && !($0.hasSuffix(".rs") && !CookbookLanguage.hasRust) } == [])
        #expect(files.count > 10)
        #expect(files.filter { !compiled.contains($0) } == [])
    }

    @Test(arguments: pages)
    func `every link leads to a file or a folder`(page: String) throws {
        let folder = URL(fileURLWithPath: "\(Repository.root)/\(page)").deletingLastPathComponent()
        let links = try Document(page).links

        #expect(!links.isEmpty)
        for link in links { #expect(Repository.exists(folder.appendingPathComponent(link).path), "\(link)") }
    }

    @Test func `the commands of the README do what they say`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello\n") }
        let folder = try TemporaryFolder()
        _ = try await Repository.buildStamp(in: folder)
        try folder.write("plugboard.json", Repository.text("Examples/plugboard.json"))
        let commands = try Document("README.md").commands.filter { $0.hasPrefix("plugboard ") }
        let program = try Products.executable("plugboard")

        var outputs: [String] = []
        for command in commands {
            let line = command.replacing("https://example.com/", with: server.url())
                .replacing("plugboard ", with: "'\(program)' ", maxReplacements: 1)
            let outcome = try await ProcessRunner.running(["/bin/sh", "-c", line], folder: folder.path)
            #expect(outcome.status == 0, "\(command): \(outcome.stderr)")
            outputs.append(outcome.stdout)
        }

        #expect(outputs.count == 6)
        #expect(outputs.first == "hello\n")
        #expect(server.requests.first?["x-stamp"] == "100")
        #expect(try JSONParser.parse(folder.read("plugboard.schema.json"))["title"] == "Plugboard")
    }

    @Test func `commands that build or check are those that the scripts run`() throws {
        let scripts = try Repository.text("Tests/run").replacing(/\\\n\s*/, with: "")
        let commands = try ReadmeTests.pages.flatMap { try Document($0).commands }
            .filter { command in
                !(["plugboard ", "cc "] + ReferenceTests.commands).contains { command.hasPrefix($0) }
            }

        #expect(!commands.isEmpty)
        for command in commands {
            let isScript = FileManager.default.isExecutableFile(atPath: "\(Repository.root)/\(command)")
            #expect(isScript || scripts.contains(command), "nothing runs `\(command)`")
        }
    }

    @Test func `the tables of keys say what configurations are read with`() throws {
        let schema = ConfigurationSchema.write(.bundled)
        let kernel = try #require(schema["properties"]?["kernel"])
        let plugin = try #require(schema["properties"]?["plugins"]?["items"]?["anyOf"]?.arrayValue?.last)
        let lines = try Document("README.md").lines

        let rows = ReadmeTests.rows(kernel) + ReadmeTests.rows(plugin)

        #expect(rows.count > 30)
        #expect(rows.filter { !lines.contains($0) } == [])
    }

    @Test func `the table of bundled plugins says what they say of themselves`() throws {
        let lines = try Document("README.md").lines
        let descriptors = Catalog.bundled.ids.compactMap { Catalog.bundled.descriptor($0) }

        let starts = descriptors.map { "| `\($0.id)` | \($0.priority) | \($0.documentation) |" }

        #expect(!starts.isEmpty)
        #expect(starts.filter { start in !lines.contains { $0.hasPrefix(start) } } == [])
    }

    /// A row for each key of an object in a schema; those of an object within it under both names.
    private static func rows(_ schema: JSONValue, under prefix: String = "") -> [String] {
        var rows: [String] = []
        for (name, key) in schema["properties"]?.objectValue ?? [:] {
            if key["properties"] != nil {
                rows += self.rows(key, under: "\(prefix)\(name).")
            } else {
                let fallback = key["default"].map { "`\($0.stringValue ?? JSONWriter.write($0))` " } ?? ""
                rows.append("| `\(prefix)\(name)` | \(fallback)| \(key["description"]?.stringValue ?? "") |")
            }
        }
        return rows
    }
}
