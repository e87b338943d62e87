import Foundation
import PlugboardMessages
import TestSupport
import Testing

struct BodyTests {
    private struct Torn: Error {}

    private func stream(_ texts: [String], ending error: (any Error)? = nil) -> AsyncThrowingStream<Bytes, any Error> {
        AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Bytes(text)) }
            continuation.finish(throwing: error)
        }
    }

    @Test(arguments: [[], [""], ["", "", "ab"], ["ab", "", "c", ""], ["", "ab", "c"]])
    func `pieces without bytes change nothing`(pieces: [String]) async throws {
        let source = PiecesSource(pieces)

        let bytes = try await Body(source).collect(upTo: .bytes(3))

        #expect(bytes == Bytes(pieces.joined()))
    }

    // MARK: Files

    @Test func `a file is read whole, in pieces, and again from its beginning`() async throws {
        let folder = try TemporaryFolder()
        let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let body = try Body.file(try folder.write("body", content))

        let first = try await body.collect(upTo: .mebibytes(1)).array
        let couldRewind = body.source.rewind()
        let second = try await body.collect(upTo: .mebibytes(1)).array

        #expect(body.length == 600_000)
        #expect(couldRewind)
        #expect(first == content)
        #expect(second == content)
    }

    @Test func `an empty file is a body of nothing`() async throws {
        let folder = try TemporaryFolder()
        let body = try Body.file(try folder.write("body", ""))

        let bytes = try await body.collect(upTo: .bytes(0))

        #expect(bytes.isEmpty)
        #expect(body.length == 0)
    }

    @Test func `a missing file is an error that names it`() throws {
        let folder = try TemporaryFolder()

        let error = #expect(throws: PlugboardError.self) { try Body.file(folder.file("absent")) }

        #expect(error?.code == .bodyRead)
        #expect(error?.reason.contains(folder.file("absent")) == true)
        #expect(error?.underlying == String(cString: strerror(ENOENT)))
    }

    @Test func `a folder cannot be a body`() throws {
        let folder = try TemporaryFolder()

        let error = #expect(throws: PlugboardError.self) { try Body.file(folder.path) }

        #expect(error?.code == .bodyRead)
        #expect(error?.reason.contains("regular file") == true)
    }

    @Test func `a file that becomes shorter while it is sent breaks the body`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("body", [UInt8](repeating: 7, count: 600_000))
        var iterator = try Body.file(path).makeAsyncIterator()

        let first = try await iterator.next()
        truncate(path, off_t(first?.count ?? 0))
        let error = await #expect(throws: PlugboardError.self) { try await iterator.next() }
        let afterwards = try await iterator.next()

        #expect(error?.code == .bodyRead)
        #expect(error?.reason.contains("shorter") == true)
        #expect(error?.reason.contains(path) == true)
        #expect(afterwards == nil)
    }

    @Test(arguments: [0, 4, 600_000])
    func `a file that grows while it is sent breaks the body before its last piece`(size: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("body", [UInt8](repeating: 7, count: size))
        let body = try Body.file(path)
        var received = 0

        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("456".utf8))
        let error = await #expect(throws: PlugboardError.self) {
            for try await piece in body { received += piece.count }
        }

        #expect(error?.code == .bodyRead && error?.reason.contains("longer") == true)
        #expect(received < max(size, 1))
    }

    @Test func `a file that grows after its last piece was read was sent whole`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("body", "0123")
        var reading = try Body.file(path).makeAsyncIterator()

        let first = try await reading.next()
        truncate(path, 10)

        #expect(first?.text == "0123")
        #expect(try await reading.next() == nil)
    }

    // MARK: Streams

    @Test func `a stream's elements come in order, and empty ones are passed over`() async throws {
        let body = Body.stream(stream(["ab", "", "c"]), length: 3)

        var pieces: [String] = []
        for try await piece in body { pieces.append(piece.text) }

        #expect(pieces == ["ab", "c"])
        #expect(body.length == 3)
    }

    @Test func `a stream cannot be sent again, and its length is not known`() {
        let body = Body.stream(stream(["a"]))

        #expect(body.length == nil)
        #expect(!body.source.canRewind)
        #expect(!body.source.rewind())
        #expect(body.source.copy() == nil)
    }

    @Test func `a stream's own error is the body's`() async throws {
        let own = PlugboardError("feed.torn", "The feed was torn.")
        var iterator = Body.stream(stream(["a"], ending: own)).makeAsyncIterator()

        let first = try await iterator.next()
        let error = await #expect(throws: PlugboardError.self) { try await iterator.next() }

        #expect(first?.text == "a")
        #expect(error == own)
    }

    @Test func `another error of a stream is named by its type`() async throws {
        let body = Body.stream(stream([], ending: Torn()))

        let error = await #expect(throws: PlugboardError.self) { try await body.text() }

        #expect(error?.code == .bodyRead)
        #expect(error?.underlying == "Torn")
    }

    // MARK: Limits

    @Test func `more than the limit is an error, whether the length is known or not`() async throws {
        let known = Body.text("0123456789")
        let unknown = Body.stream(stream(["01234", "56789"]))

        let errors = [
            await #expect(throws: PlugboardError.self) { try await known.collect(upTo: .bytes(9)) },
            await #expect(throws: PlugboardError.self) { try await unknown.collect(upTo: .bytes(9)) },
        ]

        #expect(errors.map { $0?.code } == [.bodyLimit, .bodyLimit])
        #expect(errors.allSatisfy { $0?.reason.contains("9B") == true })
        #expect(try await Body.text("0123456789").collect(upTo: .bytes(10)).count == 10)
    }
}
