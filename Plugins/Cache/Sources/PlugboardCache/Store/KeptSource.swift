import PlugboardKit
import Synchronization

/// A body of the file whose pieces are kept while it is read, so that its entry has them in memory after its end.
///
/// The pieces count against the memory limit, like bodies that are being stored. Without room they are not kept.
final class KeptSource: StoredSource, PullReceiver {
    private struct State {
        /// Nil after the end, or if they cannot be kept.
        var pieces: [Bytes]? = []
        /// The bytes of the pieces, which the store counts.
        var reserved = 0
        var pull: Pull?
    }

    private let inner: any StoredSource
    private let id: Int64
    private let store: TieredStore
    private let state = Mutex(State())

    init(_ inner: any StoredSource, of id: Int64, in store: TieredStore) {
        self.inner = inner
        self.id = id
        self.store = store
    }

    deinit { drop() }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }
    var isAtHand: Bool { inner.isAtHand }

    func prepare(_ done: @escaping @Sendable (Bool) -> Void) { inner.prepare(done) }

    func nextIfReady() -> Piece? {
        guard let piece = inner.nextIfReady() else { return nil }
        see(piece)
        return piece
    }

    func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        inner.pull(Pull(self))
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let pull = state.withLock { state in
            defer { state.pull = nil }
            return state.pull
        }
        guard let pull else { return false }
        see(piece)
        return pull.complete(piece)
    }

    private func see(_ piece: Piece) {
        switch piece {
        case .bytes(let bytes): keep(bytes)
        case .end:
            let whole = state.withLock { $0.pieces }
            drop()
            if let whole { store.keep(whole, of: id) }
        case .broken: drop()
        }
    }

    private func keep(_ bytes: Bytes) {
        let isKept = state.withLock { state in
            guard state.pieces != nil else { return true }
            guard store.reserve(bytes.count) else { return false }
            state.pieces?.append(bytes)
            state.reserved += bytes.count
            return true
        }
        if !isKept { drop() }
    }

    /// Stops keeping the pieces, and counting them.
    private func drop() {
        let reserved = state.withLock { state in
            defer { (state.pieces, state.reserved) = (nil, 0) }
            return state.reserved
        }
        if reserved > 0 { store.release(reserved) }
    }

    func rewind() -> Bool {
        drop()
        state.withLock { $0.pieces = [] }
        return inner.rewind()
    }

    func copy() -> (any BodySource)? { inner.copy() }

    func release() {
        drop()
        inner.release()
    }
}
