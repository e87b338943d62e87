import PlugboardKit
import Synchronization

/// A body that undoes one content coding of the body it stands around.
///
/// It holds one piece of coded bytes at most, and gives pieces of up to 256 KiB; a piece that decodes to more is answered
/// over several pulls. It cannot be rewound.
final class DecodingSource: BodySource {
    private let inner: any BodySource
    private let coding: ContentCoding
    private let budget: DecodingBudget
    /// Whether the inner body is what came over the wire.
    private let isFirst: Bool
    private let state: Mutex<DecodingState>

    /// Sources for several codings, the last applied first, one around the other.
    static func around(
        _ body: any BodySource, codings: [ContentCoding], budget: DecodingBudget
    ) -> any BodySource {
        var source = body
        for (index, coding) in codings.enumerated() {
            source = DecodingSource(source, coding: coding, budget: budget, isFirst: index == 0)
        }
        return source
    }

    private init(_ inner: any BodySource, coding: ContentCoding, budget: DecodingBudget, isFirst: Bool) {
        self.inner = inner
        self.coding = coding
        self.budget = budget
        self.isFirst = isFirst
        state = Mutex(DecodingState(coding))
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        advance()
    }

    func release() { inner.release() }

    private func advance() {
        while let action = state.withLock({ $0.next(coding, budget) }) {
            switch action {
            case .answer(let pull, let piece):
                pull.complete(piece)
                return
            case .ask:
                inner.pull(Pull(self))
                // An answer that came at once is taken up here and not in `receive`, so that many small pieces do not
                // pile up on the stack.
                if !state.withLock({ $0.hasAsked() }) { return }
            }
        }
    }
}

extension DecodingSource: PullReceiver {
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if isFirst, case .bytes(let bytes) = piece { budget.receive(bytes.count) }
        guard let isAsking = state.withLock({ $0.receive(piece) }) else { return false }
        if !isAsking { advance() }
        return true
    }
}
