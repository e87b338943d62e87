import PlugboardKit
import Synchronization

/// A body whose pieces are in memory; they are given without a copy.
final class PiecesSource: StoredSource {
    private struct Position {
        var index = 0
        /// The bytes before the piece.
        var offset = 0
    }

    let pieces: [Bytes]
    private let part: Range<Int>
    private let position = Mutex(Position())

    /// - Parameter part: A range within the bytes of all pieces.
    init(_ pieces: [Bytes], _ part: Range<Int>) {
        self.pieces = pieces
        self.part = part
    }

    var length: Int? { part.count }
    var canRewind: Bool { true }

    /// If the body is one piece, its bytes, which the kernel reads without calling the plugin.
    var body: Body {
        if part.isEmpty { return .empty }
        guard pieces.count == 1, part.upperBound <= pieces[0].count else { return Body(self) }
        return .bytes(part.count == pieces[0].count ? pieces[0] : pieces[0][part])
    }

    /// Another part of the same body.
    func part(_ part: Range<Int>) -> PiecesSource { PiecesSource(pieces, part) }

    func nextIfReady() -> Piece? { position.withLock { .some(next(&$0)) } }

    func pull(_ pull: Pull) { pull.complete(position.withLock { next(&$0) }) }

    func rewind() -> Bool {
        position.withLock { $0 = Position() }
        return true
    }

    func copy() -> (any BodySource)? { PiecesSource(pieces, part) }

    private func next(_ position: inout Position) -> Piece {
        while position.index < pieces.count, position.offset < part.upperBound {
            let piece = pieces[position.index]
            let wanted = (part.lowerBound - position.offset)..<(part.upperBound - position.offset)
            position.index += 1
            position.offset += piece.count
            if wanted.lowerBound >= piece.count { continue }
            return .bytes(wanted.lowerBound <= 0 && wanted.upperBound >= piece.count ? piece : piece[wanted])
        }
        return .end(trailers: Fields())
    }
}
