import Synchronization

/// Remembers whether an exchange has taken a source that cannot be copied, and so can be sent only once.
final class SingleUse: Sendable {
    private let isTaken = Atomic(false)

    /// Returns true the first time. From any thread.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
