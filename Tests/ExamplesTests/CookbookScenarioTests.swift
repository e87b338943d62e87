import Foundation
import TestSupport
import Testing

/// The scenarios of the cookbook, run by the command, as an author in any language runs them.
@Suite struct CookbookScenarioTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let plugin: String
        let language: CookbookLanguage
        let passed: Int
        var testDescription: String { "\(plugin) in \(language)" }
    }

    static let rows: [Row] = CookbookLanguage.loaded.flatMap { language in
        let own: [(String, Int)] =
            switch language {
            case .c: [("indicator", 2)]
            case .cpp: [("bearer", 1), ("pace", 2), ("flight", 6)]
            default: [("pace", 2)]
            }
        return ([("mask", 3), ("token", 4)] + own).map { Row(plugin: $0, language: language, passed: $1) }
    }

    @Test(arguments: rows) func `a plugin does what its scenarios say`(row: Row) async throws {
        let library = try await CookbookLibraries.shared.library(row.plugin, row.language)

        let outcome = try await ProcessRunner.running(
            [
                Products.executable("plugboard"), "plugins", "test", library,
                "\(Repository.root)/Examples/Cookbook/Scenarios/\(row.plugin).json",
            ])

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        #expect(outcome.stdout.hasSuffix("\n\(row.passed) passed, 0 failed\n"), "\(outcome.stdout)")
    }

    @Test func `a scenario ends, with a detached sub-request that it does not respond to`() async throws {
        let library = try await CookbookLibraries.shared.library("flight", .cpp)
        let folder = try TemporaryFolder("scenario")
        let file = try folder.write(
            "a.json",
            #"{ "scenarios": [{ "name": "n", "steps": [{ "send": { "url": "https://a.test/" }, "sent": {} }] }] }"#)

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "test", library, file], timeout: .seconds(30))

        #expect(outcome.status == 1 && outcome.stdout.contains("no step responds to it"), "\(outcome)")
    }

    @Test(.enabled(if: CookbookLanguage.hasRust, "there is no compiler for Rust"))
    func `the cookbook's plugins in Rust are among those that are tested`() {
        #expect(CookbookScenarioTests.rows.filter { $0.language == .rust }.count == 3)
    }

    @Test(arguments: [CookbookLanguage.cpp, .rust])
    func `every source in C++ and Rust has scenarios`(language: CookbookLanguage) throws {
        let sources = try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/\(language.folder)")

        let rows = CookbookScenarioTests.rows.filter { $0.language == language }
        #expect(rows.isEmpty || sources.sorted() == rows.map { "\($0.plugin).\(language.suffix)" }.sorted())
    }
}
