import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// The body of a stored request, read from the file piece by piece.
final class StoredBodySource: BodySource {
    private struct State {
        var number = 0
        var read = 0
    }

    private let store: QueueStore
    private let id: String
    private let bytes: Int
    private let state = Mutex(State())

    init(_ store: QueueStore, _ id: String, length: Int) {
        self.store = store
        self.id = id
        bytes = length
    }

    var length: Int? { bytes }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        let (number, isOver) = state.withLock { ($0.number, $0.read >= bytes) }
        if isOver {
            pull.end()
            return
        }
        store.perform { [id] (session, _, _) throws(SQLiteFailure) in
            try session.piece(number, of: id)
        } then: { [self] result in
            if case .failure(let failure) = result {
                // A later reading may succeed, after a busy disk or too many open files.
                pull.fail(PlugboardError(.queueFile, QueueStore.error(failure).reason))
                return
            }
            guard case .success(let found) = result, let piece = found, !piece.isEmpty else {
                pull.fail(
                    PlugboardError(
                        .queueBody, "The body of the queued request is not complete in the file. Drop the request."))
                return
            }
            state.withLock { state in
                state.number += 1
                state.read += piece.count
            }
            pull.give(Bytes(piece))
        }
    }

    func rewind() -> Bool {
        state.withLock { $0 = State() }
        return true
    }
}
