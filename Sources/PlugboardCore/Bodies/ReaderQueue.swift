import PlugboardBorder
import PlugboardEventLoop
import Synchronization

/// The body of a response for its program: a bounded queue between the loop, which fills it, and the reader's task.
///
/// The loop pulls as long as there is room, so that a slow reader slows the sender.
///
/// Sendable because what is not under the lock is touched on the loop only.
final class ReaderQueue: BodySource, PullReceiver, @unchecked Sendable {
    private struct State {
        /// The oldest piece if it came when the queue was empty: most bodies are one piece, and need no array.
        var single: Bytes?
        var pieces: [Bytes] = []
        var first = 0
        var count = 0
        var end: Piece?
        var isEndRead = false
        var reader: Pull?
        var isFull = false
        /// The reader has left before the end: further pieces are dropped, so that the rest is not taken for the whole.
        var isAbandoned = false

        /// Adds a piece that no reader waits for.
        mutating func put(_ piece: consuming Piece) {
            guard case .bytes(let bytes) = piece else { return end = piece }
            count += bytes.count
            // The queue is empty if both counts are equal. Counted first, so that the piece is moved.
            if count == bytes.count { single = bytes } else { pieces.append(bytes) }
        }
    }

    private static let shutDown = PlugboardError(
        .shutDown, "The kernel was shut down before the body had come to its end.")
    private static let readBefore = PlugboardError(
        .bodyRead, "The response's body was already read to its end. It can be read only once; keep its bytes.")
    private static let readTwice = PlugboardError(
        .bodyRead, "The response's body is already being read by another reader. It can have only one.")
    private static let abandoned = PlugboardError(.cancelled, "Reading the body was cancelled.")

    private let state = Mutex(State())
    private let body: FlowingBody
    private let loop: EventLoop
    private let limit: Int
    // Unchecked, because changing a flag calls no code.
    @exclusivity(unchecked) private var isPulling = false
    @exclusivity(unchecked) private var isPumping = false
    /// Whether there was room after the last piece. The reader makes room, and then calls `goOn`.
    @exclusivity(unchecked) private var hasRoom = true
    @exclusivity(unchecked) private var hasEnded = false

    init(_ body: FlowingBody, loop: EventLoop, limit: Int) {
        self.body = body
        self.loop = loop
        self.limit = limit
    }

    var length: Int? { body.length }

    // MARK: The loop's side

    /// Pulls while there is room. Returns whether the body's end has come. [loop]
    @discardableResult
    func pump() -> Bool {
        // A pull may be completed within itself: the loop here prevents recursion.
        guard !isPumping else { return hasEnded }
        isPumping = true
        while !isPulling && !hasEnded && hasRoom {
            if let piece = body.nextIfReady() {
                take(piece)
            } else {
                isPulling = true
                body.pull(for: self)
            }
        }
        isPumping = false
        return hasEnded
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        body.pass(piece) { [self] piece in
            isPulling = false
            take(piece)
            pump()
        }
        return true
    }

    private func take(_ piece: Piece) {
        if case .bytes(let bytes) = piece {
            // An empty piece takes no room in the queue, and so would not slow its sender.
            if bytes.isEmpty { return }
        } else {
            hasEnded = true
        }
        hasRoom = push(piece)
    }

    /// Returns whether there is room for more.
    private func push(_ piece: Piece) -> Bool {
        let (reader, hasRoom) = state.withLock { state -> (Pull?, Bool) in
            if state.isAbandoned { return (nil, false) }
            let reader = state.reader.take()
            if reader == nil {
                state.put(piece)
            } else if case .bytes = piece {
            } else {
                (state.end, state.isEndRead) = (piece, true)
            }
            state.isFull = state.count >= limit
            return (reader, !state.isFull)
        }
        reader?.complete(piece)
        return hasRoom
    }

    // MARK: The reader's side

    /// The next piece, if there is one. [any]
    func nextIfReady() -> Piece? {
        let (piece, hasRoomAgain) = state.withLock { state in take(from: &state) }
        if hasRoomAgain { goOn() }
        return piece
    }

    /// The next piece, now or when it comes. [any]
    func pull(_ pull: Pull) {
        let (piece, hasRoomAgain) = state.withLock { state -> (Piece?, Bool) in
            // A second pull must not replace the first, whose reader would then wait forever.
            if state.reader != nil { return (.broken(ReaderQueue.readTwice), false) }
            let taken = take(from: &state)
            if taken.0 == nil { state.reader = pull }
            return taken
        }
        if hasRoomAgain { goOn() }
        if let piece { pull.complete(piece) }
    }

    /// Lets the loop pull again, because there is room. If the loop has ended, the reader gets an error and does not
    /// wait.
    private func goOn() {
        let isTaken = loop.enqueue {
            self.hasRoom = true
            self.pump()
        }
        if !isTaken { _ = push(.broken(ReaderQueue.shutDown)) }
    }

    private func take(from state: inout State) -> (Piece?, Bool) {
        let bytes: Bytes
        if let single = state.single.take() {
            bytes = single
        } else if state.first < state.pieces.count {
            bytes = state.pieces[state.first]
            state.first += 1
            if state.first == state.pieces.count {
                state.pieces.removeAll(keepingCapacity: true)
                state.first = 0
            }
        } else {
            return (takeEnd(from: &state), false)
        }
        state.count -= bytes.count
        let hasRoomAgain = state.isFull && state.count <= limit / 2
        if hasRoomAgain { state.isFull = false }
        return (.bytes(bytes), hasRoomAgain)
    }

    /// The end is given once. A second reader would take an empty body for the whole, and gets an error.
    private func takeEnd(from state: inout State) -> Piece? {
        guard let end = state.end else { return nil }
        defer { state.isEndRead = true }
        if state.isEndRead, case .end = end { return .broken(ReaderQueue.readBefore) }
        return end
    }

    func release() { abandon() }

    /// Called when the reader is gone. A waiting pull fails, and the exchange is cancelled unless it has ended. [any]
    func abandon() {
        let (hadEnded, reader) = state.withLock { state in
            let before = (state.end != nil, state.reader)
            // A later reader must not take the rest for the whole. A body that was read to its end keeps its end.
            if state.end == nil || state.count > 0 {
                state = State()
                (state.end, state.isAbandoned) = (.broken(ReaderQueue.abandoned), true)
            }
            return before
        }
        reader?.fail(ReaderQueue.abandoned)
        if !hadEnded { body.release() }
    }
}

/// The one reference that a program has to a response's body that has not come to its end: dropping it cancels the
/// exchange.
final class ResponseReader: BodySource {
    private let queue: ReaderQueue

    init(_ queue: ReaderQueue) { self.queue = queue }

    deinit { queue.abandon() }

    var length: Int? { queue.length }
    func nextIfReady() -> Piece? { queue.nextIfReady() }
    func pull(_ pull: Pull) { queue.pull(pull) }
    func release() { queue.abandon() }
}
