import PlugboardKit
import Synchronization

/// Keeps the pieces of a body until it is stored in the store of a fleet.
final class FleetSink: PieceSink {
    private let store: FleetCacheStore
    private let state = Mutex((pieces: [Bytes](), length: 0))

    init(_ store: FleetCacheStore) { self.store = store }

    deinit { discard() }

    func append(_ piece: Bytes) -> Bool {
        state.withLock { state in
            guard state.length + piece.count <= store.largest, store.reserve(piece.count) else { return false }
            state.pieces.append(piece)
            state.length += piece.count
            return true
        }
    }

    var hasRoom: Bool { true }
    func room(_ run: @escaping @Sendable () -> Void) { run() }

    func commit(
        _ head: StoredHead, length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let pieces = state.withLock { $0.pieces }
        store.add(head, pieces, length: length, replacing: old) { [self] entry in
            discard()
            done(entry)
        }
    }

    func discard() {
        let length = state.withLock { state in
            defer { state = ([], 0) }
            return state.length
        }
        if length > 0 { store.release(length) }
    }
}
