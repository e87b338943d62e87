import PlugboardBorder

/// The body of a response that was delivered: its end is the exchange's end.
///
/// The turns close before the reader gets that end (rule 2).
///
/// Sendable because it is touched on the loop only, except for `release`, which goes there.
final class FlowingBody: BodySource, PullReceiver, @unchecked Sendable {
    private let body: BodyNode
    private let exchange: ExchangeCore
    /// The pull that is not completed.
    private var reader: Pull?

    init(_ body: BodyNode, of exchange: ExchangeCore) {
        self.body = body
        self.exchange = exchange
    }

    var length: Int? { body.length }

    func pull(_ pull: Pull) {
        if exchange.isSuspended { return exchange.suspension.afterwards { self.pull(pull) } }
        guard exchange.steering.phase == .flowing else {
            pull.fail(lateError)
            return
        }
        reader = pull
        body.pull(Pull(self))
    }

    func nextIfReady() -> Piece? {
        if exchange.isSuspended || exchange.steering.phase != .flowing { return nil }
        guard let piece = body.nextIfReady() else { return nil }
        if case .bytes = piece { return piece }
        return ending(with: piece)
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        // No closure is made for a piece that is passed on at once.
        if exchange.isSuspended { exchange.suspension.afterwards { self.pass(piece) } } else { pass(piece) }
        return true
    }

    private func pass(_ piece: Piece) {
        guard let pull = reader else { return }
        reader = nil
        if case .bytes = piece { pull.complete(piece) } else { pull.complete(ending(with: piece)) }
    }

    /// Ends the exchange, because the body has come to its end. Returns the end for the reader.
    private func ending(with piece: Piece) -> Piece {
        guard exchange.steering.phase == .flowing else { return .broken(lateError) }
        if case .end = piece { exchange.reportContinued(isAtEnd: true) } else { exchange.reportContinued() }
        if case .broken(var error) = piece {
            error.attempt = error.attempt ?? exchange.attempts.last
            exchange.finish(failing: error)
            return .broken(error)
        }
        exchange.releaseBody()
        exchange.end(.ended)
        return piece
    }

    /// The error that has ended the exchange while its body was under way.
    private var lateError: PlugboardError {
        exchange.failure ?? PlugboardError(.cancelled, "The exchange has ended.")
    }

    /// Called when the reader does not want the rest. Cancels the exchange. [any]
    func release() {
        let exchange = exchange
        exchange.loop.enqueue {
            exchange.cancel(PlugboardError(.cancelled, "The body was dropped before its end."))
        }
    }
}
