import PlugboardKit
import Synchronization

/// Why a request waits before it goes on, and what it knows by then. Touched by hooks only, which never overlap.
final class Pause {
    enum Reason {
        /// For what the store has.
        case entries(Found)
        /// For an identical request, since then; and what is to be sent if that one fails.
        case flight(Flight, since: Duration, Forward)
    }

    let question: Question
    let reason: Reason
    /// When it first waited for an identical request; nil: not yet.
    let waitingSince: Duration?
    /// Whether it may wait for an identical one again.
    let mayWait: Bool
    /// Bytes of the other's body when it was last looked at.
    var received: Int?

    init(_ question: Question, _ reason: Reason, waitingSince: Duration?, mayWait: Bool) {
        self.question = question
        self.reason = reason
        self.waitingSince = waitingSince
        self.mayWait = mayWait
    }

    /// What the store found, brought from its thread.
    final class Found: Sendable {
        private let entries = Mutex<[CacheEntry]?>(nil)

        var all: [CacheEntry]? { entries.withLock { $0 } }

        func set(_ found: [CacheEntry]) { entries.withLock { $0 = found } }
    }
}
