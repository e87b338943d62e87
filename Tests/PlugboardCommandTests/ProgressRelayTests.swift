import Dispatch
import Synchronization
import Testing

@testable import PlugboardCommand

struct ProgressRelayTests {
    @Test func `a display that is blocked does not stop those who report progress`() async {
        let shown = Mutex<[Int]>([])
        let began = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let relay = ProgressRelay { _, _, count in
            shown.withLock { $0.append(count.done) }
            if count.done == 1 {
                began.signal()
                mayGoOn.wait()
            }
        }
        let running = Task.detached { await relay.run() }

        relay.put(0, "a", TransferCount(done: 1, resumed: 0, total: nil))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        for count in 2...100 { relay.put(0, "a", TransferCount(done: count, resumed: 0, total: nil)) }
        mayGoOn.signal()
        relay.end()
        await running.value
        relay.finish(0)

        #expect(shown.withLock { $0 } == [1, 100])
    }
}
