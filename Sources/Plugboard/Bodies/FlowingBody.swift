import PlugboardKit

/// The body of a delivered answer: its end is the exchange's end.
///
/// The turns close before the reader gets that end (rule 2). Sendable because it is touched on the loop only, but for
/// `release`.
final class FlowingBody: BodySource, @unchecked Sendable {
    private let body: BodyNode
    private let exchange: Exchange

    init(_ body: BodyNode, of exchange: Exchange) {
        self.body = body
        self.exchange = exchange
    }

    var length: Int? { body.length }

    func pull(_ pull: Pull) {
        exchange.unlessSuspended { [self] in
            guard exchange.phase == .flowing else { return answer(pull, .broken(lateError)) }
            body.pull { [self] piece in
                exchange.unlessSuspended { [self] in answer(pull, piece) }
            }
        }
    }

    private func answer(_ pull: Pull, _ piece: Piece) {
        switch piece {
        case .bytes:
            pull.answer(piece)
        case .end:
            guard exchange.phase == .flowing else { pull.fail(lateError) ; return }
            exchange.discardAnswer()
            exchange.end(.ended)
            pull.answer(piece)
        case .broken(let error):
            guard exchange.phase == .flowing else { pull.fail(lateError) ; return }
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
