import TestSupport
import Testing

@testable import PlugboardCurl

/// The end of the chunked coding in raw bytes, however they are split.
@Suite struct ChunkedEndTests {
    private func isFound(_ text: String, pieceSize: Int) -> Bool {
        var end = ChunkedEnd()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            bytes[start..<min(start + pieceSize, bytes.count)].withUnsafeBytes { end.read($0) }
        }
        return end.isFound
    }

    @Test(
        arguments: [
            "0\r\n\r\n", "4\r\nbody\r\n0\r\n\r\n", "0A;ext=\"0\"\r\n0\r\n\r\n0\r\n\r\n\r\n000;x\r\nSum: 1\r\n\r\n",
            "b \r\nelevenbytes\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        ], [1, 2, 3, 1000])
    func `the end is found with its last byte, and not before`(_ text: String, pieceSize: Int) {
        #expect(isFound(text, pieceSize: pieceSize))
        #expect(!isFound(String(text.dropLast()), pieceSize: pieceSize))
    }

    @Test(arguments: [
        "", "\r\n", "\r\n\r\n", "5\r\nhello!!\r\n0\r\n\r\n", "8000000000000000\r\n\r\n", "x\r\n0\r\n\r\n",
        "10000000000000000\r\n\r\n", "ffffffffffffffffffff\r\n0\r\n\r\n", "8\r\n0\r\n\r\n",
        "5\r\n0\r\n\r\n\r\n0\r\nA: b\r\n",
    ])
    func `what has no end has none`(_ text: String) {
        #expect(!isFound(text, pieceSize: 1000))
    }
}
