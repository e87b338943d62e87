import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

struct WriteTests {
    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func text(_ folder: TemporaryFolder, _ name: String) throws -> String {
        String(decoding: try folder.read(name), as: UTF8.self)
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `a body is written to a file, with progress`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [UInt8](repeating: 5, count: 300_000)) }
        let kernel = try Kernel()
        let seen = Mutex<[Int]>([])

        let count = try await kernel.send(Request(.get, server.url())).body
            .write(to: folder.file("a.bin")) { bytes in
                seen.withLock { $0.append(bytes.received) }
                #expect(bytes.toReceive == 300_000)
            }

        #expect(count == 300_000 && seen.withLock { $0.last } == 300_000 && seen.withLock { $0 == $0.sorted() })
        #expect(try Data(contentsOf: URL(filePath: folder.file("a.bin"))).count == 300_000)
        #expect(try names(folder) == ["a.bin"])
        await kernel.shutDown()
    }

    @Test func `progress comes at most ten times a second, and at the end`() async throws {
        let folder = try TemporaryFolder()
        let pieces = AsyncStream<Bytes> { input in
            for _ in 0..<40 { input.yield(Bytes([UInt8](repeating: 1, count: 100))) }
            input.finish()
        }
        let seen = Mutex<[Int]>([])
        let began = ContinuousClock.now

        try await Body.stream(pieces, length: 4000).write(to: folder.file("a.bin")) { bytes in
            seen.withLock { $0.append(bytes.received) }
        }

        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let counts = seen.withLock { $0 }
        #expect(counts.last == 4000 && Double(counts.count) <= seconds * 10 + 2)
    }

    @Test func `a file that is there is replaced at the end only, and keeps its permissions`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.txt", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let source = SteppedSource()
        let gate = Gate()
        let writing = Task { try await Body(source).write(to: path) { _ in gate.open() } }

        source.give("new")
        try await gate.opened()
        #expect(try text(folder, "a.txt") == "old")
        source.give(nil)

        #expect(try await writing.value == 3)
        #expect(try text(folder, "a.txt") == "new" && names(folder) == ["a.txt"])
        #expect(try permissions(path) == 0o640)
    }

    @Test func `permissions can be given`() async throws {
        let folder = try TemporaryFolder()

        try await Body.text("x").write(to: folder.file("a"), permissions: 0o604)

        #expect(try permissions(folder.file("a")) == 0o604)
    }

    @Test func `nothing is left of a body that breaks, and an old file stays`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.txt", "old")
        let cut = PlugboardError(.bodyCut, "cut")
        let body = Body(PiecesSource(["new"], ending: .broken(cut)))

        await #expect(throws: cut) { try await body.write(to: path) }

        #expect(try names(folder) == ["a.txt"] && text(folder, "a.txt") == "old")
    }

    @Test func `nothing is left when the task is cancelled`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a")
        let server = try LoopbackServer(.silenceInBody(declared: 10, sent: 3))
        let kernel = try Kernel()
        let body = try await kernel.send(Request(.get, server.url())).body
        let gate = Gate()
        let writing = Task { try await body.write(to: path) { _ in gate.open() } }
        try await gate.opened()
        #expect(try names(folder).count == 1)

        writing.cancel()

        let error = await #expect(throws: PlugboardError.self) { _ = try await writing.value }
        #expect(error?.code == .cancelled)
        #expect(try names(folder) == [])
        await kernel.shutDown()
    }

    @Test func `a link is followed, and what is no file or cannot be written is an error`() async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("target", "old")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: target)

        try await Body.text("new").write(to: folder.file("link"))

        #expect(try text(folder, "target") == "new" && names(folder) == ["link", "target"])
        for path in [folder.path, "/dev/null", folder.file("no/such"), ""] {
            let source = PiecesSource(["x"])
            let error = await #expect(throws: PlugboardError.self) { try await Body(source).write(to: path) }
            #expect(error?.code == .downloadWrite && error?.reason.hasPrefix(path) == true && source.releases == 1)
        }
    }

    @Test func `a name as long as names can be is written`() async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 255)

        try await Body.text("x").write(to: folder.file(name))

        #expect(try names(folder) == [name])
    }
}
