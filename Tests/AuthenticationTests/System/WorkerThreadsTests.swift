import TestSupport
import Testing

@testable import PlugboardAuthentication

struct WorkerThreadsTests {
    @Test func `work runs on its own threads, in parallel`() async throws {
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

    @Test func `stop waits for running work and refuses more`() async throws {
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
