import Synchronization

extension SubResponse {
    /// Takes the body and reads it whole; without a body there are no bytes. From any task.
    ///
    /// Throws `body.limit` as soon as more than `limit` bytes were received, the body's own error if it breaks, and
    /// `cancelled` as soon as the task is cancelled. The rest is then released unread.
    public func collect(upTo limit: ByteCount) async throws(PlugboardError) -> Bytes {
        let collection = Collection(limit)
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                collection.whenDone { continuation.resume(returning: $0) }
                host.run(on: loop) {
                    collection.begin(self)
                } orNever: {
                    collection.end(.failure(PlugboardError(.shutDown, "The kernel has ended.")))
                }
            }
        } onCancel: {
            collection.end(.failure(PlugboardError(.cancelled, "The task that read the response was cancelled.")))
        }
        return try result.get()
    }

    /// Takes the body, reads it whole, and calls the closure once, on the loop. Call this on the loop, too, as in the
    /// closure of `PluginHost.send`.
    public func collect(
        upTo limit: ByteCount, collected: @escaping @Sendable (Result<Bytes, PlugboardError>) -> Void
    ) {
        let collection = Collection(limit)
        collection.whenDone(collected)
        collection.begin(self)
    }
}

/// Reads a body to its end, or to the first byte beyond the limit, and reports the outcome once.
///
/// Sendable because what is not under the lock is touched on the loop only.
private final class Collection: @unchecked Sendable {
    private typealias Outcome = Result<Bytes, PlugboardError>

    private struct State {
        var body: InnerBody?
        var outcome: Outcome?
        var done: (@Sendable (Outcome) -> Void)?
    }

    private let limit: ByteCount
    private let state = Mutex(State())
    private var bytes: [UInt8] = []
    private var isPulling = false
    private var isCompleted = false

    init(_ limit: ByteCount) { self.limit = limit }

    /// Called once. `done` runs at once if the outcome is already known.
    func whenDone(_ done: @escaping @Sendable (Result<Bytes, PlugboardError>) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.done = done }
            return state.outcome
        }
        if let outcome { done(outcome) }
    }

    func begin(_ subResponse: SubResponse) {
        guard let body = subResponse.takeBody() else { return end(.success(.empty)) }
        let isWanted = state.withLock { state in
            if state.outcome == nil { state.body = body }
            return state.outcome == nil
        }
        guard isWanted else { return body.release() }
        if let length = body.length {
            guard length <= limit.bytes else { return end(.failure(tooLarge)) }
            // The server chooses the length, so memory beyond 1 MiB is taken only when the bytes arrive.
            bytes.reserveCapacity(min(length, 1 << 20))
        }
        pull(body)
    }

    /// Uses a loop, not recursion, because the server chooses how many pieces are ready, and each would nest a call.
    private func pull(_ body: InnerBody) {
        isPulling = true
        repeat {
            isCompleted = false
            let isTaken = body.ask { [self] piece, _ in
                take(piece)
                isCompleted = true
                if !isPulling && !isOver { pull(body) }
            }
            if !isTaken { end(.failure(PlugboardError(.pluginFault, "The response's body is not there to be read."))) }
        } while isCompleted && !isOver
        isPulling = false
    }

    private func take(_ piece: borrowing InnerBody.View) {
        switch copy piece {
        case .bytes(let piece):
            if piece.count <= limit.bytes - bytes.count { bytes += piece } else { end(.failure(tooLarge)) }
        case .end: end(.success(Bytes(bytes)))
        case .broken(let error): end(.failure(error))
        }
    }

    private var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the outcome; the first one counts. From any thread.
    func end(_ outcome: Result<Bytes, PlugboardError>) {
        let (body, done) = state.withLock { state -> (InnerBody?, (@Sendable (Outcome) -> Void)?) in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            defer { (state.body, state.done) = (nil, nil) }
            return (state.body, state.done)
        }
        body?.release()
        done?(outcome)
    }

    private var tooLarge: PlugboardError {
        PlugboardError(.bodyLimit, "The response's body is larger than the limit of \(limit). Raise the limit.")
    }
}
