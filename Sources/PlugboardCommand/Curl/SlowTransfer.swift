import Plugboard
import Synchronization

/// Ends an exchange that is slower than `--speed-limit` for `--speed-time`. The option `idleTimeout` ends one in which
/// nothing comes.
final class SlowTransfer: Sendable {
    private struct State {
        /// When the measured time began, and the bytes that had come and gone then; nil before the first.
        var start: (time: ContinuousClock.Instant, bytes: Int)?
        var isSlow = false
        var hasEnded = false
        var cancel: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let time: Duration
    private let state = Mutex(State())

    /// Nil without `--speed-limit`.
    init?(_ group: CurlGroup) throws(CommandFailure) {
        guard let limit = try group.bytes("speed-limit") else { return nil }
        self.limit = limit
        time = try group.speedTime
    }

    /// Sets how the exchange is ended.
    func cancels(_ cancel: @escaping @Sendable () -> Void) {
        state.withLock { if !$0.hasEnded { $0.cancel = cancel } }
    }

    /// Releases the exchange at its end, because it holds its observer, which holds this object.
    func end() { state.withLock { ($0.hasEnded, $0.cancel) = (true, nil) } }

    /// Another attempt begins, whose bytes are counted from 0.
    func restart() { state.withLock { $0.start = nil } }

    /// Ends the exchange if it was too slow up to these bytes.
    func note(_ bytes: Int, at now: ContinuousClock.Instant) {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard let start = state.start else {
                state.start = (now, bytes)
                return nil
            }
            guard now - start.time >= time else { return nil }
            state.start = (now, bytes)
            state.isSlow = Double(bytes - start.bytes) < Double(limit) * ((now - start.time) / .seconds(1))
            return state.isSlow ? state.cancel : nil
        }
        cancel?()
    }

    /// The error if it was too slow.
    var failure: CommandFailure? {
        guard state.withLock({ $0.isSlow }) else { return nil }
        return CommandFailure(
            .timeout,
            "The transfer was slower than \(limit) bytes a second for \(EventText.text(time)) (--speed-limit).")
    }
}
