import PlugboardKit
import Synchronization

/// A source that decodes one content coding of the body that it wraps.
///
/// It holds at most one coded piece, and completes each pull with a piece of up to 256 KiB, after one step of bounded
/// work. If that step decodes to nothing, the piece is empty, so that the kernel lets the loop do other work before it
/// pulls again. It cannot be rewound.
final class DecodingSource: BodySource {
    private let inner: any BodySource
    private let coding: ContentCoding
    private let budget: DecodingBudget
    /// Whether the inner body contains the bytes received from the network.
    private let isFirst: Bool
    private let state: Mutex<DecodingState>

    /// Wraps a source for each coding around the body, the last applied coding first.
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
        let piece = state.withLock { $0.begin(pull, coding, budget) }
        if let piece { pull.complete(piece) } else { inner.pull(Pull(self)) }
    }

    func release() { inner.release() }
}

extension DecodingSource: PullReceiver {
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if isFirst, case .bytes(let bytes) = piece { budget.receive(bytes.count) }
        guard let (pull, piece) = state.withLock({ $0.receive(piece, coding, budget) }) else { return false }
        return pull.complete(piece)
    }
}
