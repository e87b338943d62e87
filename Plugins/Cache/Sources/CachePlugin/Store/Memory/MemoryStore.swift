import PlugboardKit
import Synchronization

/// Answers in memory only: gone with the process, and always at hand.
final class MemoryStore: CacheStore {
    fileprivate struct State {
        var table: MemoryTable
        var lastID: Int64 = 0
    }

    fileprivate let state: Mutex<State>

    /// - Parameters:
    ///   - bytes: of bodies and heads together; a body of more than a quarter is not kept.
    ///   - entries: their greatest number.
    init(bytes: Int, entries: Int) {
        state = Mutex(State(table: MemoryTable(byteLimit: bytes, countLimit: entries)))
    }

    func open() {}

    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? { state.withLock { $0.table.entries(key) } }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        found(state.withLock { $0.table.entries(key) })
    }

    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource {
        guard let pieces = state.withLock({ $0.table.body(entry.id) }) else { return BrokenSource(.removed) }
        return PiecesSource(pieces, part.clamped(to: 0..<entry.length))
    }

    func write(length: Int?) -> (any EntryWriter)? {
        let largest = state.withLock { $0.table.largest }
        return PieceWriter(MemorySink(self), length: length, largest: largest)
    }

    private func insert(
        _ answer: StoredResponse, _ pieces: [Bytes], _ length: Int, replacing old: [CacheEntry]
    ) -> CacheEntry? {
        state.withLock { state in
            state.table.release(length)
            for entry in old { state.table.forget(entry.id) }
            state.lastID += 1
            let entry = CacheEntry(id: state.lastID, answer: answer, length: length)
            return state.table.insert(entry, pieces) ? entry : nil
        }
    }

    /// Gathers the pieces of a body.
    private final class MemorySink: PieceSink {
        private let store: MemoryStore
        private let pieces = Mutex<[Bytes]>([])

        init(_ store: MemoryStore) { self.store = store }

        func append(_ piece: Bytes) -> Bool {
            guard store.state.withLock({ $0.table.reserve(piece.count) }) else { return false }
            pieces.withLock { $0.append(piece) }
            return true
        }

        var hasRoom: Bool { true }
        func room(_ run: @escaping @Sendable () -> Void) { run() }

        func commit(
            _ answer: StoredResponse, length: Int, replacing old: [CacheEntry],
            _ done: @escaping @Sendable (CacheEntry?) -> Void
        ) {
            done(store.insert(answer, take(), length, replacing: old))
        }

        func discard() {
            let count = take().reduce(0) { $0 + $1.count }
            store.state.withLock { $0.table.release(count) }
        }

        private func take() -> [Bytes] {
            pieces.withLock { pieces in
                defer { pieces = [] }
                return pieces
            }
        }
    }

    func update(_ entry: CacheEntry, _ answer: StoredResponse) {
        state.withLock { $0.table.update(entry.id) { $0 = answer } }
    }

    func remove(_ entries: [CacheEntry]) {
        state.withLock { state in
            for entry in entries { state.table.remove(entry.id) }
        }
    }

    func invalidate(url: String) {
        state.withLock { state in
            for id in state.table.ids(url: url) { state.table.update(id) { $0.isInvalidated = true } }
        }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        done(state.withLock { $0.table.purge(what, isWhole: true) })
    }

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        found(state.withLock { $0.table.list(what, limit: limit) })
    }

    var evictions: Int { state.withLock { $0.table.evicted } }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) {
        done(
            state.withLock { state in
                let (count, bytes) = (state.table.count, state.table.bytes)
                return StoreStatistics(
                    memoryEntries: count, memoryBytes: bytes, entries: count, bytes: bytes,
                    evicted: state.table.evicted)
            })
    }

    func close(within limit: Duration) {}
}

extension MemoryTable {
    /// Removes what fits, and tells how many went.
    /// - Parameter isWhole: there is no slower store beside, so nothing is in memory only for speed.
    mutating func purge(_ what: Purge, isWhole: Bool) -> Int {
        let before = count
        switch what {
        case .all: removeAll()
        case .memory: if !isWhole { removeAll() }
        case .url(let url): for id in ids(url: url) { remove(id) }
        case .pattern(let pattern): for id in ids(URLPattern(pattern)) { remove(id) }
        }
        return before - count
    }
}
