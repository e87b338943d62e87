import PlugboardKit
import PlugboardObserving
import Testing

@testable import PlugboardLogging

/// What is kept of messages until their lines are written.
struct LoggedMessageTests {
    @Test(arguments: [
        (Fields(["Content-Encoding": "gzip"]), "text", 4), (Fields(["Content-Type": "multipart/mixed"]), "text", 4),
        (Fields(), "a\u{0}b", 3),
    ])
    func `a body that no format shows is counted and not kept`(fields: Fields, body: String, length: Int) {
        let message = LoggedMessage(fields, capture(body, upTo: 64), needsAll: false)

        #expect(message.body == nil && message.length == length && message.isWhole)
        #expect(message.size == fields.memory)
    }

    @Test func `the beginning of a body is kept unless the format needs all of it`() {
        let cut = capture("a longer text", upTo: 8)

        #expect(LoggedMessage(Fields(), cut, needsAll: false).body?.bytes.count == 8)
        #expect(LoggedMessage(Fields(), cut, needsAll: true).body == nil)
        #expect(LoggedMessage(Fields(), capture("a text", upTo: 8), needsAll: true).body?.bytes.count == 6)
    }

    private func capture(_ text: String, upTo limit: Int) -> BodyCapture {
        let capture = BodyCapture(upTo: limit)
        Array(text.utf8).withUnsafeBytes { capture.takeWhole($0) }
        return capture
    }
}
