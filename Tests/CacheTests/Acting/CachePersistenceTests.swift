import Foundation
import Plugboard
import PlugboardCacheOptions
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// Responses that outlive a kernel, in a file.
struct CachePersistenceTests {
    @Test(arguments: [10, 1_000_000])
    func `a second kernel with the same file serves from it`(count: Int) async throws {
        let folder = try TemporaryFolder("cache")
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: Script.letters(count))
        }
        defer { server.stop() }
        let first = try CacheBench(.loaded, folder: folder)
        try await first.get(server.url())
        await first.kernel.shutDown()

        let second = try CacheBench(.linked, folder: folder)
        let response = try await second.get(server.url())

        #expect(Array(response.body.utf8) == Script.letters(count))
        #expect(server.requests.count == 1 && second.events.lines == ["hit"])
    }

    @Test func `only the owner can read the file`() async throws {
        let folder = try TemporaryFolder("cache")
        let bench = try CacheBench(
            .loaded, MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["x"]) }, folder: folder)
        try await bench.get()
        _ = try await bench.kernel.cache.stats()

        for name in try folder.entries() where name.hasPrefix("cache.sqlite") {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a path to another program's file is an error at the start, and the file is not changed`(
        linkage: Linkage
    ) throws {
        let folder = try TemporaryFolder("cache")
        try folder.write("cache.sqlite", "My notes, which are not a database.")

        let error = #expect(throws: PlugboardError.self) { try CacheBench(linkage, MockTransport(), folder: folder) }

        #expect(error?.reason.contains("\(folder.file("cache.sqlite")) is not a database of this program") == true)
        #expect(error?.reason.contains("Give another path") == true)
        #expect(try folder.read("cache.sqlite") == Array("My notes, which are not a database.".utf8))
        #expect(try folder.entries() == ["cache.sqlite"])
    }

    @Test func `a damaged file is moved aside, and requests continue`() async throws {
        let folder = try TemporaryFolder("cache")
        let first = try CacheBench(.loaded, MockTransport { _, _ in .respond(200) }, folder: folder)
        try await first.get()
        await first.kernel.shutDown()
        try folder.write("cache.sqlite", String(repeating: "no database ", count: 1000))
        let warnings = Record()
        let bench = try CacheBench(
            .loaded, MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["x"]) }, folder: folder,
            log: KernelLog(level: .warning) { _, _, text in warnings.add(text) })

        let bodies = try await [bench.get().body, bench.get().body]

        #expect(bodies == ["x", "x"] && bench.events.lines == ["miss", "stored", "hit"])
        #expect(!warnings.lines.isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `a body whose first piece is damaged is fetched again`(linkage: Linkage) async throws {
        let (server, folder) = try await Self.stored(damagedAt: 0)
        defer { server.stop() }
        let bench = try CacheBench(linkage, folder: folder)

        let responses = try await [bench.get(server.url()), bench.get(server.url())]

        #expect(responses.allSatisfy { Array($0.body.utf8) == Self.body })
        #expect(server.requests.count == 2 && bench.events.lines == ["miss", "stored", "hit"])
    }

    @Test(arguments: Linkage.allCases)
    func `a body whose later piece is damaged breaks, and the next request fetches it again`(
        linkage: Linkage
    ) async throws {
        let (server, folder) = try await Self.stored(damagedAt: 12)
        defer { server.stop() }
        let bench = try CacheBench(linkage, folder: folder)

        let error = await #expect(throws: PlugboardError.self) { try await bench.get(server.url()) }
        let response = try await bench.get(server.url())

        #expect(error?.code == "cache.damaged")
        #expect(Array(response.body.utf8) == Self.body && server.requests.count == 2)
    }

    /// More bytes than are read before the head is served.
    private static let body = Script.letters(1_000_000)

    /// A file with one response, of whose body one piece is damaged, and its server.
    private static func stored(damagedAt piece: Int) async throws -> (LoopbackServer, TemporaryFolder) {
        let folder = try TemporaryFolder("cache")
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: Self.body)
        }
        let bench = try CacheBench(.loaded, folder: folder)
        try await bench.get(server.url())
        await bench.kernel.shutDown()
        let bodies = folder.file("cache.sqlite-bodies")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: bodies).first)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(bodies)/\(name)"))
        try file.seek(toOffset: UInt64(piece * PieceBuffer.pieceSize))
        try file.write(contentsOf: Data(count: 100))
        try file.close()
        return (server, folder)
    }
}
