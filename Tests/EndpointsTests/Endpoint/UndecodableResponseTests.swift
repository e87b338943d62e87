import Foundation
import TestSupport
import Testing

/// What the compiler says of types that nothing decodes.
@Suite struct UndecodableResponseTests {
    @Test func `a response that is not Decodable does not compile, and the compiler says so`() async throws {
        let folder = try TemporaryFolder()
        let source = folder.file("program.swift")
        try """
        import Plugboard
        import PlugboardEndpoints
        struct Topic { let title: String }
        struct TopicList: Endpoint {
            typealias Response = [Topic]
            let path = "topics"
        }
        func list(_ response: Response) async throws -> [Topic] { try await response.decode() }
        let endpoint = SimpleEndpoint("topics", as: [Topic].self)
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL.path
        let maps = moduleMaps(in: Products.folder) + moduleMaps(in: "\(root)/Sources")

        let outcome = try await ProcessRunner.running(
            ["swiftc", "-swift-version", "6", "-typecheck", source, "-I", "\(Products.folder)/Modules"]
                + ["-Xcc", "-I\(root)/Sources/CPlugboard/include"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [
                    "-module-cache-path", folder.file("modules"),
                ],
            folder: folder.path)

        let errors = outcome.stderr
        #expect(errors.contains("type 'TopicList' does not conform to protocol 'Endpoint'"), "\(errors)")
        #expect(errors.contains("'Topic' conformed to 'Decodable'"))
        #expect(errors.contains("requires that 'Topic' conform to 'Decodable'"))
        #expect(!errors.contains("failed to produce diagnostic"))
    }

    /// Of targets in C, and of libraries of the system: modules in Swift name them.
    private func moduleMaps(in folder: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.sorted().map { "\(folder)/\($0)/module.modulemap" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }
}
