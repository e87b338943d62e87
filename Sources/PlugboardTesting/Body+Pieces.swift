import PlugboardKit
import Synchronization

extension Body {
    /// Bytes in pieces of one size, of which the last may be smaller; can be sent again.
    ///
    /// - Parameters:
    ///   - size: The size of a piece, at least 1.
    ///   - later: Whether a pull is completed after it has returned, as with a network, or before.
    ///   - ending: The event after the last piece: the end, or a break. A body that breaks has no known length.
    public static func pieces(
        of size: Int, _ bytes: Bytes, later: Bool = true, ending: Piece = .end(trailers: Fields())
    ) -> Body {
        Body(ScriptedPieces(bytes, size: size, isLater: later, ending: ending))
    }
}

/// Bytes in pieces of one size.
final class ScriptedPieces: BodySource {
    private let bytes: Bytes
    private let size: Int
    private let isLater: Bool
    private let ending: Piece
    private let offset = Mutex(0)

    init(_ bytes: Bytes, size: Int, isLater: Bool, ending: Piece) {
        self.bytes = bytes
        self.size = max(size, 1)
        self.isLater = isLater
        self.ending = ending
    }

    var length: Int? {
        if case .broken = ending { return nil }
        return bytes.count
    }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        let piece = offset.withLock { offset in
            if offset == bytes.count { return ending }
            let next = min(offset + size, bytes.count)
            defer { offset = next }
            return Piece.bytes(bytes[offset..<next])
        }
        // Pulls may be completed from any thread; the loop takes the piece in a later turn.
        if isLater { Task { pull.complete(piece) } } else { pull.complete(piece) }
    }

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
