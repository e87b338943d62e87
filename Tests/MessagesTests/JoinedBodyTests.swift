import PlugboardMessages
import Synchronization
import Testing

struct JoinedBodyTests {
    /// A source that is pulled only, and completes pulls within the call.
    private final class Pulled: BodySource {
        private let pieces: [Piece]
        private let next = Mutex(0)
        let released = Mutex(false)

        init(_ pieces: [Piece]) { self.pieces = pieces }

        var length: Int? { nil }
        func pull(_ pull: Pull) {
            let index = next.withLock { index in
                defer { index += 1 }
                return index
            }
            pull.complete(pieces[index])
        }
        func release() { released.withLock { $0 = true } }
    }

    @Test func `bodies are read one after the other, as one`() async throws {
        let body = Body.joined([.text("one "), .empty, .text("two "), .text("three")])

        let text = try await body.text()

        #expect(text == "one two three")
        #expect(body.length == 13)
    }

    @Test func `no bodies are an empty body`() async throws {
        #expect(try await Body.joined([]).text() == "")
        #expect(Body.joined([]).length == 0)
    }

    @Test func `sources that must be pulled are joined too, and the last trailers count`() async throws {
        let first = Pulled([.bytes(Bytes("a")), .end(trailers: ["X-Sum": "first"])])
        let last = Pulled([.bytes(Bytes("b")), .end(trailers: ["X-Sum": "last"])])
        var reading = Body.joined([Body(first), Body(last)]).makeAsyncIterator()

        var text = ""
        while let piece = try await reading.next() { text += piece.text }

        #expect(text == "ab")
        #expect(reading.trailers["X-Sum"] == "last")
    }

    @Test func `a break of one body breaks the whole`() async throws {
        let error = PlugboardError(.bodyCut, "cut")
        let body = Body.joined([.text("a"), Body(Pulled([.broken(error)])), .text("b")])

        await #expect(throws: error) { try await body.text() }
    }

    @Test func `the length is unknown if that of one body is`() {
        #expect(Body.joined([.text("a"), Body(Pulled([]))]).length == nil)
    }

    @Test func `it begins again if each body can`() async throws {
        let body = Body.joined([.text("one "), .text("two")])
        _ = try await body.text()

        let isRewound = body.source.rewind()

        #expect(isRewound)
        #expect(try await body.text() == "one two")
        #expect(!Body.joined([.text("a"), Body(Pulled([]))]).source.canRewind)
    }

    @Test func `another source of the same bytes is read independently`() async throws {
        let body = Body.joined([.text("one "), .text("two")])
        _ = try await body.text()

        let again = try #require(body.source.copy())

        #expect(try await Body(again).text() == "one two")
        #expect(Body.joined([.text("a"), Body(Pulled([]))]).source.copy() == nil)
    }

    @Test func `releasing it releases all bodies`() {
        let sources = [Pulled([]), Pulled([])]

        Body.joined(sources.map { Body($0) }).source.release()

        #expect(sources.allSatisfy { $0.released.withLock { $0 } })
    }
}
