import PlugboardBorder

/// The body of a response that was delivered: its end is the exchange's end.
///
/// The turns close before the reader gets that end (rule 2). A struct, because each response for a program has one.
///
/// Sendable because it is touched on the loop only, except for `release`, which goes there.
struct FlowingBody: @unchecked Sendable {
    private let body: BodyNode
    private let exchange: ExchangeCore

    init(_ body: BodyNode, of exchange: ExchangeCore) {
        self.body = body
        self.exchange = exchange
    }

    var length: Int? { body.length }

    /// The next piece if it is available now.
    func nextIfReady() -> Piece? {
        if exchange.isSuspended || exchange.steering.phase != .flowing { return nil }
        guard let piece = body.nextIfReady() else { return nil }
        if case .bytes = piece { return piece }
        return ending(with: piece)
    }

    /// Asks for the next piece. The receiver calls `pass` with what it gets.
    func pull(for receiver: any PullReceiver) {
        if exchange.isSuspended { return exchange.suspension.afterwards { pull(for: receiver) } }
        if exchange.steering.phase == .flowing {
            body.pull(Pull(receiver))
        } else {
            Pull(receiver).fail(lateError)
        }
    }

    /// Passes on a piece that has come, as soon as the exchange is not suspended. The end of the body ends the exchange
    /// first.
    func pass(_ piece: Piece, to take: @escaping (Piece) -> Void) {
        // No closure is made for a piece that is passed on at once.
        if exchange.isSuspended { return exchange.suspension.afterwards { pass(piece, to: take) } }
        if case .bytes = piece { take(piece) } else { take(ending(with: piece)) }
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

/// A flowing body as a source, for the plugin whose sub-request got it.
///
/// Sendable because it is touched on the loop only, except for `release`, which goes there.
final class FlowingSource: BodySource, PullReceiver, @unchecked Sendable {
    private let body: FlowingBody
    /// The pull that is not completed.
    private var reader: Pull?

    init(_ body: FlowingBody) { self.body = body }

    var length: Int? { body.length }

    func pull(_ pull: Pull) {
        reader = pull
        body.pull(for: self)
    }

    func nextIfReady() -> Piece? { body.nextIfReady() }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        body.pass(piece) { [self] piece in reader.take()?.complete(piece) }
        return true
    }

    func release() { body.release() }
}
