import PlugboardBorder

/// A body that was read for a `hold`: what was read, and then the rest if the body is larger than the limit.
///
/// Sendable because it is touched on the loop only.
final class HeldSource: BodySource, @unchecked Sendable {
    private let pieces: [Bytes]
    private let trailers: Fields
    private let rest: BodyNode?
    private var next = 0

    init(_ pieces: [Bytes], trailers: Fields = Fields(), rest: BodyNode? = nil) {
        self.pieces = pieces
        self.trailers = trailers
        self.rest = rest
    }

    var length: Int? { rest == nil ? pieces.reduce(0) { $0 + $1.count } : rest?.length }
    var canRewind: Bool { rest?.canRewind ?? true }

    func nextIfReady() -> Piece? {
        if next < pieces.count {
            next += 1
            return .bytes(pieces[next - 1])
        }
        return rest == nil ? .end(trailers: trailers) : nil
    }

    func pull(_ pull: Pull) {
        if let piece = nextIfReady() { pull.complete(piece) } else { rest?.pull(pull) }
    }

    func rewind() -> Bool {
        guard let rest else {
            next = 0
            return true
        }
        // The rest begins again at the first byte, so that the held pieces are no longer needed.
        guard rest.rewind() else { return false }
        next = pieces.count
        return true
    }

    func release() { rest?.release() }
}
