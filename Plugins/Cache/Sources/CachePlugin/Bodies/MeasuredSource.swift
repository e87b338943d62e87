import PlugboardKit
import Synchronization

/// A body that must have so many bytes: with another number its end is a break (RFC 9112 §8).
final class MeasuredSource: BodySource, PullReceiver {
    private struct State {
        var left: Int
        var pull: Pull?
    }

    private let inner: any BodySource
    private let state: Mutex<State>

    init(_ inner: any BodySource, length: Int) {
        self.inner = inner
        state = Mutex(State(left: length))
    }

    var length: Int? { inner.length }

    func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        inner.pull(Pull(self))
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let (waiting, left) = state.withLock { state in
            if case .bytes(let bytes) = piece { state.left -= bytes.count }
            defer { state.pull = nil }
            return (state.pull, state.left)
        }
        var isWrong = left < 0
        if case .end = piece { isWrong = left != 0 }
        waiting?.complete(isWrong ? .broken(MeasuredSource.cut) : piece)
        return waiting != nil
    }

    private static let cut = PlugboardError(
        .bodyCut, "The missing part of a stored body has another length than the server said.")

    func release() { inner.release() }
}
