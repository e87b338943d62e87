import PlugboardBorder
import Synchronization

/// Hands the outcome of an exchange to the task that waits for it, on any executor.
///
/// Sendable because its state is under a lock, and the rest is touched on the loop only.
final class ProgramOutcome: ExchangeOutcome, @unchecked Sendable {
    typealias Outcome = Result<Response, PlugboardError>

    // A priority is kept as its number, because the compiler does not know the size of Swift's type: each copy of the
    // state would go through functions that find it out.
    private enum State {
        case nothing
        case waiting(UnsafeContinuation<Outcome, Never>, inPool: UInt8?)
        case ready(Outcome)
        /// Handed over, or no longer wanted.
        case done
    }

    private let state = Mutex(State.nothing)
    /// The outcome of the exchange, and the queue of its body, until the end of the loop's turn.
    private var arrived: Outcome?
    private var queue: ReaderQueue?

    /// Waits for the outcome; to be called once. Cancelling the task cancels the exchange.
    @inline(__always)
    nonisolated(nonsending) func response(of exchange: ExchangeCore) async throws(PlugboardError) -> Response {
        let priority = exchange.loop.isCurrent ? nil : ProgramOutcome.priorityInPool(#isolation)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { wait($0, inPool: priority) }
        } onCancel: {
            exchange.requestCancel()
        }
        switch outcome {
        case .success(let response): return response
        case .failure(let error): throw error
        }
    }

    /// The priority of the current task if it runs in Swift's pool of threads, and neither on an actor nor on an
    /// executor of its own.
    private static func priorityInPool(_ isolation: (any Actor)?) -> UInt8? {
        if isolation != nil { return nil }
        return withUnsafeCurrentTask { $0.flatMap { $0.unownedTaskExecutor == nil ? $0.priority.rawValue : nil } }
    }

    private func wait(_ continuation: UnsafeContinuation<Outcome, Never>, inPool priority: UInt8?) {
        let ready = state.withLock { state -> Outcome? in
            switch state {
            case .nothing:
                state = .waiting(continuation, inPool: priority)
                return nil
            case .ready(let outcome):
                state = .done
                return outcome
            case .waiting, .done:
                return .failure(PlugboardError(.requestTaken, "The response of this exchange was asked for before."))
            }
        }
        if let ready { continuation.resume(returning: ready) }
    }

    /// Called on any thread when the loop has stopped, so that the exchange does not begin.
    func refuse() {
        let error = PlugboardError(.shutDown, "The kernel is shut down and takes no requests.")
        state.withLock { if case .nothing = $0 { $0 = .ready(.failure(error)) } }
    }

    /// Drops the outcome, now or when it comes, because it is not wanted. This cancels an exchange whose body is under
    /// way.
    func abandon() {
        // This may be the last reference to the response, which must not be released within the lock.
        let dropped = state.withLock { state in
            let old = state
            if case .waiting = old {} else { state = .done }
            return old
        }
        withExtendedLifetime(dropped) {}
    }

    func succeed(_ head: consuming ResponseHead, _ body: FlowingBody?, _ exchange: ExchangeCore) {
        queue = body.map {
            ReaderQueue($0, loop: exchange.loop, limit: exchange.core.settings.bufferLimit.bytes)
        }
        arrived = .success(
            Response(
                head: head, body: queue.map { Body(uncounted: $0) } ?? .empty,
                url: exchange.attempts.sentURL ?? exchange.request.head.url, attempts: exchange.attempts.count))
        exchange.home.outcomes.add(self)
    }

    func fail(_ error: PlugboardError, _ exchange: ExchangeCore) {
        arrived = .failure(error)
        exchange.home.outcomes.add(self)
    }

    /// Resumes the task that waits. Returns it instead, with its priority, if it runs in Swift's pool. [loop]
    func handOver() -> (ready: OutcomeBatch.Ready, priority: UInt8)? {
        // Done only at the end of the turn, in which most bodies come whole, so that their end need not be waited for.
        if let queue = queue.take(), !queue.pump(), case .success(var response) = arrived {
            response.body = Body(uncounted: ResponseReader(queue))
            arrived = .success(response)
        }
        guard arrived != nil else { return nil }
        let waiting = state.withLock { state -> (UnsafeContinuation<Outcome, Never>, UInt8?)? in
            switch state {
            case .waiting(let continuation, let priority):
                state = .done
                return (continuation, priority)
            case .nothing: if let outcome = arrived.take() { state = .ready(outcome) }
            case .ready, .done: break
            }
            return nil
        }
        // Outside the lock, because an unwanted response is released here.
        guard let outcome = arrived.take(), let (continuation, priority) = waiting else { return nil }
        if let priority { return (OutcomeBatch.Ready(outcome: outcome, continuation: continuation), priority) }
        continuation.resume(returning: consume outcome)
        return nil
    }
}
