import PlugboardKit
import Synchronization

/// The state of an exchange whose request may be queued.
///
/// Sendable because everything outside the mutexes is used on the loop only.
final class Passage: @unchecked Sendable {
    enum Step {
        /// The request passes.
        case passing
        /// It waits for other requests of its line.
        case waiting
        /// It is being added to the file.
        case adding
    }

    var step = Step.passing
    /// Its place in its line, until it has its outcome.
    var turn: LineTurn?
    /// The request's body, if it has one.
    var tap: BodyTap?
    /// The entry that is being added to the file, or is in it.
    var entry: NewEntry?
    private let added = Mutex<Result<Placement, PlugboardError>?>(nil)
    /// Removes the request from the file; nil unless the file has it as one that this exchange sends.
    private let journaled = Mutex<(@Sendable () -> Void)?>(nil)

    /// The result of adding the request.
    var result: Result<Placement, PlugboardError>? {
        get { added.withLock { $0 } }
        set { added.withLock { $0 = newValue } }
    }

    /// Whether the file has the request as one that this exchange sends.
    var isJournaled: Bool { journaled.withLock { $0 != nil } }

    /// Records that the file has the request, and how to remove it. From any thread.
    func journal(_ remove: @escaping @Sendable () -> Void) { journaled.withLock { $0 = remove } }

    /// Returns the removal, and forgets it, so that only the caller of this function can remove the request.
    func takeJournaled() -> (@Sendable () -> Void)? {
        journaled.withLock { remove in
            defer { remove = nil }
            return remove
        }
    }

    // The exchange may end while the request is written, and then no hook is called.
    deinit { takeJournaled()?() }
}
