import PlugboardKit
import Synchronization

/// Memory over a file: what was used lately is answered without waiting, and what is stored outlives the process.
///
/// Memory holds heads and small bodies of entries in the file, under the file's ids, and, under ids below zero,
/// entries that only it has: those of a time when the file could not be written. All heads of a key are at hand when
/// they are all in memory, or when the file is known not to have the key.
final class TieredStore: CacheStore {
    private struct State {
        var table: MemoryTable
        var lastID: Int64 = 0
        /// What is under way to the file, by key: then what it is found to hold may be old news.
        var pending: [CacheKey: Pending] = [:]
        /// The same, of what may change any key.
        var pendingAll = 0
    }

    private struct Pending {
        var count = 0
        /// Whether all entries of the key are in memory once this is done.
        var isKnown = false
    }

    /// What the file's thread reaches, too.
    private final class Shared: Sendable {
        let state: Mutex<State>
        init(_ table: MemoryTable) { state = Mutex(State(table: table)) }
    }

    private let shared: Shared
    let disk: SQLiteCacheStore
    private let largestInMemory: Int

    /// - Parameters:
    ///   - memory: bytes in memory, of bodies and heads together.
    ///   - disk: bytes that the file may have.
    ///   - entries: how many heads memory may hold.
    init(
        path: String, memory: Int, disk: Int, entries: Int, staleness: Duration = .seconds(1),
        notice: @escaping @Sendable (String) -> Void
    ) {
        let table = MemoryTable(byteLimit: memory, countLimit: entries)
        let shared = Shared(table)
        self.shared = shared
        largestInMemory = table.largest
        self.disk = SQLiteCacheStore(path: path, bytes: disk, staleness: staleness, notice: notice) {
            shared.state.withLock { $0.table.epoch += 1 }
        }
    }

    func open() { disk.open() }

    // MARK: Finding

    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? {
        guard disk.isCurrent else { return nil }
        let (entries, isKnown) = shared.state.withLock { state -> ([CacheEntry], Bool) in
            (state.table.entries(key), state.table.isComplete(key) && state.pending[key]?.isKnown ?? true)
        }
        if isKnown { return entries }
        // Those of memory alone stand beside none of the file.
        return disk.entriesAtHand(key).map { _ in entries.filter { $0.id < 0 } }
    }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        let shared = shared
        disk.entries(key) { entries in
            let own = shared.state.withLock { state in
                if state.pending[key] == nil && state.pendingAll == 0 { state.table.record(key, entries) }
                return state.table.entries(key).filter { $0.id < 0 }
            }
            found(entries + own)
        }
    }

    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource {
        let part = part.clamped(to: 0..<entry.length)
        if let pieces = shared.state.withLock({ $0.table.body(entry.id) }) {
            if entry.id > 0 { disk.use(entry.id) }
            return PiecesSource(pieces, part)
        }
        if entry.id < 0 { return BrokenSource(.removed) }
        let source = disk.body(of: entry, part)
        guard part.count == entry.length, entry.length <= largestInMemory, !source.isAtHand else { return source }
        let shared = shared
        return KeptSource(source) { pieces in shared.state.withLock { $0.table.fill(entry.id, pieces) } }
    }

    // MARK: Storing

    func write(length: Int?) -> (any EntryWriter)? {
        let sink = disk.sink(length: length)
        return PieceWriter(
            TieredSink(self, disk: sink, memoryLimit: largestInMemory), length: length,
            largest: sink == nil ? largestInMemory : max(disk.largest, largestInMemory))
    }

    /// Counts bytes in memory of a body that is being stored; false if there is no room for them.
    func reserve(_ count: Int) -> Bool { shared.state.withLock { $0.table.reserve(count) } }
    func release(_ count: Int) { shared.state.withLock { $0.table.release(count) } }

    /// An entry is on its way to the file; until it is there, the file must be asked for its key.
    func willCommit(_ key: CacheKey) {
        let isKnown = entriesAtHand(key) != nil
        shared.state.withLock { state in
            var pending = state.pending[key] ?? Pending()
            pending.count += 1
            pending.isKnown = isKnown && pending.count == 1
            state.pending[key] = pending
            state.table.setKnown(key, false)
        }
    }

    /// The entry is in the file, or could not be written there. Returns the entry as it can be found now; nil if
    /// nobody keeps it.
    func didCommit(
        _ stored: CacheEntry?, _ answer: StoredResponse, _ pieces: [Bytes]?, length: Int, replacing old: [CacheEntry]
    ) -> CacheEntry? {
        let key = answer.key
        return shared.state.withLock { state in
            if pieces != nil { state.table.release(length) }
            let wasKnown = TieredStore.settle(&state, key)
            for entry in old { state.table.forget(entry.id) }
            if let stored {
                state.table.insert(stored, pieces)
                if wasKnown { state.table.setKnown(key) }
                return stored
            }
            guard let pieces else { return nil }
            state.lastID -= 1
            let own = CacheEntry(id: state.lastID, answer: answer, length: length)
            return state.table.insert(own, pieces) ? own : nil
        }
    }

    /// Returns whether all that the file has of the key is in memory.
    private static func settle(_ state: inout State, _ key: CacheKey) -> Bool {
        guard var pending = state.pending[key] else { return false }
        pending.count -= 1
        state.pending[key] = pending.count > 0 ? pending : nil
        return pending.count == 0 && pending.isKnown && state.pendingAll == 0
    }

    // MARK: Changing

    func update(_ entry: CacheEntry, _ answer: StoredResponse) {
        let key = entry.answer.key
        shared.state.withLock { state in
            state.table.update(entry.id) { $0 = answer }
            if entry.id > 0 { TieredStore.begin(&state, key) }
        }
        guard entry.id > 0 else { return }
        let shared = shared
        disk.update(entry, answer) { shared.state.withLock { _ = TieredStore.settle(&$0, key) } }
    }

    func remove(_ entries: [CacheEntry]) {
        let stored = entries.filter { $0.id > 0 }
        shared.state.withLock { state in
            for entry in entries { state.table.forget(entry.id) }
            for entry in stored { TieredStore.begin(&state, entry.answer.key) }
        }
        if stored.isEmpty { return }
        let shared = shared
        disk.remove(stored) {
            shared.state.withLock { state in
                for entry in stored { _ = TieredStore.settle(&state, entry.answer.key) }
            }
        }
    }

    /// A change that memory shows already.
    private static func begin(_ state: inout State, _ key: CacheKey) {
        var pending = state.pending[key] ?? Pending(count: 0, isKnown: true)
        pending.count += 1
        state.pending[key] = pending
    }

    func invalidate(url: String) {
        shared.state.withLock { state in
            for id in state.table.ids(url: url) { state.table.update(id) { $0.isInvalidated = true } }
            state.pendingAll += 1
        }
        let shared = shared
        disk.invalidate(url: url) { shared.state.withLock { $0.pendingAll -= 1 } }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        let (count, own) = shared.state.withLock { state -> (Int, Int) in
            let before = state.table.count { $0 < 0 }
            let count = state.table.purge(what, isWhole: false)
            state.pendingAll += 1
            return (count, before - state.table.count { $0 < 0 })
        }
        let shared = shared
        let landed: @Sendable (Int) -> Void = { removed in
            // What was committed before may have come into memory only now.
            let late = shared.state.withLock { state in
                state.pendingAll -= 1
                return what == .memory ? state.table.purge(what, isWhole: false) : 0
            }
            done(what == .memory ? count + late : removed + own)
        }
        // The file has nothing to purge of memory, but what was asked of it before must have come through.
        if what == .memory { disk.statistics { _ in landed(0) } } else { disk.purge(what, landed) }
    }

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        let own = shared.state.withLock { state in
            state.table.list(what, limit: .max).filter { $0.id < 0 || what == .memory }
        }
        disk.list(what, limit: limit) { entries in found(Array((entries + own).prefix(max(limit, 0)))) }
    }

    var evictions: Int { disk.evictions }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) {
        let shared = shared
        disk.statistics { statistics in
            var statistics = statistics
            shared.state.withLock { state in
                statistics.memoryEntries = state.table.count
                statistics.memoryBytes = state.table.bytes
                statistics.entries += state.table.count { $0 < 0 }
            }
            done(statistics)
        }
    }

    func close(within limit: Duration) { disk.close(within: limit) }
}
