import PlugboardMessages
import Synchronization

/// A body of unknown length that gives a piece when the test requests it. It cannot be rewound.
package final class SteppedSource: BodySource {
    private let state = Mutex<(pull: Pull?, pieces: [Piece])>((nil, []))

    package init() {}

    package var length: Int? { nil }

    /// Whether a pull is open.
    package var isPulled: Bool { state.withLock { $0.pull != nil } }

    package func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        complete()
    }

    /// Gives a piece; nil ends the body.
    package func give(_ text: String?) {
        state.withLock { $0.pieces.append(text.map { .bytes(Bytes($0)) } ?? .end(trailers: Fields())) }
        complete()
    }

    private func complete() {
        let (pull, piece) = state.withLock { state -> (Pull?, Piece?) in
            guard let pull = state.pull, !state.pieces.isEmpty else { return (nil, nil) }
            state.pull = nil
            return (pull, state.pieces.removeFirst())
        }
        if let pull, let piece { pull.complete(piece) }
    }
}
