import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// The bytes of one transfer between libcurl and the reader.
struct PieceQueueTests {
    private func append(_ bytes: some Sequence<UInt8>, expected: Int?, to queue: inout PieceQueue) {
        Array(bytes).withUnsafeBytes { queue.append($0, expected: expected) }
    }

    private func rest(of queue: inout PieceQueue) -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = queue.pop() { bytes += piece.array }
        return bytes
    }

    @Test func `an empty queue has no block`() {
        var queue = PieceQueue()
        defer { queue.removeAll() }
        append([], expected: nil, to: &queue)

        #expect(queue.isEmpty)
        #expect(queue.pop() == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `bytes leave in the order in which they came, whatever the sizes`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = PieceQueue()
        defer { queue.removeAll() }
        var (came, left): ([UInt8], [UInt8]) = ([], [])
        var (cameInAll, leftInAll) = (0, 0)

        for _ in 0..<500 {
            let size = Int.random(in: 0..<(Bool.random(using: &random) ? 20 : 40_000), using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                queue.removeAll()
                (came, left) = ([], [])
                (cameInAll, leftInAll) = (0, 0)
            case 1..<12:
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: cameInAll + $0 &* 31) }
                append(bytes, expected: Bool.random(using: &random) ? size : nil, to: &queue)
                came += bytes
                cameInAll += size
            default:
                guard let piece = queue.pop() else { break }
                left += piece.array
                leftInAll += piece.count
            }
            #expect(queue.count == cameInAll - leftInAll)
        }
        left += rest(of: &queue)

        #expect(left == came)
    }

    @Test(arguments: [0, 1, 100, 5000, 300_000], [true, false])
    func `a queue whose memory was released takes new bytes`(size: Int, isWhole: Bool) {
        var queue = PieceQueue()
        defer { queue.removeAll() }
        append([UInt8](repeating: 1, count: size), expected: isWhole ? size : nil, to: &queue)
        if size == 100 { _ = queue.pop() }

        queue.removeAll()
        let isEmpty = queue.isEmpty
        append([2, 3], expected: nil, to: &queue)

        #expect(isEmpty)
        #expect(rest(of: &queue) == [2, 3])
    }
}
