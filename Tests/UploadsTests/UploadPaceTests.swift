import PlugboardMessages
import Synchronization
import Testing

@testable import PlugboardUploads

struct UploadPaceTests {
    @Test func `nothing is told of an earlier request, nor after the end`() throws {
        let told = Mutex<[Int]>([])
        let clock = Mutex(ContinuousClock.now)
        let pace = UploadPace(now: { clock.withLock { $0 } }) { facts in told.withLock { $0.append(facts.sent) } }
        func progress(_ sent: Int) -> TransferProgress { TransferProgress(sent: sent, toSend: 9, resumed: 0) }

        let first = pace.begin()
        pace.tell(progress(5), first)
        let second = pace.begin()
        // Progress is told ten times a second at most.
        clock.withLock { $0 += .milliseconds(100) }
        pace.tell(progress(4), first)
        pace.tell(progress(6), second)
        clock.withLock { $0 += .milliseconds(99) }
        pace.tell(progress(7), second)
        clock.withLock { $0 += .milliseconds(100) }
        pace.tell(progress(6), second)
        pace.tell(progress(8), second)
        pace.end(progress(9))
        pace.tell(progress(9), second)

        #expect(told.withLock { $0 } == [5, 6, 8, 9])
    }
}
