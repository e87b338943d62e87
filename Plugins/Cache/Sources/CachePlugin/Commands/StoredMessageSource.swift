import PlugboardKit
import Synchronization

/// A stored answer in the one form of HTTP/1.1 (RFC 9112 §2.1), so that head and body cross the border together.
final class StoredMessageSource: BodySource {
    private let head: Mutex<Bytes?>
    private let body: (any BodySource)?

    init(_ head: ResponseHead, _ body: (any BodySource)?) {
        var text: [UInt8] = Array("HTTP/1.1 \(head.status) \r\n".utf8)
        for index in head.fields.indices {
            head.fields.withField(index) { name, value in
                text += name
                text += [UInt8(ascii: ":"), UInt8(ascii: " ")]
                text += value
                text += [13, 10]
            }
        }
        self.head = Mutex(Bytes(text + [13, 10]))
        self.body = body
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let first = head.withLock { head in
            defer { head = nil }
            return head
        }
        if let first {
            pull.give(first)
        } else if let body {
            body.pull(pull)
        } else {
            pull.end()
        }
    }

    func release() { body?.release() }
}
