import CPlugboard
import PlugboardBorder

/// Handing bodies to plugins and back, and holding whole bodies.
extension ExchangeCore {
    // MARK: The plugin's verbs

    /// `take_request_body`: the plugin borrows the body. It releases what it gets together with its wrapper, and a
    /// resend may need the body after that, so only the exchange releases the body itself.
    func takeRequestBody() -> BodyNode? {
        guard steering.stage == .request, let body = request.body else { return nil }
        draft.takenRequestBody = body
        request.body = nil
        return BodyNode(LentSource(body), home: home)
    }

    /// `set_request_body`.
    func setRequestBody(_ body: BodyNode?) -> UInt32 {
        willEditRequest()
        draft.takenRequestBody = nil
        request.body = body
        return PLUG_OK
    }

    /// `take_response_body`: the plugin owns it.
    func takeResponseBody() -> BodyNode? {
        guard steering.stage == .response, let body = response?.body else { return nil }
        draft.takenResponseBody = body
        response?.body = nil
        return body
    }

    /// `whole_response_body`: the bytes of the response's body, if all are in memory in one piece.
    func showWholeResponseBody() -> Bytes? {
        guard steering.stage == .response, let bytes = response?.body?.wholeIfReady() else { return nil }
        draft.shownBody = bytes
        return bytes
    }

    /// `set_response_body`.
    func setResponseBody(_ body: BodyNode?) -> UInt32 {
        guard steering.stage == .response else { return PLUG_WRONG_TIME }
        draft.takenResponseBody = nil
        response?.body = body
        noteWrapped(body)
        return PLUG_OK
    }

    /// Called when the hook has returned. A plugin that takes a body must set one; returns which one it did not set.
    func restoreTakenBodies() -> String? {
        defer { (draft.takenRequestBody, draft.takenResponseBody) = (nil, nil) }
        if let taken = draft.takenRequestBody {
            request.body = taken
            return "it took the request's body and set none"
        }
        if let taken = draft.takenResponseBody {
            response?.body = taken
            taken.reclaim()
            return "it took the response's body and set none"
        }
        return nil
    }

    // MARK: Holding

    /// `hold`: the whole body is read, up to a limit, and the hook runs again.
    func hold(at slot: Slot, upTo limit: Int) {
        steering.phase = .awaiting
        guard let body = steering.stage == .request ? request.body : response?.body else { return held(.empty, .held) }
        BodyCollector(body, upTo: limit, of: self, slot).pump()
    }

    fileprivate func replaceBody(by source: HeldSource) {
        let node = BodyNode(source, home: home)
        let isResponse = steering.stage == .response
        let found = isResponse ? beforeFault?.response?.body : beforeFault?.request.body
        // The plugin holds a body of its own: what it found before no longer fits the head that it left.
        if found !== (isResponse ? response?.body : request.body) { beforeFault = nil }
        if isResponse {
            response?.body = node
            beforeFault?.response?.body = node
        } else {
            request.replaceHeldBody(by: node)
            beforeFault?.request.body = node
        }
    }

    fileprivate func held(_ body: Bytes?, _ reason: Visit) {
        heldBody = body
        steering.visit = reason
        steering.phase = .deciding
        advance()
    }

    /// Called when a body broke while it was held. A response's head has not passed the plugin that holds it, so that
    /// plugin gets the failure, too.
    fileprivate func breakHold(at slot: Slot, _ error: PlugboardError) {
        discardResponse()
        // The hook that asked to hold the body does not run again.
        request.undoEdit()
        beforeFault = nil
        steering.phase = .deciding
        goOutward(from: steering.stage == .request ? slot.index : slot.index + 1, failing: error)
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

    /// A pull may be completed within itself: the loop here prevents recursion.
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
        guard exchange.steering.phase == .awaiting, !isDone else { return isDone = true }
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
