import Foundation
import Synchronization
import TestSupport
import Testing

struct FolderWatchTests {
    @Test func `a watch calls at the count, and ends when its folder is gone`() async throws {
        let (folder, gone) = (try TemporaryFolder(), try TemporaryFolder())
        let reached = Gate()
        let calls = Mutex(0)

        let watch = try FolderWatch(folder.path, after: 2) { reached.open() }
        let other = try FolderWatch(gone.path, after: 60) { calls.withLock { $0 += 1 } }
        for name in ["a", "b"] { try folder.write(name, "") }
        try await reached.opened()
        gone.remove()
        try await other.ended.opened()
        try await watch.ended.opened()

        #expect(calls.withLock { $0 } == 0)
    }
}
