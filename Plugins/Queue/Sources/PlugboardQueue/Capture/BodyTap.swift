import PlugboardKit
import Synchronization

/// Stands around the body of a request that may be kept: passes all pieces, and knows whether any has passed.
final class BodyTap: BodySource {
    let inner: InnerBody
    private let hasBegun = Atomic(false)

    init(_ inner: InnerBody) { self.inner = inner }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func pull(_ pull: Pull) {
        hasBegun.store(true, ordering: .relaxed)
        inner.forward(pull)
    }

    func rewind() -> Bool { inner.rewind() }
    func release() { inner.release() }

    /// Lets the body be read from its first byte. Returns false where that is not possible. [loop]
    func restart() -> Bool { !hasBegun.load(ordering: .relaxed) || inner.rewind() }
}
