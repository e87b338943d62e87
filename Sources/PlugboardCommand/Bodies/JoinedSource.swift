import PlugboardKit
import Synchronization

/// Several bodies as one, each after the other.
final class JoinedSource: BodySource {
    private let sources: [any BodySource]
    private let current = Mutex(0)

    init(_ sources: [any BodySource]) { self.sources = sources }

    /// The sum of all lengths; nil if one of them is unknown.
    var length: Int? {
        sources.reduce(0) { sum, source in
            guard let sum, let length = source.length else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(length)
            return overflow ? nil : total
        }
    }

    var canRewind: Bool { sources.allSatisfy(\.canRewind) }

    func pull(_ pull: Pull) {
        let index = current.withLock { $0 }
        guard sources.indices.contains(index) else {
            pull.end()
            return
        }
        sources[index].pull(Pull(Continuing(self, pull)))
    }

    func rewind() -> Bool {
        guard canRewind, sources.allSatisfy({ $0.rewind() }) else { return false }
        current.withLock { $0 = 0 }
        return true
    }

    func release() { for source in sources { source.release() } }

    /// Continues with the next body when one ends.
    private final class Continuing: PullReceiver {
        private let joined: JoinedSource
        private let pull: Pull

        init(_ joined: JoinedSource, _ pull: Pull) {
            self.joined = joined
            self.pull = pull
        }

        func receive(_ piece: Piece, serial: UInt64) -> Bool {
            guard case .end = piece else { return pull.complete(piece) }
            joined.current.withLock { $0 += 1 }
            joined.pull(pull)
            return true
        }
    }
}
