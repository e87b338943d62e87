import TestSupport
import Testing

@testable import AuthenticationPlugin

struct WorkerThreadsTests {
    @Test func `work runs beside its caller, and many pieces at once`() async throws {
        let threads = WorkerThreads()
        let here = Gate()
        let go = Gate()

        for _ in 0..<20 {
            #expect(
                threads.run {
                    here.admit()
                    try? go.wait()
                })
        }
        try await here.opened(for: 20)
        go.open()

        threads.stop()
        #expect(here.admitted == 20)
    }

    @Test func `stopping waits for what is under way, and takes nothing more`() async throws {
        let threads = WorkerThreads()
        let began = Gate()
        let ended = Record()
        #expect(
            threads.run {
                began.admit()
                while !threads.isStopping {}
                ended.add("ended")
            })
        try await began.opened()

        threads.stop()

        #expect(ended.lines == ["ended"])
        #expect(!threads.run { ended.add("late") })
        #expect(ended.lines == ["ended"])
    }
}
