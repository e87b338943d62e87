import Foundation
import Plugboard
import PluginLoader
import TestSupport
import Testing

/// `tee.c`: a copy of each response in a file.
struct CookbookTeeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("tee") }

    private var copies: String { folder.file("com.example.tee") }

    private func kernel() async throws -> Kernel {
        let library = try await CookbookLibraries.shared.library("tee", .c)
        var configuration = Configuration(plugins: [PluginEntry(id: nil, path: library, settings: [:])])
        configuration.kernel.dataDirectory = folder.path
        return try Kernel(configuration: configuration, loader: .dynamic, log: .silent)
    }

    /// A server whose responses come in many pieces, each with its path at the end.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { connection in
            while true {
                let request = try connection.readRequest()
                let body = CookbookTeeTests.body(request.path)
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
                for start in stride(from: 0, to: body.utf8.count, by: 70_000) {
                    try connection.write(Array(body.utf8.dropFirst(start).prefix(70_000)))
                }
            }
        }
    }

    private static func body(_ path: String) -> String {
        (0..<40_000).map { "line \($0)\n" }.joined() + path
    }

    @Test func `each response is in a file when its reader has its end`() async throws {
        let (server, kernel) = (try Self.server(), try await kernel())

        async let first = kernel.send(Request(.get, server.url("/a"))).body.text()
        async let second = kernel.send(Request(.get, server.url("/b"))).body.text()
        let read = [try await first, try await second]
        let files = try FileManager.default.contentsOfDirectory(atPath: copies).map {
            try String(contentsOfFile: "\(copies)/\($0)", encoding: .utf8)
        }

        #expect(read == [Self.body("/a"), Self.body("/b")])
        #expect(files.count == 2 && Set(files) == Set(read))
        await kernel.shutDown()
    }

    @Test func `a reader gets the whole body where its copy cannot be written`() async throws {
        let (server, kernel) = (try Self.server(), try await kernel())
        try FileManager.default.removeItem(atPath: copies)

        let text = try await kernel.send(Request(.get, server.url("/a"))).body.text()

        #expect(text == Self.body("/a"))
        #expect(!FileManager.default.fileExists(atPath: copies))
        await kernel.shutDown()
    }

    @Test func `it keeps the rules of the border for bodies, also under load`() async throws {
        let library = try await CookbookLibraries.shared.library("tee", .c)
        let checks = ["pieces", "pulls", "cancellation", "suspension", "parallel"].flatMap { ["--only", $0] }

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", library, "--strict", "--seed", "1"] + checks)

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
    }
}
