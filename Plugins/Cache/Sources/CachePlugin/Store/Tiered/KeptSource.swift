import PlugboardKit
import Synchronization

/// A body that is kept while it is read, and given away when it was read to its end.
final class KeptSource: StoredSource, PullReceiver {
    private struct State {
        /// Nil once they are given away, or will not be.
        var pieces: [Bytes]? = []
        var pull: Pull?
    }

    private let inner: any StoredSource
    private let keep: @Sendable ([Bytes]) -> Void
    private let state = Mutex(State())

    init(_ inner: any StoredSource, keep: @escaping @Sendable ([Bytes]) -> Void) {
        self.inner = inner
        self.keep = keep
    }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }
    var isAtHand: Bool { inner.isAtHand }

    func prepare(_ done: @escaping @Sendable (Bool) -> Void) { inner.prepare(done) }

    func take() -> Piece? {
        guard let piece = inner.take() else { return nil }
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
        let whole = state.withLock { state -> [Bytes]? in
            switch piece {
            case .bytes(let bytes): state.pieces?.append(bytes)
            case .end:
                defer { state.pieces = nil }
                return state.pieces
            case .broken: state.pieces = nil
            }
            return nil
        }
        if let whole { keep(whole) }
    }

    func rewind() -> Bool {
        state.withLock { $0.pieces = [] }
        return inner.rewind()
    }

    func again() -> (any BodySource)? { inner.again() }

    func release() {
        state.withLock { $0.pieces = nil }
        inner.release()
    }
}
