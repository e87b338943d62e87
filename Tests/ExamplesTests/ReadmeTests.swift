import Foundation
import TestSupport
import Testing

struct ReadmeTests {
    @Test(arguments: Pages.all + Pages.articles)
    func `every block of code is the text of a file that the tests compile, load or read`(page: String) throws {
        let blocks = try Document(page).blocks.filter { $0.language != "sh" }

        for block in blocks {
            let file = try Repository.text(block.file)
            let isTrue = block.isPart ? "\n\(file)".contains("\n\(block.text)") : block.text == file
            #expect(isTrue && !block.text.isEmpty, "\(page) shows another \(block.file) than there is")
        }
    }

    @Test func `code that is shown is compiled, as a part of a target or by a test`() async throws {
        let blocks = try (Pages.all + Pages.articles).flatMap { try Document($0).blocks }
        let files = Set(blocks.filter { ["swift", "c"].contains($0.language) }.map(\.file))
        // The first is this one; the script builds the second before the tests; the others have targets of the first.
        let packages = ["", "Examples/UserAgent", "Examples/Program", "Examples/Slim"]
        let stamp = try Document(Pages.guide).commands.filter { $0.hasPrefix("cc ") }
            .flatMap { $0.split(separator: " ").map(String.init) }
        let inC = stamp + CookbookCTests.sources.map { "Examples/Cookbook/C/\($0)" }

        let compiled = try await CompiledFiles(of: packages, and: inC)

        let inOthers = Set(blocks.filter { ["cpp", "rust"].contains($0.language) }.map(\.file))
        let built = CookbookScenarioTests.rows.map { "\($0.language.folder)/\($0.plugin).\($0.language.suffix)" }
        #expect(inOthers.filter { !built.contains($0) && !($0.hasSuffix(".rs") && !CookbookLanguage.hasRust) } == [])
        #expect(files.count > 10)
        #expect(files.filter { !compiled.contains($0) } == [])
    }

    @Test(arguments: Pages.everywhere)
    func `every link leads to a file or a folder`(page: String) throws {
        let folder = URL(fileURLWithPath: "\(Repository.root)/\(page)").deletingLastPathComponent()
        let links = try Document(page).links

        #expect(!links.isEmpty || !Pages.all.contains(page))
        for link in links { #expect(Repository.exists(folder.appendingPathComponent(link).path), "\(link)") }
    }

    @Test(arguments: Pages.everywhere) func `every link to a heading leads to one`(page: String) throws {
        let folder = URL(fileURLWithPath: "\(Repository.root)/\(page)").deletingLastPathComponent()

        for (file, anchor) in try Document(page).anchors where file.isEmpty || file.hasSuffix(".md") {
            let path = file.isEmpty ? page : folder.appendingPathComponent(file).standardizedFileURL.path
            let root = "\(Repository.root)/"
            let target = try Document(path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path)
            #expect(target.headings.contains(anchor), "\(file)#\(anchor)")
        }
    }

    @Test(arguments: Pages.ofReaders) func `the commands of a page do what they say`(page: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello\n") }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        _ = try await Repository.buildStamp(in: folder)
        try folder.write("plugboard.json", Repository.text("Examples/plugboard.json"))
        try folder.write("endpoints.json", Repository.text("Examples/endpoints.json"))
        let requests = try Repository.text("Examples/Exec/requests.jsonl")
        try folder.write("requests.jsonl", requests.replacing("http://127.0.0.1:8080", with: server.url("")))
        let commands = try Document(page).commands.filter { $0.hasPrefix("plugboard ") }
        let program = try Products.executable("plugboard")

        for command in commands {
            let line = command.replacing("https://example.com/", with: server.url())
                .replacing("plugboard ", with: "'\(program)' ", maxReplacements: 1)
            let outcome = try await ProcessRunner.running(["/bin/sh", "-c", line], folder: folder.path)
            #expect(outcome.status == 0, "\(command): \(outcome.stderr)")
            #expect(!command.contains(" get ") || outcome.stdout == "hello\n")
        }

        #expect(page != Pages.readme || commands.count == 5)
        #expect(page != Pages.readme || server.requests.first?["x-stamp"] == "100")
    }

    @Test func `commands that build or check are those that the scripts run`() throws {
        let scripts = try Repository.text("Tests/run").replacing(/\\\n\s*/, with: "")
            // The script builds a copy of the package, which it changes afterwards.
            .replacing("\"$package\"", with: "Examples/UserAgent")
        let commands = try Pages.all.flatMap { try Document($0).commands }
            .filter { command in !["plugboard ", "cc "].contains { command.hasPrefix($0) } }

        #expect(!commands.isEmpty)
        for command in commands {
            let isScript = FileManager.default.isExecutableFile(atPath: "\(Repository.root)/\(command)")
            #expect(isScript || scripts.contains(command), "nothing runs `\(command)`")
        }
    }

    @Test func `the Swift Package Index builds the reference of each module that has a public interface`() throws {
        let listed = try Repository.text(".spi.yml").matches(of: /- (Plug\w+)/).map { String($0.output.1) }
        let interfaces = try FileManager.default.contentsOfDirectory(
            atPath: "\(Repository.root)/Documentation/interface")

        #expect(listed.sorted() == interfaces.map { String($0.prefix { $0 != "." }) }.sorted())
    }
}
