import CacheOptions
import CachePlugin
import Foundation
import Plugboard
import TestSupport
import Testing

/// What outlives a kernel, in a file.
struct PersistenceTests {
    @Test(arguments: [10, 1_000_000])
    func `a second kernel on the same file answers from it`(count: Int) async throws {
        let folder = try TemporaryFolder("cache")
        let server = try LoopbackServer.answering { _ in
            Answer(fields: [("Cache-Control", "max-age=60")], body: Script.letters(count))
        }
        defer { server.stop() }
        let first = try CacheBench(.loaded, folder: folder)
        try await first.get(server.url())
        await first.kernel.shutDown()

        let second = try CacheBench(.linked, folder: folder)
        let answer = try await second.get(server.url())

        #expect(Array(answer.body.utf8) == Script.letters(count))
        #expect(server.requests.count == 1 && second.events.lines == ["hit"])
    }

    @Test func `the file is its owner's alone`() async throws {
        let folder = try TemporaryFolder("cache")
        let bench = try CacheBench(
            .loaded, MockTransport { _, _ in .answer(200, ["Cache-Control": "max-age=60"], ["x"]) }, folder: folder)
        try await bench.get()
        _ = try await bench.kernel.cache.stats()

        for name in try folder.entries() where name.hasPrefix("cache.sqlite") {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func `a damaged file is moved aside, and requests go on`() async throws {
        let folder = try TemporaryFolder("cache")
        try folder.write("cache.sqlite", String(repeating: "no database ", count: 1000))
        let warnings = Record()
        let bench = try CacheBench(
            .loaded, MockTransport { _, _ in .answer(200, ["Cache-Control": "max-age=60"], ["x"]) }, folder: folder,
            log: KernelLog(level: .warning) { _, _, text in warnings.add(text) })

        let bodies = try await [bench.get().body, bench.get().body]

        #expect(bodies == ["x", "x"] && bench.events.lines == ["miss", "stored", "hit"])
        #expect(!warnings.lines.isEmpty)
    }
}
