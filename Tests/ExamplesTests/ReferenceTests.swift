import Foundation
import TestSupport
import Testing

/// The references that have catalogs. `Tests/reference` without a module makes those of all, and checks its own site.
@Suite(.enabled(if: Repository.hasDocC, "there is no docc"))
struct ReferenceTests {
    /// The modules that have one.
    static let modules = ["Plugboard", "PlugboardKit", "PlugboardEndpoints", "PlugboardDownloads", "PlugboardUploads"]

    @Test(arguments: modules)
    func `a reference is made without a link that leads nowhere, and each public type stands in one topic`(
        module: String
    ) async throws {
        let folder = try TemporaryFolder("reference")
        defer { folder.remove() }

        let outcome = try await ProcessRunner.running(
            ["Tests/reference", module], environment: ["BUILT": Products.folder, "OUTPUT": folder.path],
            folder: Repository.root)

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        let landing = try folder.read("\(module).doccarchive/data/documentation/\(module.lowercased()).json")
        for article in Pages.articles
        where article.hasPrefix("Sources/\(module)/") && !article.hasSuffix("/\(module).md") {
            let name = article.split(separator: "/").last.map { $0.dropLast(3) } ?? ""
            #expect(String(decoding: landing, as: UTF8.self).contains(name))
        }
        let topics = try ReferenceTests.topics(of: module)
        #expect(topics.count == Set(topics).count)
        #expect(try ReferenceTests.symbols(of: module, in: folder).subtracting(topics) == [])
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
        #expect(!names.isEmpty)
        return Set(names)
    }

    /// What the topics of a reference name.
    private static func topics(of module: String) throws -> [String] {
        let page = try Document("Sources/\(module)/\(module).docc/\(module).md")
        return page.lines.filter { $0.hasPrefix("- ``") }.map { String($0.dropFirst(4).dropLast(2)) }
    }
}

extension Repository {
    /// Whether the toolchain makes references.
    static let hasDocC = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        exists("\($0)/docc")
    }
}
