import PlugboardKit
import Synchronization

/// Writes the pieces of a body to the file, and also keeps them in memory if the body is short.
final class TieredSink: PieceSink {
    private struct State {
        /// Nil if the body is too long for memory.
        var pieces: [Bytes]? = []
        var length = 0
        /// Nil if there is no file, or it refuses the body.
        var disk: (any PieceSink)?
    }

    private let store: TieredStore
    private let memoryLimit: Int
    private let state: Mutex<State>

    init(_ store: TieredStore, disk: (any PieceSink)?, memoryLimit: Int) {
        self.store = store
        self.memoryLimit = memoryLimit
        state = Mutex(State(disk: disk))
    }

    func append(_ piece: Bytes) -> Bool {
        state.withLock { state in
            state.length += piece.count
            keep(piece, &state)
            if let disk = state.disk, state.length > (store.disk?.largest ?? 0) || !disk.append(piece) {
                disk.discard()
                state.disk = nil
            }
            return state.disk != nil || state.pieces != nil
        }
    }

    private func keep(_ piece: Bytes, _ state: inout State) {
        guard state.pieces != nil else { return }
        if state.length <= memoryLimit, store.reserve(piece.count) {
            state.pieces?.append(piece)
        } else {
            drop(&state)
        }
    }

    /// Stops keeping the body in memory.
    private func drop(_ state: inout State) {
        store.release(state.pieces?.reduce(0) { $0 + $1.count } ?? 0)
        state.pieces = nil
    }

    var hasRoom: Bool { state.withLock { $0.disk }?.hasRoom ?? true }

    func room(_ run: @escaping @Sendable () -> Void) {
        if let disk = state.withLock({ $0.disk }) { disk.room(run) } else { run() }
    }

    func commit(
        _ head: StoredHead, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        // From now on the store counts the bytes of these pieces.
        let (pieces, disk) = state.withLock { state in
            defer { state.pieces = nil }
            return (state.pieces, state.disk)
        }
        let store = store
        let outdated = old.filter { $0.id > 0 }
        store.willCommit(head.response.key)
        let finish: @Sendable (CacheEntry?) -> Void = { stored in
            // The replaced entries are removed even if the new one could not be written.
            if stored == nil { store.remove(outdated) }
            done(store.didCommit(stored, head, pieces, length: length, replacing: old))
        }
        if let disk {
            disk.commit(head, length: length, replacing: outdated, finish)
        } else {
            finish(nil)
        }
    }

    func discard() {
        let disk = state.withLock { state in
            drop(&state)
            return state.disk
        }
        disk?.discard()
    }
}
