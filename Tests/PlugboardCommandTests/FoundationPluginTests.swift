import Foundation
import TestSupport
import Testing

/// Plugins that bring Foundation into the process, whose constructor initializes libdispatch a second time.
struct FoundationPluginTests {
    /// A plugin that is linked with the Foundation of the command's runtime.
    private func plugin() throws -> String {
        let libraries = try ProcessRunner.output(of: ["ldd", Products.executable("plugboard")])
        let line = try #require(libraries.split(separator: "\n").first { $0.contains("/libswiftCore.so ") })
        let core = try #require(line.split(separator: " ").first { $0.hasPrefix("/") })
        let folder = URL(fileURLWithPath: String(core)).deletingLastPathComponent().path
        return try FixturePlugin.build(
            "does_nothing", options: ["-Wl,--no-as-needed", "\(folder)/libFoundation.so", "-Wl,-rpath,\(folder)"])
    }

    @Test(arguments: [["get", "URL"], ["plugins", "order"], ["plugins", "list"]])
    func `a command that loads one comes to its end`(words: [String]) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello") }
        let arguments = words.map { $0 == "URL" ? server.url() : $0 } + ["--plugin", try plugin()]

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard")] + arguments, timeout: .seconds(20))

        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    @Test func `plugins check comes to its end`() async throws {
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", plugin()], timeout: .seconds(60))

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
    }
}
