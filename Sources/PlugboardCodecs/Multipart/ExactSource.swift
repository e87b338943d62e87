import PlugboardMessages
import Synchronization

/// A body that must have its announced length: a longer or shorter part would shift everything after it, so reading the
/// whole body fails instead.
final class ExactSource: BodySource, PullReceiver {
    private struct State {
        var given = 0
        var pull: Pull?
    }

    private let source: any BodySource
    private let expected: Int
    /// The name of the body, at the beginning of a sentence.
    private let subject: String
    private let state = Mutex(State())

    init(_ source: any BodySource, length: Int, subject: String) {
        self.source = source
        self.expected = length
        self.subject = subject
    }

    var length: Int? { expected }
    var canRewind: Bool { source.canRewind }

    func nextIfReady() -> Piece? { source.nextIfReady().map(checked) }

    func pull(_ pull: Pull) {
        state.withLock { $0.pull = pull }
        source.pull(Pull(self))
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let pull = state.withLock { state in
            defer { state.pull = nil }
            return state.pull
        }
        return pull?.complete(checked(piece)) ?? false
    }

    func rewind() -> Bool {
        guard source.rewind() else { return false }
        state.withLock { $0.given = 0 }
        return true
    }

    func copy() -> (any BodySource)? {
        source.copy().map { ExactSource($0, length: expected, subject: subject) }
    }

    func release() {
        // An open pull may never be completed, and would hold its reader.
        let open = state.withLock { state in
            defer { state.pull = nil }
            return state.pull
        }
        withExtendedLifetime(open) {}
        source.release()
    }

    private func checked(_ piece: Piece) -> Piece {
        switch piece {
        case .bytes(let bytes):
            let given = state.withLock { state in
                state.given += bytes.count
                return state.given
            }
            guard given > expected else { return piece }
            return .broken(
                PlugboardError(.bodyRead, "\(subject) is longer than the \(expected) bytes that it announced."))
        case .end:
            let given = state.withLock { $0.given }
            guard given < expected else { return piece }
            return .broken(
                PlugboardError(
                    .bodyRead, "\(subject) ended after \(given) of the \(expected) bytes that it announced."))
        case .broken: return piece
        }
    }
}
