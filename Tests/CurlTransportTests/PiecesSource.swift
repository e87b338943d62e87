import PlugboardTransport
import Synchronization

/// Gives pieces one pull at a time, from another thread; cannot begin again.
final class PiecesSource: BodySource {
    let length: Int?
    private let pieces: Mutex<[Piece]>

    init(_ pieces: [String], length: Int? = nil, trailers: Fields = Fields(), failure: PlugboardError? = nil) {
        self.length = length
        let end: Piece = failure.map { .broken($0) } ?? .end(trailers: trailers)
        self.pieces = Mutex(pieces.map { .bytes(Bytes($0)) } + [end])
    }

    func pull(_ pull: Pull) {
        let piece = pieces.withLock { $0.removeFirst() }
        Task { pull.complete(piece) }
    }
}
