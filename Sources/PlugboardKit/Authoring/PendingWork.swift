import Synchronization

/// The work of `.wait { … }` while it runs. Releasing this cancels it.
@usableFromInline
final class PendingWork: Sendable {
    @usableFromInline typealias Work = @Sendable () async throws -> Decision
    @usableFromInline typealias Decision = @Sendable (borrowing Exchange) throws -> VerdictPayload

    private let result = Mutex<Result<Decision, any Error>?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ work: @escaping Work, waking ticket: Ticket) {
        let running = Task { [weak self] in
            let result: Result<Decision, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            // If this was released, the exchange no longer waits.
            guard let self else { return }
            self.result.withLock { $0 = result }
            ticket.wake()
        }
        task.withLock { $0 = running }
    }

    deinit { task.withLock { $0?.cancel() } }

    /// The decision of the work, after it has woken the ticket.
    func decision() throws -> Decision? { try result.withLock { $0 }?.get() }
}
