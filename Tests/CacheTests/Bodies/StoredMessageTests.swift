import Plugboard
import TestSupport
import Testing

@testable import PlugboardCache
@testable import PlugboardCacheOptions

/// A stored response becomes one message with head and body, and is read again.
struct StoredMessageTests {
    @Test(arguments: [1, 2, 3, 7, 1000])
    func `a written message is read, in pieces of any size`(size: Int) async throws {
        let head = ResponseHead(status: 203, fields: ["A": "1", "B": "", "A": "two: three"])
        let whole = try await Body(StoredMessageSource(head, Body.text("body\r\n\r\nof lines").source)).collect(
            upTo: .mebibytes(1))
        let pieces = stride(from: 0, to: whole.count, by: size).map { whole[$0..<$0 + size] }

        let response = try await StoredMessage.read(Body(PiecesSource(pieces)), url: "http://a.test/")

        #expect(response.status == 203)
        #expect(response.fields.map { "\($0.name)=\($0.value)" } == ["A=1", "B=", "A=two: three"])
        #expect(try await response.body.text() == "body\r\n\r\nof lines")
    }

    @Test func `a message without a body has an empty one`() async throws {
        let source = StoredMessageSource(ResponseHead(status: 204), nil)

        let response = try await StoredMessage.read(Body(source), url: "http://a.test/")

        #expect(response.status == 204)
        #expect(try await response.body.text() == "")
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 \r\n", "nonsense\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 \r\nno colon\r\n\r\n",
    ])
    func `an invalid message is refused`(text: String) async {
        let error = await #expect(throws: PlugboardError.self) {
            try await StoredMessage.read(.text(text), url: "http://a.test/")
        }

        #expect(error?.code == "cache.command")
    }
}
