import PlugboardKit
import Synchronization

/// A body that gives its pieces at once, and its end when it is opened.
final class GatedSource: BodySource {
    private struct State {
        var next = 0
        var isOpen = false
        var waiting: Pull?
    }

    private let pieces: [String]
    private let ending: Piece
    private let state = Mutex(State())

    init(_ pieces: [String], ending: Piece = .end(trailers: Fields())) {
        self.pieces = pieces
        self.ending = ending
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let piece = state.withLock { state -> Piece? in
            if state.next < pieces.count {
                state.next += 1
                return .bytes(Bytes(pieces[state.next - 1]))
            }
            if !state.isOpen { state.waiting = pull }
            return state.isOpen ? ending : nil
        }
        if let piece { pull.complete(piece) }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.complete(ending)
    }
}
