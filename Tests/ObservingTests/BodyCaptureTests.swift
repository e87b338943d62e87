import PlugboardKit
import PlugboardMessages
import PlugboardObserving
import Testing

struct BodyCaptureTests {
    @Test(arguments: [false, true])
    func `trailers are kept only where they are wanted`(keepsTrailers: Bool) {
        let capture = BodyCapture(upTo: 8, keepsTrailers: keepsTrailers)
        let large = String(repeating: "a", count: 256 << 10)

        capture.take(.end(trailers: Fields(["X-Large": large])))

        #expect(capture.isWhole && capture.trailers["X-Large"] == (keepsTrailers ? large : nil))
    }
}
