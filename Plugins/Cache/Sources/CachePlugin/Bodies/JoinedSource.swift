import PlugboardKit
import Synchronization

/// Two bodies as one, the second after the end of the first.
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

    /// What the first body brings, on any thread. Its end is where the second begins.
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
