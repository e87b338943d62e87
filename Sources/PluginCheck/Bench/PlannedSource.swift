import PlugboardEventLoop
import PlugboardKit
import Synchronization

/// The body of a plan, pulled piece by piece.
final class PlannedSource: BodySource {
    private let body: PlannedBody
    private let loop: EventLoop?
    private let offset = Mutex(0)

    /// Without a loop, late pieces come on another thread.
    init(_ body: PlannedBody, loop: EventLoop? = nil) {
        self.body = body
        self.loop = loop
    }

    var length: Int? { body.isLengthKnown ? body.bytes.count : nil }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        let piece = next()
        switch body.manner {
        case .atOnce:
            pull.complete(piece)
        case .late:
            guard let loop else { return elsewhere { pull.complete(piece) } }
            loop.enqueue { loop.enqueue { loop.enqueue { pull.complete(piece) } } }
        case .elsewhere:
            elsewhere { pull.complete(piece) }
        case .twice:
            pull.complete(piece)
            elsewhere { pull.complete(piece) }
        }
    }

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }

    func copy() -> (any BodySource)? { PlannedSource(body, loop: loop) }

    private func next() -> Piece {
        offset.withLock { offset in
            guard offset < body.bytes.count else {
                return body.breaks
                    ? .broken(PlugboardError(.bodyCut, "The check broke the body.")) : .end(trailers: body.trailers)
            }
            let piece = body.bytes[offset..<offset + body.piece]
            offset += piece.count
            return .bytes(piece)
        }
    }

    private func elsewhere(_ job: @escaping @Sendable () -> Void) {
        Task.detached { job() }
    }
}
