import Plugboard
import PlugboardKit
import PlugboardMessages
import PlugboardObserving
import Synchronization
import TestSupport
import Testing

struct BodyCaptureTests {
    @Test(arguments: [false, true])
    func `trailers are kept only where they are wanted`(keepsTrailers: Bool) {
        let capture = BodyCapture(upTo: 8, keepsTrailers: keepsTrailers)
        let large = String(repeating: "a", count: 256 << 10)

        capture.take(.end(trailers: Fields(["X-Large": large])))

        #expect(capture.isWhole && capture.trailers["X-Large"] == (keepsTrailers ? large : nil))
    }

    @Test func `captures within a budget keep no more than it has together, and nothing after a gap`() {
        let budget = CaptureBudget(5)
        let captures = (0..<3).map { _ in BodyCapture(upTo: 8, within: budget) }

        captures[0].take(Array("Ada".utf8))
        captures[1].take(Array("Bob".utf8))
        captures[0].leaveBudget()
        captures[1].take(Array("!".utf8))
        captures[2].take(Array("Cid".utf8))

        #expect(captures.map { String(decoding: $0.bytes, as: UTF8.self) } == ["Ada", "Bo", "Cid"])
        #expect(captures[1].isCut && captures[1].count == 4)
    }

    @Test func `a body of known length is whole with its last byte, until it is read again`() {
        let capture = BodyCapture(upTo: 2)
        capture.length = 4

        capture.take(Array("Ada".utf8))
        let before = capture.isWhole
        capture.take(Array("!".utf8))
        let after = capture.isWhole
        capture.restart()

        #expect(!before && after && !capture.isWhole)
    }

    @Test func `an empty body of known length is whole without being read`() {
        let capture = BodyCapture(upTo: 2)

        let before = capture.isWhole
        capture.length = 0

        #expect(!before && capture.isWhole && BodyCapture(copying: capture).isWhole)
    }

    @Test(arguments: ["Ada", "Ada!"])
    func `a body that breaks is not whole, also after its last byte`(text: String) {
        let capture = BodyCapture(upTo: 2)
        capture.length = 4

        capture.take(Array(text.utf8))
        capture.take(.broken(PlugboardError(.transportReset, "reset")))

        #expect(!capture.isWhole)
    }

    @Test func `a captured body that is rewound is captured from its beginning`() async throws {
        let (capture, rewound) = (BodyCapture(upTo: 8), Locked(BodyCapture(upTo: 0)))
        let (capturing, reading) = (ScriptedPlugin("capturing", priority: 2), ScriptedPlugin("reading", priority: 1))
        capturing.onResponse = { exchange in
            exchange.wrapResponseBody { CapturedSource($0, capture) }
            return .next
        }
        reading.onResponse = { exchange in
            exchange.wrapResponseBody { inner in
                RewindingSource(inner) { rewound.withLock { $0 = BodyCapture(copying: capture) } }
            }
            return .next
        }
        let transport = MockTransport { _, _ in .source(200, Fields(), PiecesSource(["Ada", "!"], canRewind: true)) }
        let kernel = try makeKernel([reading, capturing], transport)

        let text = try await kernel.send(Request(.get, "http://a.test/")).body.text()

        #expect(text == "AdaAda!" && capture.bytes == Array("Ada!".utf8) && capture.count == 4 && capture.isWhole)
        #expect(rewound.withLock { $0.count == 0 && $0.bytes.isEmpty && !$0.isWhole })
    }
}

/// Reads a piece, and then the body from its beginning.
private final class RewindingSource: BodySource {
    private let inner: InnerBody
    private let rewound: @Sendable () -> Void
    private let pulls = Mutex(0)

    init(_ inner: InnerBody, _ rewound: @escaping @Sendable () -> Void) {
        (self.inner, self.rewound) = (inner, rewound)
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let number = pulls.withLock { pulls in
            pulls += 1
            return pulls
        }
        if number == 2, inner.rewind() { rewound() }
        inner.forward(pull)
    }

    func release() { inner.release() }
}

extension BodyCapture {
    fileprivate func take(_ text: [UInt8]) { text.withUnsafeBytes { take($0) } }
}
