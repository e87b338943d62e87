import PlugboardCore
import TestSupport
import Testing

@testable import PlugboardEndpoints

/// The order in which the requests of a batch begin.
@Suite struct BatchQueueTests {
    private func queue(
        _ requests: [(Int, String?)], limit: Int? = nil, limitPerHost: Int? = nil
    ) -> BatchQueue {
        BatchQueue(
            requests.map { (CallPriority($0), $1.flatMap { Origin(url: "http://\($0).test/") }) }, limit: limit,
            limitPerHost: limitPerHost)
    }

    private func all(_ queue: inout BatchQueue) -> [Int] {
        var begun: [Int] = []
        while let next = queue.next() { begun.append(next) }
        return begun
    }

    @Test func `without limits all begin by priority`() {
        var queue = queue([(0, "a"), (5, "b"), (0, nil), (5, "a")])

        #expect(all(&queue) == [1, 3, 0, 2])
    }

    @Test func `an end makes room for one`() {
        var queue = queue([(0, "a"), (0, "a"), (0, "a"), (0, "a")], limit: 2)

        #expect(all(&queue) == [0, 1])
        queue.end(0)
        #expect(all(&queue) == [2])
        #expect(queue.begun == [1, 2])
        queue.end(1)
        queue.end(2)
        #expect(all(&queue) == [3])
    }

    @Test func `hosts have limits of their own, and requests of unknown hosts have none`() {
        var queue = queue([(0, "a"), (9, "a"), (0, "b"), (0, nil), (0, nil)], limitPerHost: 1)

        #expect(all(&queue) == [1, 2, 3, 4])
        queue.end(1)
        #expect(all(&queue) == [0])
    }

    @Test func `a request that ends before it began does not begin`() {
        var queue = queue([(0, "a"), (0, "a"), (0, "a")], limit: 1)

        queue.end(0)
        #expect(all(&queue) == [1])
        queue.end(2)
        queue.end(1)
        #expect(all(&queue) == [])
    }

    @Test(arguments: [0, -3]) func `a limit below one counts as one`(_ limit: Int) {
        var queue = queue([(0, "a"), (0, "a")], limit: limit, limitPerHost: limit)

        #expect(all(&queue) == [0])
    }

    @Test(arguments: 0..<40) func `every request begins once, and no limit is exceeded`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let requests = (0..<60).map { _ in
            (Int.random(in: 0...2, using: &random), ["a", "b", "c", nil].randomElement(using: &random) ?? nil)
        }
        let (limit, limitPerHost) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...4, using: &random))
        var queue = queue(requests, limit: limit, limitPerHost: limitPerHost)
        var (running, seen) = ([Int](), [Int]())

        while true {
            let begun = all(&queue)
            running += begun
            seen += begun
            #expect(running.count <= limit)
            for host in ["a", "b", "c"] {
                #expect(running.filter { requests[$0].1 == host }.count <= limitPerHost)
            }
            guard !running.isEmpty else { break }
            queue.end(running.remove(at: Int.random(in: 0..<running.count, using: &random)))
        }

        #expect(seen.sorted() == Array(0..<60))
    }

    @Test func `lengths that servers make up do not overflow the sum`() {
        var sum = ByteSum(count: 2)

        for index in 0...1 { sum.set(TransferProgress(received: .max, toReceive: .max), at: index) }

        #expect(sum.total.received > 0 && sum.total.toReceive ?? 0 > 0)
    }

    @Test func `bytes of several calls are added up`() {
        var sum = ByteSum(count: 2)

        sum.set(TransferProgress(sent: 1, toSend: 10, received: 2, toReceive: nil), at: 0)
        #expect(sum.total == TransferProgress(sent: 1, received: 2))
        sum.set(TransferProgress(sent: 4, toSend: 10, received: 2, toReceive: 8), at: 0)
        sum.set(TransferProgress(sent: 5, toSend: 5, received: 3, toReceive: 4), at: 1)
        #expect(sum.total == TransferProgress(sent: 9, toSend: 15, received: 5, toReceive: 12))
        sum.set(TransferProgress(received: 6), at: 1)
        sum.end(at: 1)
        #expect(sum.total == TransferProgress(sent: 4, toSend: 10, received: 8, toReceive: 14))
    }
}
