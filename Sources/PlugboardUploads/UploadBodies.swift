import PlugboardMessages
import Synchronization

/// The end offset of the bytes that were given to the transport. Can be used from any thread.
final class FurthestOffset: Sendable {
    private let offset = Mutex(0)

    var value: Int { offset.withLock { $0 } }

    func reach(_ end: Int) { offset.withLock { $0 = max($0, end) } }

    func reset() { offset.withLock { $0 = 0 } }
}

/// Bytes in memory as a body, which counts the bytes that were given to the transport.
final class UploadBytesPart: BodySource {
    private static let pieceSize = 256 << 10
    private let bytes: Bytes
    private let start: Int
    private let given: FurthestOffset
    private let position = Mutex(0)

    init(_ bytes: Bytes, from start: Int, _ given: FurthestOffset) {
        self.bytes = bytes
        self.start = start
        self.given = given
    }

    var length: Int? { bytes.count }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        let piece: Piece = position.withLock { position in
            guard position < bytes.count else { return .end(trailers: Fields()) }
            let end = min(position + UploadBytesPart.pieceSize, bytes.count)
            defer { position = end }
            given.reach(start + end)
            return .bytes(bytes[position..<end])
        }
        pull.complete(piece)
    }

    func rewind() -> Bool {
        position.withLock { $0 = 0 }
        return true
    }

    func copy() -> (any BodySource)? { UploadBytesPart(bytes, from: start, given) }

    /// The same bytes, for reading without sending.
    var unsent: UploadBytesPart { UploadBytesPart(bytes, from: start, FurthestOffset()) }
}

/// A stream as a body: first the bytes that were already read from it, then the rest, which can be read only once.
///
/// Does not release the stream, which belongs to the upload.
final class UploadStreamRest: BodySource, PullReceiver {
    private struct State {
        var kept: [Bytes]
        var end = 0
        var pull: Pull?
    }

    let length: Int?
    private let stream: any BodySource
    private let given: FurthestOffset
    private let spent: FurthestOffset
    private let state: Mutex<State>

    init(
        _ kept: [Bytes], _ stream: any BodySource, length: Int?, _ given: FurthestOffset, _ spent: FurthestOffset
    ) {
        self.stream = stream
        self.length = length
        self.given = given
        self.spent = spent
        state = Mutex(State(kept: kept))
    }

    func pull(_ pull: Pull) {
        let first: Bytes? = state.withLock { state in
            guard state.kept.isEmpty else {
                let first = state.kept.removeFirst()
                state.end += first.count
                given.reach(state.end)
                return first
            }
            state.pull = pull
            return nil
        }
        if let first {
            pull.give(first)
        } else {
            spent.reach(1)
            stream.pull(Pull(self))
        }
    }

    /// Receives a piece of the stream, on any thread.
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let pull = state.withLock { state in
            if case .bytes(let bytes) = piece {
                state.end += bytes.count
                given.reach(state.end)
            }
            defer { state.pull = nil }
            return state.pull
        }
        return pull?.complete(piece) ?? false
    }
}
