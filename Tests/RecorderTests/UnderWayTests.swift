import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRecorder
import TestSupport
import Testing

/// What the recorder shows of exchanges that have not completed.
struct UnderWayTests {
    private let clock = ManualClock()
    private let source = SteppedSource()

    private func recorder(_ linkage: Linkage, _ settings: JSONObject = [:]) throws -> Recorders {
        let transport = MockTransport { [source] request, _ in
            request.url.contains("stream")
                ? .source(200, ["Content-Type": "text/event-stream"], source) : .respond(200, Fields(), ["ok"])
        }
        return try Recorders(linkage, settings, transport: transport, clock: clock)
    }

    @Test(arguments: Linkage.allCases)
    func `a stream is shown while it is open, and its last record has the same number`(linkage: Linkage) async throws {
        let recorder = try recorder(linkage)
        let response = try await recorder.kernel.send(Request(.get, "http://a.test/stream?token=t0psecret"))
        var pieces = response.body.makeAsyncIterator()
        source.give("data: 1\n\n")
        _ = try await pieces.next()
        clock.advance(by: .seconds(3))

        let line = try #require(try await recorder.list().first)
        let entry = try #require(try await recorder.entries().first)
        #expect(line["isUnderWay"] == true && line["status"] == 200 && line["took"] == 3000 && line["failure"] == nil)
        #expect(try await recorder.text("list").contains(" 200 under way  3000 ms GET http://a.test/stream?token=…\n"))
        #expect(try await recorder.kernel.recorder.list().map(\.isUnderWay) == [true])
        #expect(entry["_outcome"] == "under way" && entry["request"]?["url"] == "http://a.test/stream?token=…")
        let content = entry["response"]?["content"]
        #expect(content?["text"] == "data: 1\n\n" && content?["_isWhole"] == false)
        let id = try #require(line["id"])
        #expect(try await recorder.text("show", ["id": id]).contains(#""under way""#))

        // A later exchange has a larger number, and comes first.
        _ = try await recorder.kernel.send(Request(.get, "http://a.test/other")).body.text()
        #expect(try await recorder.list().map { $0["id"] } == [2, id])
        #expect(try await recorder.text("stats").contains(#""exchanges":1"#))
        source.give("data: 2\n\n")
        _ = try await pieces.next()
        #expect(try await recorder.text("har", ["id": id]).contains("data: 2"))

        source.give(nil)
        while try await pieces.next() != nil {}
        let last = try await recorder.list()
        #expect(last.map { $0["id"] } == [2, id] && last.allSatisfy { $0["isUnderWay"] == nil })
        #expect(try await recorder.entries().first?["_outcome"] == "ended")
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `an exchange without a response is shown, and is a failure after it was cancelled`(
        linkage: Linkage
    ) async throws {
        let transport = MockTransport { _, _ in .silence }
        let recorder = try Recorders(linkage, transport: transport, clock: clock)
        let handle = recorder.kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        clock.advance(by: .milliseconds(999))
        #expect(try await recorder.list().isEmpty)

        clock.advance(by: .milliseconds(1))
        let line = try #require(try await recorder.list().first)
        let timings = try await recorder.entries().first?["timings"]
        handle.cancel()
        _ = try? await handle.response
        let last = try await recorder.list()

        #expect(line["isUnderWay"] == true && line["status"]?.isNull == true && timings?["wait"] == 1000)
        #expect(last.count == 1 && last[0]["id"] == line["id"])
        #expect(last[0]["isUnderWay"] == nil && last[0]["failure"] == "cancelled")
        await recorder.kernel.shutDown()
    }

    @Test func `a long exchange keeps its record, though many others have completed before its end`() async throws {
        let recorder = try recorder(.linked, ["limit": 3])
        let response = try await recorder.kernel.send(Request(.get, "http://a.test/stream"))
        clock.advance(by: .seconds(1))
        let id = try #require(try await recorder.list().first?["id"])

        for _ in 1...5 { _ = try await recorder.kernel.send(Request(.get, "http://a.test/other")).body.text() }
        source.give(nil)
        _ = try await response.body.text()

        #expect(try await recorder.list().map { $0["id"] } == [6, 5, id])
        await recorder.kernel.shutDown()
    }

    @Test func `a file has only exchanges that have completed`() async throws {
        let folder = try TemporaryFolder()
        let recorder = try recorder(.linked, ["persistence": "file", "path": .string(folder.file("a.sqlite"))])
        let response = try await recorder.kernel.send(Request(.get, "http://a.test/stream"))
        clock.advance(by: .seconds(5))
        #expect(try await recorder.list().isEmpty)

        source.give(nil)
        _ = try await response.body.text()

        #expect(try await recorder.list().count == 1)
        await recorder.kernel.shutDown()
    }
}
