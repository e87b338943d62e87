import PlugboardKit
import Synchronization

/// Two bodies as one: the second follows the end of the first.
final class JoinedSource: BodySource, PullReceiver {
    private struct State {
        var isInSecond = false
        var pull: Pull?
    }

    private let first: any BodySource
    private let second: any BodySource
    private let host: PluginHost
    private let state = Mutex(State())

    init(_ first: any BodySource, _ second: any BodySource, host: PluginHost) {
        self.first = first
        self.second = second
        self.host = host
    }

    var length: Int? {
        guard let length = first.length, let more = second.length else { return nil }
        let (sum, isTooMuch) = length.addingReportingOverflow(more)
        return isTooMuch ? nil : sum
    }

    func pull(_ pull: Pull) {
        let isInSecond = state.withLock { state in
            if !state.isInSecond { state.pull = pull }
            return state.isInSecond
        }
        if isInSecond { second.pull(pull) } else { first.pull(Pull(self)) }
    }

    /// Receives a piece of the first body, on any thread. After its end the second body is pulled.
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        var isEnd = false
        if case .end = piece { isEnd = true }
        let waiting = state.withLock { state in
            defer { state.pull = nil }
            if isEnd { state.isInSecond = true }
            return state.pull
        }
        guard let waiting else { return false }
        if isEnd {
            // Bodies are pulled on the loop.
            host.schedule(after: .zero) { [second] in second.pull(waiting) }
        } else {
            waiting.complete(piece)
        }
        return true
    }

    func release() {
        first.release()
        second.release()
    }
}

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
