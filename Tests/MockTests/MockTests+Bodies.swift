import Plugboard
import PlugboardMock
import TestSupport
import Testing

/// Bodies in parts, late and slow.
extension MockTests {
    @Test(arguments: Linkage.allCases)
    func `a body comes in parts, from files, and breaks where the rule says`(linkage: Linkage) async throws {
        try folder.write("part.txt", "from a file")
        let kernel = try kernel(
            linkage,
            #"""
            {"rules": [
                {"request": {"url": "http://a.test/parts"},
                 "response": {"chunks": [{"text": "one "}, {"pause": "1ms", "base64": "dHdv"}, {"file": "part.txt"}]}},
                {"request": {"url": "http://a.test/broken"}, "response": {"text": "0123456789", "breakAfter": 4}}
            ]}
            """#)

        #expect(try await kernel.send(Request(.get, "http://a.test/parts")).body.text() == "one twofrom a file")
        let broken = try await kernel.send(Request(.get, "http://a.test/broken"))
        var seen = ""
        let error = await #expect(throws: PlugboardError.self) {
            for try await piece in broken.body { seen += piece.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        }
        #expect(seen == "0123" && error?.code == .transportReset)
        await kernel.shutDown()
    }

    @Test func `a delay holds the answer back for its time, and a rate slows the body`() async throws {
        let kernel = try kernel(.linked, #"{"rules": [{"response": {"text": "0123456789", "delay": "20ms"}}]}"#)
        var request = Request(.get, "http://a.test/")
        request.mock.latency = .milliseconds(30)
        request.mock.rate = .bytes(50)
        let began = ContinuousClock.now

        let response = try await kernel.send(request)
        let head = ContinuousClock.now
        #expect(try await response.body.text() == "0123456789")

        // The body's time runs from its begin, which may be before the head comes here.
        #expect(head - began >= .milliseconds(50) && ContinuousClock.now - began >= .milliseconds(150))
        await kernel.shutDown()
    }

    @Test func `a rate slows a body that comes from the network`() async throws {
        let transport = MockTransport { _, _ in .respond(200, Fields(), ["0123456789"]) }
        let kernel = try kernel(.linked, nil, ["unmatched": "pass"], transport)
        var request = Request(.get, "http://a.test/")
        request.mock.rate = .bytes(50)

        let began = ContinuousClock.now
        let response = try await kernel.send(request)
        #expect(try await response.body.text() == "0123456789")

        // The end comes when all bytes could have come at this rate.
        #expect(ContinuousClock.now - began >= .milliseconds(150))
        await kernel.shutDown()
    }

    @Test func `a body is held only for a rule that compares it`() async throws {
        let transport = MockTransport()
        let rules = #"{"rules": [{"request": {"url": "http://a.test/x", "body": {"a": 1}}, "response": {}}]}"#
        let kernel = try kernel(.linked, rules, ["unmatched": "pass", "bodyLimit": "4B"], transport)

        _ = try await kernel.send(Request(.post, "http://a.test/y", body: .text("longer than the limit")))
        _ = try await kernel.send(Request(.post, "http://a.test/x", body: .text("longer than the limit")))

        #expect(transport.requests.map(\.url) == ["http://a.test/y", "http://a.test/x"])
        await kernel.shutDown()
    }
}
