import PlugboardCore
public import PlugboardQueueOptions

// The later result of a call that has ended as `queued`: the plugin `queue` sends its request later. The result has
// status, fields and body of the response, and the queue keeps it until the program acknowledges it:
//
//     if let outcome = try await call.queueOutcome, outcome.hasSucceeded {
//         try await client.kernel.queue.acknowledge([outcome.id])
//     }
extension Call {
    /// The final result of the request that the plugin `queue` keeps, as soon as it was sent or given up; nil if the
    /// call ends in another state. Starts a waiting call.
    ///
    /// Throws `queue.unknown` if the request was dropped. Cancelling the task cancels a call that is under way and ends
    /// the wait; a request that is already in the queue is still sent.
    public var queueOutcome: QueuedRequest? {
        get async throws(PlugboardError) {
            start()
            await withTaskCancellationHandler {
                await ended()
            } onCancel: {
                cancel()
            }
            guard let ticket = error?.queueTicket, let kernel = lock.withLock({ $0.kernel }) else { return nil }
            return try await kernel.queue.outcome(of: ticket)
        }
    }

    /// Called once for a call that has ended as `queued`, with the final result of its request in this process: see
    /// `queueOutcome`.
    @discardableResult
    public func onQueueOutcome(
        _ callback: @escaping @Sendable (Result<QueuedRequest, PlugboardError>) -> Void
    ) -> Self {
        attach(outcome: callback, onMain: false)
    }

    func attach(
        outcome callback: @escaping @Sendable (Result<QueuedRequest, PlugboardError>) -> Void, onMain isOnMain: Bool
    ) -> Self {
        // After another end there is no kernel, and the callback is never called.
        guard let kernel = lock.withLock({ $0.kernel }) else { return self }
        return attach(
            .queued { [queue] error in
                // Without a ticket another plugin keeps the request, and does not report its result.
                guard let ticket = error.queueTicket else { return }
                Task {
                    let result: Result<QueuedRequest, PlugboardError>
                    do throws(PlugboardError) {
                        result = .success(try await kernel.queue.outcome(of: ticket))
                    } catch {
                        result = .failure(error)
                    }
                    queue.add(onMain: isOnMain) { callback(result) }
                    queue.run()
                }
            })
    }
}
