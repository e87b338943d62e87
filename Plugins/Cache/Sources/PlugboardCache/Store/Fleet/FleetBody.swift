import PlugboardKit
import Synchronization

/// A body in the store of a fleet, which is read as a whole.
final class FleetBody: StoredSource {
    private let store: FleetCacheStore
    private let entry: CacheEntry
    private let part: Range<Int>
    private let loaded = Mutex<PiecesSource?>(nil)

    init(_ store: FleetCacheStore, _ entry: CacheEntry, _ part: Range<Int>) {
        (self.store, self.entry, self.part) = (store, entry, part.clamped(to: 0..<entry.length))
    }

    var length: Int? { part.count }
    var canRewind: Bool { true }
    var isAtHand: Bool { loaded.withLock { $0 != nil } }

    /// The pieces of the whole body, after it was read.
    var pieces: [Bytes]? { loaded.withLock { $0?.pieces } }

    func prepare(_ done: @escaping @Sendable (Bool) -> Void) {
        store.load(entry) { [self] pieces in
            if let pieces { loaded.withLock { $0 = PiecesSource(pieces, part) } }
            done(pieces != nil)
        }
    }

    func nextIfReady() -> Piece? { loaded.withLock { $0 }?.nextIfReady() }

    func pull(_ pull: Pull) {
        if let source = loaded.withLock({ $0 }) { return source.pull(pull) }
        prepare { [self] _ in
            if let source = loaded.withLock({ $0 }) { source.pull(pull) } else { pull.fail(.unreadable) }
        }
    }

    func rewind() -> Bool { loaded.withLock { $0 }?.rewind() ?? true }

    func copy() -> (any BodySource)? {
        loaded.withLock { $0 }?.copy() ?? FleetBody(store, entry, part)
    }
}
