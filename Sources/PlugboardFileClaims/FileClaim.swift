package import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The claim of one task, such as a download, to the files that it has locked.
///
/// A lock (`flock`) prevents two tasks from using one file, also in different processes. A cancelled task keeps its
/// locks until its last request and its last write have ended. Another task of the process waits for that, so that the
/// same work can begin again at once. If the task was not cancelled, its file is busy.
package final class FileClaim: Sendable {
    private struct State {
        var isCancelled = false
        /// The continuation that waits for another claim.
        var wait: CheckedContinuation<Void, Never>?
    }

    struct FileID: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ entry: stat) { (device, inode) = (UInt64(entry.st_dev), UInt64(entry.st_ino)) }
    }

    private struct Holding {
        let claim: FileClaim
        var waiters: [@Sendable () -> Void] = []
    }

    /// The files that tasks of this process have locked.
    private static let holdings = Mutex<[FileID: Holding]>([:])
    private let state = Mutex(State())

    /// Creates a claim that only `cancel` cancels.
    package init() {}

    /// Performs work with a claim that is cancelled together with the task.
    package static func with<Value: Sendable>(
        _ work: (FileClaim) async -> Result<Value, PlugboardError>
    ) async throws(PlugboardError) -> Value {
        let claim = FileClaim()
        let result = await withTaskCancellationHandler {
            await work(claim)
        } onCancel: {
            claim.cancel()
        }
        return try result.get()
    }

    /// Cancels the claim: it will release its locks soon, and does not wait for other locks.
    package func cancel() {
        let wait = state.withLock { state in
            state.isCancelled = true
            return state.wait.take()
        }
        wait?.resume()
    }

    // MARK: Locks

    /// Locks an open file. Returns nil or the system's error: `EWOULDBLOCK` if it is locked.
    package func lock(_ descriptor: Int32) -> Int32? {
        FileClaim.holdings.withLock { holdings in
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno }
            var entry = stat()
            if fstat(descriptor, &entry) == 0 { holdings[FileID(entry)] = Holding(claim: self) }
            return nil
        }
    }

    /// Ends this claim's lock of a file, if it holds one.
    ///
    /// Closing the file is not enough: a child process that has not yet called exec would keep the lock.
    package func unlock(_ descriptor: Int32) {
        let waiters = FileClaim.holdings.withLock { holdings -> [@Sendable () -> Void] in
            flock(descriptor, LOCK_UN)
            var entry = stat()
            guard fstat(descriptor, &entry) == 0, holdings[FileID(entry)]?.claim === self else { return [] }
            return holdings.removeValue(forKey: FileID(entry))?.waiters ?? []
        }
        for waiter in waiters { waiter() }
    }

    // MARK: Waiting

    /// Opens and locks a file. Waits for a cancelled task of this process that still holds the lock.
    ///
    /// - Parameters:
    ///   - code: The error that `open` throws for a locked file. It is thrown if the other task is not cancelled.
    ///   - open: Opens and locks the file; called again when the file was released.
    /// - Throws: `cancelled` if this claim is cancelled meanwhile.
    package func opened<File>(
        _ path: String, busy code: PlugboardError.Code, _ open: () throws(PlugboardError) -> File
    ) async throws(PlugboardError) -> File {
        var mayHaveEnded = true
        while true {
            if state.withLock({ $0.isCancelled }) { throw PlugboardError(.cancelled, "The task was cancelled.") }
            do throws(PlugboardError) {
                return try open()
            } catch {
                guard error.code == code else { throw error }
                if await waitForRelease(of: path) { continue }
                // The file may have been released since.
                guard mayHaveEnded, !FileClaim.isHeld(path) else { throw error }
                mayHaveEnded = false
            }
        }
    }

    /// Waits until the file is released. Returns false at once if no cancelled task of this process has it.
    @inline(never)  // The optimizer of Swift 6.3 crashes where it inlines this.
    private func waitForRelease(of path: String) async -> Bool {
        var isCancelled = false
        await withCheckedContinuation { continuation in
            isCancelled = FileClaim.afterRelease(of: path) { [self] in
                resume()
            } prepared: {
                state.withLock { state in
                    if !state.isCancelled { state.wait = continuation }
                    return !state.isCancelled
                }
            }
            if !isCancelled { continuation.resume() }
        }
        return isCancelled
    }

    private func resume() { state.withLock { $0.wait.take() }?.resume() }

    /// Runs a job when the cancelled task of this process that has the file has released it. Returns false, without
    /// running the job, if there is no such task.
    ///
    /// - Parameter prepared: Called before the job can run; may return false to refuse it.
    @discardableResult
    package static func afterRelease(
        of path: String, _ job: @escaping @Sendable () -> Void, prepared: () -> Bool = { true }
    ) -> Bool {
        guard let id = id(of: path) else { return false }
        return holdings.withLock { holdings in
            guard let holder = holdings[id]?.claim, holder.state.withLock({ $0.isCancelled }), prepared() else {
                return false
            }
            holdings[id]?.waiters.append(job)
            return true
        }
    }

    private static func isHeld(_ path: String) -> Bool {
        id(of: path).map { id in holdings.withLock { $0[id] != nil } } ?? false
    }

    static func id(of path: String) -> FileID? {
        var entry = stat()
        return lstat(path, &entry) == 0 ? FileID(entry) : nil
    }

    /// The number of waiters for the release of a file, for tests.
    package static func waiterCount(of path: String) -> Int {
        id(of: path).flatMap { id in holdings.withLock { $0[id]?.waiters.count } } ?? 0
    }
}
