import Foundation
import TestSupport
import Testing

/// The references, made by the commands of the pages that show them.
@Suite(.enabled(if: Repository.hasDocC, "there is no docc"))
struct ReferenceTests {
    /// How its commands begin.
    static let commands = ["mkdir -p .build/", "swift-symbolgraph-extract ", "docc convert "]

    @Test(arguments: [
        ("PlugboardKit", Pages.guide, "HookByHook"), ("Plugboard", "Documentation/building.md", "SendingRequests"),
    ])
    func `a reference is made without a link that leads nowhere, and each public type has a topic`(
        module: String, page: String, article: String
    ) async throws {
        let folder = try TemporaryFolder("reference")
        defer { folder.remove() }
        let commands = try Document(page).commands.filter { command in Self.commands.contains { command.hasPrefix($0) }
        }

        var printed = ""
        for command in commands {
            // The build's own folder, wherever the tests were built to.
            let line = command.replacing(".build/debug", with: Products.folder)
                .replacing(" .build/", with: " \(folder.path)/")
            let outcome = try await ProcessRunner.running(["/bin/sh", "-c", line], folder: Repository.root)
            #expect(outcome.status == 0, "\(command): \(outcome.stderr)")
            printed += outcome.stdout + outcome.stderr
        }

        #expect(commands.count == Self.commands.count)
        #expect(!printed.contains("doesn't exist at"))
        #expect(!printed.contains("Article '"))
        let landing = try folder.read("\(module).doccarchive/data/documentation/\(module.lowercased()).json")
        #expect(String(decoding: landing, as: UTF8.self).contains(article))
        #expect(try ReferenceTests.symbols(of: module, in: folder).subtracting(ReferenceTests.topics(of: module)) == [])
    }

    /// The public types and functions that the reference has.
    private static func symbols(of module: String, in folder: TemporaryFolder) throws -> Set<String> {
        struct Graph: Decodable {
            struct Symbol: Decodable { let pathComponents: [String] }
            let symbols: [Symbol]
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let file = try #require(files.first { $0.hasSuffix("/\(module).symbols.json") })
        let graph = try JSONDecoder().decode(Graph.self, from: Data(folder.read(file)))
        let names = graph.symbols.filter { $0.pathComponents.count == 1 }.map { $0.pathComponents[0] }
        #expect(names.count > 50)
        return Set(names)
    }

    /// What the topics of a reference name.
    private static func topics(of module: String) throws -> Set<String> {
        let page = try Document("Sources/\(module)/\(module).docc/\(module).md")
        return Set(page.lines.filter { $0.hasPrefix("- ``") }.map { String($0.dropFirst(4).dropLast(2)) })
    }
}

extension Repository {
    /// Whether the toolchain makes references.
    static let hasDocC = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        exists("\($0)/docc")
    }
}
