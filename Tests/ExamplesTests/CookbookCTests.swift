import Foundation
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

/// What the plugins of `Examples/Cookbook/C` do.
struct CookbookCTests {
    private let url = "https://api.test/v1/feed?page=2"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("cookbook") }

    /// The sources that the tests of the cookbook compile, and their header.
    static let sources = [
        "bearer.c", "indicator.c", "mask.c", "meter.c", "redis.c", "sign.c", "tally.c", "tee.c", "token.c", "tokens.c",
        "tokens.h", "verdict.c",
    ]

    @Test func `every source is compiled by a test`() throws {
        let folder = "\(Repository.root)/Examples/Cookbook/C"

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == CookbookCTests.sources)
    }

    @Test func `wrapping: a body is measured and comes as it was`() async throws {
        let bench = try Workbench(
            file: try await build("meter.c"), loader: .dynamic,
            transport: ScriptedTransport { sent, _ in
                .respond(sent.method == .head ? 204 : 200, body: .text("twelve bytes"))
            })

        let text = try await bench.send(Request(.get, url)).body.text()
        _ = try await bench.send(Request(.head, url))

        #expect(text == "twelve bytes")
        #expect(bench.kernel.counters["com.example.meter.bytes"] == 12)
    }

    @Test func `judging: a response is let through, ignored, or a failure`() async throws {
        let library = try await build("verdict.c")
        func bench(_ result: String?) throws -> Workbench {
            try Workbench(
                file: library, loader: .dynamic,
                transport: ScriptedTransport { _, _ in .respond(200, result.map { ["X-Result": $0] } ?? [:]) })
        }

        let silent = try bench(nil)
        let statuses = [try await silent.send(Request(.get, url)), try await bench("ok").send(Request(.get, url))]
            .map(\.status)
        let codes = [await error(of: try bench("ignore"))?.code, await error(of: try bench("no"))?.code]

        #expect(statuses == [200, 200])
        #expect(silent.transport.requests[0]["X-App"] == "reader")
        #expect(codes == [.ignored, "com.example.verdict.refused"])
    }

    @Test func `sub-requests: each request waits for a token and carries it`() async throws {
        let bench = try tokenBench(try await build("token.c")) { number in .respond(200, ["X-Token": "token \(number)"])
        }

        let statuses = [
            try await bench.send(Request(.get, url)).status, try await bench.send(Request(.get, url)).status,
        ]

        #expect(statuses == [200, 200])
        #expect(bench.transport.requests.map(\.url) == [tokens, url, tokens, url])
        #expect(bench.transport.requests.map { $0["X-Token"] } == [nil, "token 1", nil, "token 3"])
    }

    @Test func `sub-requests: without a token the request is not sent`() async throws {
        let library = try await build("token.c")
        let refused = try tokenBench(library) { _ in .respond(403, ["X-Token": "none for you"]) }
        let broken = try tokenBench(library) { _ in .fail(PlugboardError(.transportConnect, "refused")) }
        let silent = try tokenBench(library) { _ in .silence }

        let errors = [await error(of: refused), await error(of: broken)]
        let late = silent.begin(Request(.get, url))
        _ = await silent.transport.requests(atLeast: 1)
        silent.clock.advance(by: .seconds(10))
        let lateError = await #expect(throws: PlugboardError.self) { try await late.response }

        for error in errors + [lateError] { #expect(error?.code == "com.example.token.none") }
        for bench in [refused, broken, silent] { #expect(bench.transport.requests.map(\.url) == [tokens]) }
    }

    @Test func `sub-requests: an exchange that is cancelled takes its question along`() async throws {
        let bench = try tokenBench(try await build("token.c")) { _ in .silence }

        let handle = bench.begin(Request(.get, url))
        _ = await bench.transport.requests(atLeast: 1)
        handle.cancel()

        let error = await #expect(throws: PlugboardError.self) { try await handle.response }
        #expect(error?.code == .cancelled)
        #expect(bench.transport.requests.map(\.url) == [tokens])
    }

    private let tokens = "https://tokens.test/new"

    /// - Parameter outcome: Of a request for a token, by its number.
    private func tokenBench(
        _ library: String, _ outcome: @escaping @Sendable (Int) -> ScriptedTransport.Outcome
    ) throws -> Workbench {
        let tokens = tokens
        return try Workbench(
            file: library, loader: .dynamic, settings: ["url": .string(tokens)],
            transport: ScriptedTransport { sent, number in sent.url == tokens ? outcome(number) : .respond(200) })
    }

    private func error(of bench: Workbench) async -> PlugboardError? {
        await #expect(throws: PlugboardError.self) { try await bench.send(Request(.get, url)) }
    }

    private func build(_ source: String) async throws -> String {
        let library = folder.file("\(source).so")
        try await Repository.output(
            of: "cc -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -I Sources/CPlugboard/include".split(
                separator: " "
            ).map(String.init) + ["-Wl,-z,defs", "-Wl,-z,now", "Examples/Cookbook/C/\(source)", "-o", library])
        chmod(library, 0o755)
        return library
    }
}
