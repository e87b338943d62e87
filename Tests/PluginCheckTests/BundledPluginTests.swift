import Foundation
import PlugboardJSON
import PluginCheck
import TestSupport
import Testing

// Serialized, because each test runs as many processes as there are processors.
@Suite(.serialized)
struct BundledPluginTests {
    /// The shared objects that the build put beside the tests.
    static let plugins: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Products.folder)) ?? []
        return files.filter { $0.hasPrefix("libplugboard-") && $0.hasSuffix(".so") }.sorted()
    }()

    @Test(arguments: plugins)
    func `a bundled plugin passes all checks strictly`(_ file: String) async throws {
        // As plugins are shipped: without the symbols for debuggers.
        let folder = try TemporaryFolder("bundled")
        let path = folder.file(file)
        try ProcessRunner.output(of: ["strip", "--strip-unneeded", "-o", path, "\(Products.folder)/\(file)"])
        chmod(path, 0o755)

        let verdict = try await BadPlugin.check(path, "--strict", "--seed", "1", "--json")

        let bad = verdict.results.values.filter { $0.status != .passed && $0.status != .skipped }
        #expect(bad.isEmpty, "\(bad)")
        #expect(verdict.results.count == PluginCheck.catalog.count)
        #expect(verdict.status == 0, "\(verdict.errors)")
    }

    /// Plugins for engines, which the catalog does not have.
    private static let engines = ["queue-postgresql", "redis"]

    @Test func `the checked shared objects are those of the catalog and of engines`() async throws {
        let listed = try await ProcessRunner.running([Products.executable("plugboard"), "plugins", "list", "--json"])

        let ids = try JSONParser.parse(listed.stdout).arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        #expect(!ids.isEmpty && listed.status == 0)
        let expected = (ids + BundledPluginTests.engines).map { "libplugboard-\($0).so" }.sorted()
        #expect(BundledPluginTests.plugins == expected)
    }
}
