import PlugboardKit
import Synchronization

/// What the queue knows of an exchange that it may keep.
///
/// Sendable because all but the result is touched on the loop only.
final class Passage: @unchecked Sendable {
    enum Step {
        /// The request passes.
        case passing
        /// It waits for others of its line.
        case waiting
        /// It is being added to the file.
        case adding
    }

    var step = Step.passing
    /// Its place in its line, until it has its outcome.
    var turn: LineTurn?
    /// The request's body, if it has one.
    var tap: BodyTap?
    /// What is being added to the file, or is in it.
    var entry: NewEntry?
    private let added = Mutex<Result<Placement, PlugboardError>?>(nil)
    /// The file has the request as one that this exchange sends: what removes it.
    private let journaled = Mutex<(@Sendable () -> Void)?>(nil)

    /// What came of the addition.
    var result: Result<Placement, PlugboardError>? {
        get { added.withLock { $0 } }
        set { added.withLock { $0 = newValue } }
    }

    /// Whether the file has the request as one that this exchange sends.
    var isJournaled: Bool { journaled.withLock { $0 != nil } }

    /// The file has the request now. From any thread.
    func journal(_ remove: @escaping @Sendable () -> Void) { journaled.withLock { $0 = remove } }

    /// The request is another's to send now, or to remove.
    func takeJournaled() -> (@Sendable () -> Void)? {
        journaled.withLock { remove in
            defer { remove = nil }
            return remove
        }
    }

    // The exchange may end at any time while the request is written: then no hook is called.
    deinit { takeJournaled()?() }
}
