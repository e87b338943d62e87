import PlugboardKit
import Synchronization

/// A body that breaks at its end if its length is not the expected one (RFC 9112 §8).
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
        .bodyCut, "The missing part of a stored body does not have the length that the server announced.")

    func release() { inner.release() }
}
