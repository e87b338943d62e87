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

/// Reads a body to its end, on the loop.
final class BodyReading {
    private let source: any BodySource
    private let isWanted: () -> Bool
    private let done: (Digest, PlugboardError?) -> Void
    private var digest = Digest()
    private var isPulling = false
    private var isPumping = false
    private var isDone = false

    init(
        _ source: any BodySource, while isWanted: @escaping () -> Bool,
        _ done: @escaping (Digest, PlugboardError?) -> Void
    ) {
        self.source = source
        self.isWanted = isWanted
        self.done = done
    }

    /// A pull may be completed before it returns: this loop avoids recursion.
    func pump() {
        guard !isPumping else { return }
        isPumping = true
        while !isPulling && !isDone && isWanted() {
            isPulling = true
            source.pull(Pull(Listener(self)))
        }
        isPumping = false
    }

    fileprivate func take(_ piece: Piece) {
        isPulling = false
        switch piece {
        case .bytes(let bytes): digest.add(bytes)
        case .end: finish(nil)
        case .broken(let error): finish(error)
        }
        pump()
    }

    private func finish(_ error: PlugboardError?) {
        isDone = true
        if isWanted() { done(digest, error) }
    }

    /// Sendable because all of its state is used on the loop only, where the kernel completes pulls.
    private final class Listener: PullReceiver, @unchecked Sendable {
        private let reading: BodyReading

        init(_ reading: BodyReading) { self.reading = reading }

        func receive(_ piece: Piece, serial: UInt64) -> Bool {
            reading.take(piece)
            return true
        }
    }
}
