import PlugboardKit
import Synchronization

/// Why a request waits before it goes on, and what it knows by then. Touched by hooks only, which never overlap.
final class Pause {
    enum Reason {
        /// For what the store has.
        case entries(Found)
        /// For the first pieces of the stored body that is the answer; and what else there was.
        case body(Reuse, any StoredSource, Prepared, [CacheEntry])
        /// For an identical request; and what is to be sent if that one fails.
        case flight(Flight, Forward)
    }

    let question: Question
    let reason: Reason
    let waited: Waited
    /// Bytes of the other's body when it was last looked at.
    var received: Int?

    init(_ question: Question, _ reason: Reason, _ waited: Waited) {
        self.question = question
        self.reason = reason
        self.waited = waited
    }

    /// Whether the first pieces of a body are what was stored, brought from the store's thread; false before that is known.
    final class Prepared: Sendable {
        private let flag = Atomic(false)

        var isIntact: Bool { flag.load(ordering: .acquiring) }

        func set(_ isIntact: Bool) { flag.store(isIntact, ordering: .releasing) }
    }

    /// What the store found, brought from its thread.
    final class Found: Sendable {
        private let entries = Mutex<[CacheEntry]?>(nil)

        var all: [CacheEntry]? { entries.withLock { $0 } }

        func set(_ found: [CacheEntry]) { entries.withLock { $0 = found } }
    }
}

/// Whether a request has waited for an identical one, and may do so (again).
struct Waited {
    /// On the monotonic clock; nil: it has not.
    var since: Duration?
    var mayWait = true
}
