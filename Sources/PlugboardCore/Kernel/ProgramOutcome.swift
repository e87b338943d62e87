import PlugboardKit
import Synchronization

/// Hands the outcome of an exchange to the task that waits for it, on any executor.
///
/// Sendable because its state is under a lock, and the rest is touched on the loop only.
final class ProgramOutcome: ExchangeOutcome, @unchecked Sendable {
    typealias Outcome = Result<Response, PlugboardError>

    private enum State {
        case nothing
        case waiting(UnsafeContinuation<Outcome, Never>)
        case ready(Outcome)
        /// Handed over, or no longer wanted.
        case done
    }

    private let state = Mutex(State.nothing)
    /// The outcome of the exchange, until the end of the loop's turn.
    private var arrived: Outcome?

    /// Waits for the outcome; to be called once. Cancelling the task cancels the exchange.
    nonisolated(nonsending) func response(of exchange: ExchangeCore) async throws(PlugboardError) -> Response {
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { wait($0) }
        } onCancel: {
            exchange.requestCancel()
        }
        switch outcome {
        case .success(let response): return response
        case .failure(let error): throw error
        }
    }

    private func wait(_ continuation: UnsafeContinuation<Outcome, Never>) {
        let ready = state.withLock { state -> Outcome? in
            switch state {
            case .nothing:
                state = .waiting(continuation)
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

    /// The loop has stopped, so that the exchange does not begin. From any thread.
    func refuse() {
        let error = PlugboardError(.shutDown, "The kernel is shut down and takes no requests.")
        state.withLock { if case .nothing = $0 { $0 = .ready(.failure(error)) } }
    }

    /// The outcome is not wanted: it is dropped, now or when it comes, which cancels an exchange whose body is under
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

    func succeed(_ response: OutwardResponse, _ body: FlowingBody?, _ exchange: ExchangeCore) {
        let queue = body.map {
            ReaderQueue($0, loop: exchange.loop, limit: exchange.core.settings.bufferLimit.bytes)
        }
        arrived = .success(
            Response(
                head: response.head, body: queue.map { Body(ResponseReader($0)) } ?? .empty,
                url: exchange.attempts.sentURL ?? exchange.request.head.url, attempts: exchange.attempts.count))
        queue?.pump()
        exchange.loop.atEndOfTurn { self.handOver() }
    }

    func fail(_ error: PlugboardError, _ exchange: ExchangeCore) {
        arrived = .failure(error)
        exchange.loop.atEndOfTurn { self.handOver() }
    }

    /// At the end of the turn, so that a response that came whole is handed over whole, with one wake-up.
    private func handOver() {
        guard let outcome = arrived.take() else { return }
        let waiting = state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
            switch state {
            case .waiting(let continuation):
                state = .done
                return continuation
            case .nothing: state = .ready(outcome)
            case .ready, .done: break
            }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
