import PlugboardKit
import Synchronization

/// A body whose pieces are in memory, given as they are.
final class PiecesSource: StoredSource {
    private struct Place {
        var index = 0
        /// Bytes before the piece.
        var offset = 0
    }

    private let pieces: [Bytes]
    private let part: Range<Int>
    private let place = Mutex(Place())

    /// - Parameter part: within the bytes of all pieces.
    init(_ pieces: [Bytes], _ part: Range<Int>) {
        self.pieces = pieces
        self.part = part
    }

    var length: Int? { part.count }
    var canRewind: Bool { true }

    /// Another part of the same body.
    func part(_ part: Range<Int>) -> PiecesSource { PiecesSource(pieces, part) }

    func take() -> Piece? { place.withLock { .some(next(&$0)) } }

    func pull(_ pull: Pull) { pull.complete(place.withLock { next(&$0) }) }

    func rewind() -> Bool {
        place.withLock { $0 = Place() }
        return true
    }

    func again() -> (any BodySource)? { PiecesSource(pieces, part) }

    private func next(_ place: inout Place) -> Piece {
        while place.index < pieces.count, place.offset < part.upperBound {
            let piece = pieces[place.index]
            let wanted = (part.lowerBound - place.offset)..<(part.upperBound - place.offset)
            place.index += 1
            place.offset += piece.count
            if wanted.lowerBound >= piece.count { continue }
            return .bytes(wanted.lowerBound <= 0 && wanted.upperBound >= piece.count ? piece : piece[wanted])
        }
        return .end(trailers: Fields())
    }
}
