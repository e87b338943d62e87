import PlugboardKit
import Synchronization

/// A body of given pieces, each completed within its pull.
final class ListSource: BodySource {
    private let pieces: Mutex<[Piece]>
    private let pulls = Mutex(0)

    init(_ pieces: [Piece]) { self.pieces = Mutex(pieces.reversed()) }

    /// The bytes in pieces of at most `size`, and the end.
    convenience init(_ bytes: [UInt8], size: Int = .max, trailers: Fields = Fields()) {
        var pieces: [Piece] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(.bytes(Bytes(Array(rest.prefix(size)))))
            rest = rest.dropFirst(size)
        }
        self.init(pieces + [.end(trailers: trailers)])
    }

    /// The number of pulls.
    var pullCount: Int { pulls.withLock { $0 } }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        pulls.withLock { $0 += 1 }
        if let piece = pieces.withLock({ $0.popLast() }) { pull.complete(piece) }
    }
}

/// Pulls one piece of a source, and waits for it.
func pulled(_ source: any BodySource) async -> Piece {
    await withCheckedContinuation { source.pull(Pull(Receiver($0))) }
}

private final class Receiver: PullReceiver {
    private let continuation: CheckedContinuation<Piece, Never>

    init(_ continuation: CheckedContinuation<Piece, Never>) { self.continuation = continuation }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        continuation.resume(returning: piece)
        return true
    }
}
