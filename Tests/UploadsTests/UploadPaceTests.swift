import Synchronization
import Testing

@testable import PlugboardUploads

struct UploadPaceTests {
    @Test func `nothing is told of an earlier request, nor after the end`() async throws {
        let told = Mutex<[Int]>([])
        let pace = UploadPace { facts in told.withLock { $0.append(facts.sent) } }
        func progress(_ sent: Int) -> UploadProgress { UploadProgress(sent: sent, resumed: 0, total: 9) }

        let first = pace.begin()
        pace.tell(progress(5), first)
        let second = pace.begin()
        // Progress is told ten times a second at most.
        try await Task.sleep(for: .milliseconds(120))
        pace.tell(progress(4), first)
        pace.tell(progress(6), second)
        try await Task.sleep(for: .milliseconds(120))
        pace.tell(progress(6), second)
        pace.end(progress(9))
        pace.tell(progress(9), second)

        #expect(told.withLock { $0 } == [5, 6, 9])
    }
}
