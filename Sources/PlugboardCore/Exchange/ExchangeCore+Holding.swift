import PlugboardKit

/// `hold`: the whole body is read, up to a limit, and the hook runs again.
extension ExchangeCore {
    func hold(at slot: Slot, upTo limit: Int) {
        phase = .awaiting
        guard let body = stage == .request ? requestBody : response?.body else { return held(.empty, .held) }
        BodyCollector(body, upTo: limit, of: self, slot).pump()
    }

    fileprivate func replaceBody(by source: HeldSource) {
        let node = BodyNode(source, core: core)
        if stage == .response {
            response?.body = node
            beforeFault?.response?.body = node
            return
        }
        beforeFault?.body = node
        // Those further out send what was held, if they send it again.
        for index in versions.indices where versions[index].body === requestBody { versions[index].body = node }
        requestBody = node
    }

    fileprivate func held(_ body: Bytes?, _ reason: Visit) {
        heldBody = body
        visit = reason
        phase = .steering
        advance()
    }

    /// The answer's head never passed the plugin that held it, so that one hears of the failure.
    fileprivate func breakHold(at slot: Slot, _ error: PlugboardError) {
        discardResponse()
        // The hook that asked does not run again.
        undoRequestEdit()
        beforeFault = nil
        phase = .steering
        goOutward(from: stage == .request ? slot.index : slot.index + 1, failing: error)
        advance()
    }
}

/// Reads one body for one hold.
private final class BodyCollector {
    private let body: BodyNode
    private let limit: Int
    private let exchange: ExchangeCore
    private let slot: Slot
    private var pieces: [Bytes] = []
    private var count = 0
    private var isPulling = false
    private var isPumping = false
    private var isDone = false

    init(_ body: BodyNode, upTo limit: Int, of exchange: ExchangeCore, _ slot: Slot) {
        self.body = body
        self.limit = limit
        self.exchange = exchange
        self.slot = slot
    }

    /// A pull may be answered at once, within itself: the loop here keeps that from recursing.
    func pump() {
        guard !isPumping else { return }
        isPumping = true
        while !isPulling && !isDone {
            isPulling = true
            body.pull { [self] piece in
                exchange.unlessSuspended { [self] in
                    isPulling = false
                    take(piece)
                    pump()
                }
            }
        }
        isPumping = false
    }

    private func take(_ piece: Piece) {
        // An exchange that was ended meanwhile has released the body.
        guard exchange.phase == .awaiting, !isDone else { return isDone = true }
        switch piece {
        case .bytes(let bytes):
            pieces.append(bytes)
            count += bytes.count
            guard count > limit else { return }
            isDone = true
            exchange.replaceBody(by: HeldSource(pieces, rest: body))
            exchange.held(nil, .overLimit)
        case .end(let trailers):
            isDone = true
            let whole = pieces.isEmpty ? Bytes.empty : Bytes.joined(pieces)
            body.release()
            exchange.replaceBody(by: HeldSource([whole], trailers: trailers))
            exchange.held(whole, .held)
        case .broken(let error):
            isDone = true
            exchange.breakHold(at: slot, error)
        }
    }
}
