import PlugboardTransport

/// The body of a response: bytes that libcurl has received and that wait to be pulled.
///
/// Sendable because it is used on the loop's thread only; calls from other threads are enqueued there.
final class ResponseBody: BodySource, @unchecked Sendable {
    let length: Int?
    private let loop: EventLoop
    /// Nil after the transfer has ended.
    private var transfer: Transfer?
    /// The bytes that were left when the transfer ended.
    // Unchecked, because the queue calls no other code.
    @exclusivity(unchecked) private var rest = PieceQueue()
    private var ending: Piece?
    private var openPull: Pull?
    private var isReleased = false

    init(transfer: Transfer, length: Int?, loop: EventLoop) {
        self.transfer = transfer
        self.length = length
        self.loop = loop
    }

    deinit { rest.removeAll() }

    func nextIfReady() -> Piece? {
        guard loop.isCurrent, !isReleased else { return nil }
        if let transfer, let state = transfer.state {
            guard let bytes = state.pointee.received.pop() else { return nil }
            if state.pointee.isReceivingPaused { transfer.touch() }
            return .bytes(bytes)
        }
        return rest.pop().map { .bytes($0) } ?? ending
    }

    func pull(_ pull: Pull) {
        guard loop.isCurrent else {
            loop.enqueue { [self] in self.pull(pull) }
            return
        }
        if let piece = nextIfReady() { pull.complete(piece) } else { openPull = pull }
    }

    func release() {
        guard loop.isCurrent else {
            loop.enqueue { [self] in release() }
            return
        }
        if isReleased { return }
        isReleased = true
        openPull = nil
        rest.removeAll()
        guard let transfer, let state = transfer.state else { return }
        state.pointee.received.removeAll()
        state.pointee.isDiscarding = true
        let (limit, isOverflow) = state.pointee.receivedCount.addingReportingOverflow(
            transfer.multi.settings.drainLimit.bytes)
        discardLimit = isOverflow ? .max : limit
        transfer.limitDraining()
        transfer.touch()
    }

    /// The number of received bytes at which draining ends.
    private var discardLimit = Int.max

    // MARK: - Called by the transfer

    /// Called once in a turn, after all bytes of the turn were received.
    func settle() {
        if isReleased { return drain() }
        if let pull = openPull, let piece = nextIfReady() {
            openPull = nil
            pull.complete(piece)
        }
    }

    /// Called after the end of the transfer. Takes the bytes that it has received.
    func finish(_ error: PlugboardError?, _ state: inout TransferState) {
        transfer = nil
        if isReleased { return }
        if case .some(let error) = error, error.code == .cancelled || error.code == .shutDown {
            state.received.removeAll()
        }
        swap(&rest, &state.received)
        ending = error.map { .broken($0) } ?? .end(trailers: state.head.takeTrailers())
        if let pull = openPull, let piece = nextIfReady() {
            openPull = nil
            pull.complete(piece)
        }
    }

    /// Abandons the transfer if much is left: a few more reads cost less than a new connection.
    private func drain() {
        guard let transfer, let state = transfer.state else { return }
        let left = state.pointee.expected ?? 0
        if state.pointee.head.version == .http2 || state.pointee.receivedCount + left > discardLimit {
            transfer.end(.abandoned)
        }
    }
}
