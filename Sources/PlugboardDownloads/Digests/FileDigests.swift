import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The digests of a file's first bytes. A task computes them in the order of the file, while others write the file.
///
/// The task reads the bytes from the file, usually from the system's cache. Bytes may be written in any order; they are
/// digested as soon as all bytes before them are written.
final class FileDigests: Sendable {
    private let file: OpenFile
    private let state = Mutex(State())

    private struct State {
        /// The digests; empty while the task uses them.
        var digests: [RunningDigest] = []
        /// The number of first bytes that can be read.
        var limit = 0
        /// The number of first bytes that are included in all digests.
        var done = Int.max
        /// The waiting writer, and the number of bytes that must be done before it continues.
        var writer: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        /// The states that a journal can keep.
        var saved: [RunningDigest.State] = []
        var task: Task<Void, Never>?
        /// Changes when the bytes are dropped, which makes the results of a running task invalid.
        var turn = 0

        /// Removes and returns the writer if it need not wait any longer.
        mutating func takeWriter() -> CheckedContinuation<Void, Never>? {
            guard let waiting = writer, task == nil || done >= waiting.count else { return nil }
            writer = nil
            return waiting.continuation
        }
    }

    /// The task starts when this many bytes can be read.
    private static let step = 1 << 20
    private static let pieceLength = 256 << 10
    /// The most bytes by which a writer may be ahead of the digests.
    static let lead = 16 << 20

    init(_ file: OpenFile) { self.file = file }

    /// The states that a journal can keep.
    var saved: [RunningDigest.State] { state.withLock { $0.saved } }

    /// Starts to compute these digests, from known states if there are any.
    func begin(_ algorithms: [ExpectedDigest.Algorithm], from known: [RunningDigest.State]) {
        let writer = state.withLock { state in
            state.saved = known.filter { algorithms.contains($0.algorithm) }
            state.digests = algorithms.map { algorithm in
                state.saved.first { $0.algorithm == algorithm }.map { RunningDigest($0) } ?? RunningDigest(algorithm)
            }
            state.limit = 0
            state.done = FileDigests.next(of: state.digests)
            state.task = nil
            state.turn += 1
            return state.takeWriter()
        }
        writer?.resume()
    }

    /// Notes that this many first bytes are written and will not change.
    func grow(to limit: Int) {
        state.withLock { state in
            state.limit = limit
            guard state.task == nil, limit - FileDigests.next(of: state.digests) >= FileDigests.step else { return }
            state.task = Task { [turn = state.turn] in
                while step(turn) {}
            }
        }
    }

    /// Waits if the writer is faster than the digests, so that the states in a journal are not far behind the bytes.
    /// Returns when the digests are less than `lead` behind, or have advanced by as many bytes as were written: bytes
    /// that were there before must not stop the transfer for long.
    ///
    /// Only one writer may call this at a time.
    func keepUp(with count: Int) async {
        await withCheckedContinuation { continuation in
            let isNear = state.withLock { state in
                guard state.task != nil, state.done < state.limit - FileDigests.lead else { return true }
                state.writer = (min(state.limit - FileDigests.lead, state.done + count), continuation)
                return false
            }
            if isNear { continuation.resume() }
        }
    }

    /// The digests of all bytes, in hexadecimal digits. Throws `cancelled` soon after the task was cancelled.
    func end(of count: Int) async throws(PlugboardError) -> [ExpectedDigest.Algorithm: String] {
        grow(to: count)
        await withTaskCancellationHandler {
            await state.withLock { $0.task }?.value
        } onCancel: {
            // The task ends after the bytes that it is reading now.
            state.withLock { $0.limit = 0 }
        }
        var digests = state.withLock { $0.digests }
        while FileDigests.next(of: digests) < count {
            try DownloadRun.checkCancelled()
            try read(&digests, upTo: count, byBlocks: false)
            await Task.yield()
        }
        return Dictionary(digests.map { ($0.algorithm, $0.hexadecimal) }) { first, _ in first }
    }

    /// Adds some bytes in the task; false if there are not enough.
    private func step(_ turn: Int) -> Bool {
        let (taken, limit) = state.withLock { state -> ([RunningDigest], Int) in
            guard state.turn == turn else { return ([], 0) }
            let next = FileDigests.next(of: state.digests)
            // No writer is waiting then, because it is less than `lead` ahead.
            guard next < .max, state.limit - next >= FileDigests.pieceLength else {
                state.task = nil
                return ([], 0)
            }
            // The lock is not held during the computation.
            defer { state.digests = [] }
            return (state.digests, state.limit)
        }
        guard !taken.isEmpty else { return false }
        var digests = consume taken
        // Bytes that cannot be read now are read again at the end, where the error is thrown.
        let isRead = (try? read(&digests, upTo: limit, byBlocks: true)) != nil
        let (goesOn, writer) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.turn == turn else { return (false, nil) }
            state.digests = digests
            state.done = FileDigests.next(of: digests)
            state.saved = digests.compactMap(\.state)
            if !isRead { state.task = nil }
            return (isRead, state.takeWriter())
        }
        writer?.resume()
        return goesOn
    }

    private static func next(of digests: [RunningDigest]) -> Int { digests.reduce(.max) { min($0, $1.count) } }

    /// Adds the next bytes to the digests that do not include them yet.
    private func read(_ digests: inout [RunningDigest], upTo limit: Int, byBlocks: Bool) throws(PlugboardError) {
        let next = FileDigests.next(of: digests)
        let other = digests.reduce(limit) { $1.count > next ? min($0, $1.count) : $0 }
        var count = min(FileDigests.pieceLength, limit - next, other - next)
        if byBlocks { count -= count % RunningDigest.block }
        try file.read(next..<next + count) { bytes in
            for index in digests.indices where digests[index].count == next { digests[index].update(bytes) }
        }
    }
}
