import PlugboardKit
import Synchronization

/// Wraps the body of a request that may be kept: forwards all pieces, and records whether reading has begun.
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

    /// Makes the body readable from its first byte again. Returns false if that is not possible. [loop]
    func restart() -> Bool { !hasBegun.load(ordering: .relaxed) || inner.rewind() }
}
