import PlugboardKit

/// The body of a delivered answer: its end is the exchange's end.
///
/// The turns close before the reader gets that end (rule 2). Sendable because it is touched on the loop only, but for
/// `release`.
final class FlowingBody: BodySource, PullReceiver, @unchecked Sendable {
    private let body: BodyNode
    private let exchange: ExchangeCore
    /// Who waits for the next piece.
    private var reader: Pull?

    init(_ body: BodyNode, of exchange: ExchangeCore) {
        self.body = body
        self.exchange = exchange
    }

    var length: Int? { body.length }

    func pull(_ pull: Pull) {
        if exchange.isSuspended { return exchange.whenResumed.append { self.pull(pull) } }
        guard exchange.phase == .flowing else {
            pull.fail(lateError)
            return
        }
        reader = pull
        body.pull(Pull(self))
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if exchange.isSuspended { exchange.whenResumed.append { self.answer(piece) } } else { answer(piece) }
        return true
    }

    private func answer(_ piece: Piece) {
        guard let pull = reader else { return }
        reader = nil
        switch piece {
        case .bytes:
            pull.complete(piece)
        case .end:
            guard exchange.phase == .flowing else { pull.fail(lateError); return }
            exchange.releaseBody()
            exchange.end(.ended)
            pull.complete(piece)
        case .broken(let error):
            guard exchange.phase == .flowing else { pull.fail(lateError); return }
            var error = error
            if error.attempt == nil && exchange.attempts > 0 { error.attempt = exchange.attempts }
            exchange.finish(failing: error)
            pull.fail(error)
        }
    }

    /// What ended the exchange while its body was under way.
    private var lateError: PlugboardError {
        exchange.failure ?? PlugboardError(.cancelled, "The exchange has ended.")
    }

    /// The reader does not want the rest. From any thread.
    func release() {
        let exchange = exchange
        exchange.loop.enqueue {
            exchange.cancel(PlugboardError(.cancelled, "The body was dropped before its end."))
        }
    }
}
