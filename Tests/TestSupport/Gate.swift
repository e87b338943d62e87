import Foundation
import Synchronization

/// Lets one side of a test decide when the other may continue, so that no test depends on sleeping.
///
/// A gate counts its admissions, and the count only increases: a wait for the n-th admission returns as soon as the
/// count is n or more, regardless of the number of waiters. All functions may be called from any thread.
package final class Gate: Sendable {
    /// The time after which a wait fails, because the test is wrong.
    package static let patience: Duration = .seconds(120)

    private struct Waiter {
        let id: Int
        let count: Int
        let resume: @Sendable (Result<Void, any Error>) -> Void
    }

    private struct State {
        var admitted = 0
        var lastID = 0
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of admissions so far; `Int.max` if the gate is open.
    package var admitted: Int { state.withLock { $0.admitted } }

    /// Admits `count` more.
    package func admit(_ count: Int = 1) {
        raise { $0 > Int.max - count ? Int.max : $0 + count }
    }

    /// Admits everything from now on.
    package func open() {
        raise { _ in Int.max }
    }

    private func raise(_ change: (Int) -> Int) {
        let released = state.withLock { state in
            state.admitted = change(state.admitted)
            let released = state.waiters.filter { $0.count <= state.admitted }
            state.waiters.removeAll { $0.count <= state.admitted }
            return released
        }
        for waiter in released { waiter.resume(.success(())) }
    }

    /// Blocks the calling thread until there were `count` admissions. Use it on threads of servers, not in tasks.
    ///
    /// Throws `GateError` when the time is up.
    package func wait(for count: Int = 1, timeout: Duration = Gate.patience) throws {
        try wait(for: count, timeout: timeout) { _ in }
    }

    /// Like `wait(for:timeout:)`. Before the wait, `interruptible` gets a function that ends the wait with `GateError`.
    func wait(
        for count: Int, timeout: Duration, interruptible: (_ interrupt: @escaping @Sendable () -> Void) -> Void
    ) throws {
        let semaphore = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        let id = nextID()
        add(
            Waiter(id: id, count: count) { result in
                outcome.result.withLock { $0 = result }
                semaphore.signal()
            })
        interruptible { self.withdraw(id, throwing: GateError.interrupted) }
        if semaphore.wait(timeout: .now() + timeout.seconds) == .timedOut {
            withdraw(id, throwing: GateError.timedOut(waitingFor: count, admitted: admitted))
            semaphore.wait()
        }
        try outcome.result.withLock { $0 }.get()
    }

    /// Suspends the calling task until there were `count` admissions.
    ///
    /// Throws `GateError` when the time is up and `CancellationError` when the task is cancelled.
    package func opened(for count: Int = 1, timeout: Duration = Gate.patience) async throws {
        let id = nextID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Waiter(id: id, count: count) { continuation.resume(with: $0) })
                // The handler below may have run before the waiter was added.
                if Task.isCancelled { withdraw(id, throwing: CancellationError()) }
                DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in
                    guard let self else { return }
                    withdraw(id, throwing: GateError.timedOut(waitingFor: count, admitted: admitted))
                }
            }
        } onCancel: {
            withdraw(id, throwing: CancellationError())
        }
    }

    private func nextID() -> Int {
        state.withLock {
            $0.lastID += 1
            return $0.lastID
        }
    }

    private func add(_ waiter: Waiter) {
        let isAdmitted = state.withLock { state in
            if waiter.count <= state.admitted { return true }
            state.waiters.append(waiter)
            return false
        }
        if isAdmitted { waiter.resume(.success(())) }
    }

    private func withdraw(_ id: Int, throwing error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(.failure(error))
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>>(.success(()))
    }
}

/// The reason why a wait at a gate failed.
package enum GateError: Error {
    case timedOut(waitingFor: Int, admitted: Int)
    /// The server whose thread waited was stopped.
    case interrupted
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
