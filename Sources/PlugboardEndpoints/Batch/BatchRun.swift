import PlugboardCore
import Synchronization

/// A batch under way: starts its calls within the limits, and waits until all have ended.
final class BatchRun: CallFollower {
    private struct State {
        var queue: BatchQueue
        var isSuspended = false
        /// Whether no further call may begin.
        var isStopped = false
        var firstFailure: Int?
        var progress: BatchProgress
        var bytes: ByteSum
        /// Whether each call has ended, by its index.
        var hasEnded: [Bool]
    }

    let calls: [any AnyCall]
    private let cancelsAtFailure: Bool
    private let onProgress: @Sendable (BatchProgress) -> Void
    /// Keeps reports in order.
    private let reports = CallbackQueue(.immediate)
    private let state: Mutex<State>

    init(_ calls: [any AnyCall], _ options: BatchOptions, onProgress: @escaping @Sendable (BatchProgress) -> Void) {
        self.calls = calls
        cancelsAtFailure = options.cancelsAtFailure
        self.onProgress = onProgress
        let queue = BatchQueue(
            calls.map { ($0.labels.priority, $0.origin) }, limit: options.limit, limitPerHost: options.limitPerHost)
        state = Mutex(
            State(
                queue: queue, progress: BatchProgress(count: calls.count), bytes: ByteSum(count: calls.count),
                hasEnded: Array(repeating: false, count: calls.count)))
    }

    /// The number of calls, and the first ten of them.
    var description: String {
        let shown = calls.prefix(10).map { "\($0)" } + (calls.count > 10 ? ["\(calls.count - 10) more"] : [])
        return "batch of \(calls.count)" + (shown.isEmpty ? "" : " (\(shown.joined(separator: "; ")))")
    }

    /// Throws the error of the first failure, or else of the first call that has no value. All calls have ended.
    func check() throws(PlugboardError) {
        if let index = state.withLock({ $0.firstFailure }), let error = calls[index].error {
            throw error.of("Request \(index + 1) of \(calls.count) of the batch failed")
        }
        for call in calls { if let error = call.error { throw error } }
    }

    /// Runs the batch, and returns when all calls have ended.
    func run() async {
        startNext()
        await withDiscardingTaskGroup { group in
            for index in calls.indices {
                group.addTask { [self] in
                    await calls[index].ended()
                    noteEnd(of: index)
                }
            }
        }
    }

    /// Cancels all calls; they have ended when this returns.
    func cancel() {
        state.withLock { $0.isStopped = true }
        for call in calls { call.cancel() }
    }

    func suspend() {
        state.withLock { state in
            state.isSuspended = true
            for index in state.queue.begun { calls[index].suspend() }
        }
    }

    func resume() {
        state.withLock { state in
            state.isSuspended = false
            for index in state.queue.begun { calls[index].resume() }
        }
        // Not directly: the caller holds the lock of the batch's own call.
        Task { startNext() }
    }

    /// Reports that bytes of a call were sent or received.
    func report(_ progress: TransferProgress, of index: Int) {
        state.withLock { state in
            // The executor may run the callback after the end.
            guard !state.hasEnded[index] else { return }
            state.bytes.set(progress, at: index)
            addReport(&state)
        }
        reports.run()
    }

    private func startNext() {
        while let index = state.withLock({ $0.isSuspended || $0.isStopped ? nil : $0.queue.next() }) {
            calls[index].start()
        }
    }

    private func noteEnd(of index: Int) {
        let hasFailed = calls[index].state == .failed
        let bytes = calls[index].currentProgress
        let mustCancel = state.withLock { state in
            state.queue.end(index)
            state.hasEnded[index] = true
            state.progress.ended += 1
            if hasFailed { state.progress.failed += 1 }
            state.bytes.set(bytes, at: index)
            state.bytes.end(at: index)
            let isFirst = hasFailed && state.firstFailure == nil
            if isFirst { state.firstFailure = index }
            addReport(&state)
            return isFirst && cancelsAtFailure
        }
        if mustCancel { cancel() }
        startNext()
        reports.run()
    }

    /// Called within the lock, so that reports are in order.
    private func addReport(_ state: inout State) {
        state.progress.bytes = state.bytes.total
        let progress = state.progress
        reports.add { [onProgress] in onProgress(progress) }
    }
}

extension PlugboardError {
    /// This error with a reason that names the failed request.
    func of(_ part: String) -> PlugboardError {
        // A cancellation, for example, is not a failure of this request.
        guard CallState(self) == .failed else { return self }
        var error = self
        error.reason = "\(part): \(reason)"
        return error
    }
}

/// The sum of the progress of several calls.
struct ByteSum {
    private var parts: [TransferProgress]
    private var sum = TransferProgress(toSend: 0, toReceive: 0)
    private var unknownToSend: Int
    private var unknownToReceive: Int

    init(count: Int) {
        parts = Array(repeating: TransferProgress(), count: count)
        (unknownToSend, unknownToReceive) = (count, count)
    }

    var total: TransferProgress {
        TransferProgress(
            sent: sum.sent, toSend: unknownToSend == 0 ? sum.toSend : nil, received: sum.received,
            toReceive: unknownToReceive == 0 ? sum.toReceive : nil, resumed: sum.resumed)
    }

    mutating func set(_ new: TransferProgress, at index: Int) {
        // Servers may announce any total; the limit keeps the sum from overflowing.
        let limit = Int.max / (parts.count + 1)
        func bounded(_ count: Int) -> Int { min(max(count, 0), limit) }
        let new = TransferProgress(
            sent: bounded(new.sent), toSend: new.toSend.map(bounded), received: bounded(new.received),
            toReceive: new.toReceive.map(bounded), resumed: bounded(new.resumed))
        let old = parts[index]
        sum.sent += new.sent - old.sent
        sum.received += new.received - old.received
        sum.resumed += new.resumed - old.resumed
        sum.toSend = (sum.toSend ?? 0) + (new.toSend ?? 0) - (old.toSend ?? 0)
        sum.toReceive = (sum.toReceive ?? 0) + (new.toReceive ?? 0) - (old.toReceive ?? 0)
        unknownToSend += (new.toSend == nil ? 1 : 0) - (old.toSend == nil ? 1 : 0)
        unknownToReceive += (new.toReceive == nil ? 1 : 0) - (old.toReceive == nil ? 1 : 0)
        parts[index] = new
    }

    /// Notes that the call has ended, so that the bytes received so far are its total.
    mutating func end(at index: Int) {
        var part = parts[index]
        part.toSend = part.toSend ?? part.sent
        part.toReceive = part.toReceive ?? part.received
        set(part, at: index)
    }
}
