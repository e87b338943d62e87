import PlugboardKit

/// `hold`: the whole body is read, up to a limit, and the hook runs again.
extension Exchange {
    func hold(at place: Place, upTo limit: Int) {
        phase = .awaiting
        guard let body = stage == .request ? requestBody : response?.body else {
            return held(.empty, .held)
        }
        collect(body, [], 0, limit, place)
    }

    private func collect(_ body: BodyNode, _ pieces: [Bytes], _ count: Int, _ limit: Int, _ place: Place) {
        body.pull { [self] piece in
            unlessSuspended { [self] in
                guard phase == .awaiting else { return }
                switch piece {
                case .bytes(let bytes) where count + bytes.count > limit:
                    replaceBody(HeldSource(pieces + [bytes], rest: body))
                    held(nil, .overLimit)
                case .bytes(let bytes):
                    collect(body, pieces + [bytes], count + bytes.count, limit, place)
                case .end(let trailers):
                    let whole = pieces.isEmpty ? Bytes.empty : Bytes.joined(pieces)
                    body.release()
                    replaceBody(HeldSource([whole], trailers: trailers))
                    held(whole, .held)
                case .broken(let error):
                    discardAnswer()
                    phase = .steering
                    // The answer's head never passed this plugin, so it hears of the failure.
                    goOutward(from: stage == .request ? place.index : place.index + 1, failing: error)
                    advance()
                }
            }
        }
    }

    private func replaceBody(_ source: HeldSource) {
        let node = BodyNode(source, loop: loop)
        if stage == .request { requestBody = node } else { response?.body = node }
    }

    private func held(_ body: Bytes?, _ reason: Visit) {
        heldBody = body
        visit = reason
        phase = .steering
        advance()
    }
}
