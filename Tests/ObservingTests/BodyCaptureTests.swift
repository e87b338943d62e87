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
}

extension BodyCapture {
    fileprivate func take(_ text: [UInt8]) { text.withUnsafeBytes { take($0) } }
}
