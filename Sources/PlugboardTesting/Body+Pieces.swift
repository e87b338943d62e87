import PlugboardKit
import Synchronization

extension Body {
    /// Bytes in pieces of a size of the test's choice, the last perhaps smaller; can be sent again.
    ///
    /// - Parameters:
    ///   - size: At least 1.
    ///   - later: Whether each piece comes after its pull has returned, as from a network, and not within it.
    ///   - ending: What follows the last piece: the end, or a break. After a break the body has no known length.
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
        // Pulls may be answered from any thread; that of the kernel's loop gets it in a turn of its own.
        if isLater { Task { pull.complete(piece) } } else { pull.complete(piece) }
    }

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }
}
