import Foundation
import Plugboard
import PlugboardJSON
import PluginLoader
import TestSupport
import Testing

struct StampTests {
    @Test func `the plugin in C numbers requests, built as its README says`() async throws {
        let folder = try TemporaryFolder("stamp")
        defer { folder.remove() }
        let library = try build(into: folder)
        let transport = MockTransport()
        let kernel = try Kernel(
            configuration: Configuration(plugins: [PluginEntry(library, settings: ["start": 100])]),
            loader: .dynamic, transport: transport, log: .silent)

        for _ in 1...3 { _ = try await kernel.send(Request(.get, "http://a.test/")) }

        #expect(transport.requests.map { $0.fields["x-stamp"] } == ["100", "101", "102"])
        #expect(kernel.counters["com.example.stamp.stamped"] == 3)
    }

    @Test func `its number is set once and not added to one that is there`() async throws {
        let folder = try TemporaryFolder("stamp")
        defer { folder.remove() }
        let transport = MockTransport()
        let kernel = try Kernel(
            configuration: Configuration(plugins: [PluginEntry(try build(into: folder))]), loader: .dynamic,
            transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, "http://a.test/", fields: Fields(["X-Stamp": "7"])))

        #expect(transport.requests.first?.fields.values("x-stamp") == ["1"])
    }

    @Test func `its file says what it is without being run`() throws {
        let folder = try TemporaryFolder("stamp")
        defer { folder.remove() }

        let file = try DynamicLoader().inspect(try build(into: folder))

        #expect(file.metadata == .init(revision: 1, id: "com.example.stamp", version: "1.0.0"))
        #expect(file.entry == "stamp_LTX_plugboard_plugin")
    }

    /// Runs the one command of the README and returns the path of what it made.
    private func build(into folder: TemporaryFolder) throws -> String {
        let example = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Examples/Stamp")
            .standardizedFileURL
        let readme = try String(contentsOf: example.appendingPathComponent("README.md"), encoding: .utf8)
        let command = try #require(readme.split(separator: "\n").first { $0.hasPrefix("    cc ") })
        let library = folder.file("stamp.so")
        let words = command.split(separator: " ").map { $0 == "stamp.so" ? library : String($0) }
        try ProcessRunner.output(of: words, folder: example.path)
        // For any umask: the loader refuses files that other users may write.
        chmod(library, 0o755)
        return library
    }
}
