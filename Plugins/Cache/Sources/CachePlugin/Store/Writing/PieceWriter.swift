import PlugboardKit
import Synchronization

/// Where a body goes that comes in pieces of one size.
protocol PieceSink: AnyObject, Sendable {
    /// False when no more is taken. Every piece but the last has `PieceBuffer.pieceSize` bytes.
    func append(_ piece: Bytes) -> Bool
    var hasRoom: Bool { get }
    func room(_ run: @escaping @Sendable () -> Void)
    func commit(
        _ answer: StoredResponse, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void)
    func discard()
}

/// The writer of all stores: makes pieces, counts, and ends once.
final class PieceWriter: EntryWriter {
    private struct State {
        var buffer: PieceBuffer
        var length = 0
        /// Committed, discarded, or more than is taken.
        var isOver = false
    }

    private let sink: any PieceSink
    private let largest: Int
    private let state: Mutex<State>

    /// Nil if the body is longer than is kept.
    init?(_ sink: any PieceSink, length: Int?, largest: Int) {
        if let length, length > largest { return nil }
        self.sink = sink
        self.largest = largest
        state = Mutex(State(buffer: PieceBuffer(length: length)))
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isOver, bytes.count <= largest - state.length else { return false }
            state.length += bytes.count
            var isTaken = true
            state.buffer.append(bytes) { isTaken = isTaken && sink.append($0) }
            return isTaken
        }
        if !isTaken { discard() }
        return isTaken
    }

    var hasRoom: Bool { sink.hasRoom }
    func room(_ run: @escaping @Sendable () -> Void) { sink.room(run) }

    func commit(_ answer: StoredResponse, replacing old: [CacheEntry], _ done: @escaping @Sendable (CacheEntry?) -> Void)
    {
        let length = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            if let last = state.buffer.last(), !sink.append(last) { return nil }
            state.isOver = true
            return state.length
        }
        guard let length else {
            discard()
            return done(nil)
        }
        sink.commit(answer, length: length, replacing: old, done)
    }

    func discard() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { sink.discard() }
    }
}
