import PlugboardKit
import Synchronization

/// Memory in front of a file, or of the store of a fleet, below also called a file: recently stored entries are
/// available at once, and stored entries outlive the process. Without a file, the entries are in memory only, and end
/// with the process.
///
/// Memory contains heads and small bodies of entries in the file, under the file's ids. Entries that are not in the
/// file have negative ids. The entries of a key are known without the file if all of them are in memory, or if the file
/// is known not to contain the key.
final class TieredStore: CacheStore {
    private struct State {
        var table: MemoryTable
        var lastID: Int64 = 0
        /// Changes under way to the file, by key: meanwhile a look-up in the file may return outdated entries.
        var pending: [CacheKey: Pending] = [:]
        /// The number of changes under way that may affect any key.
        var pendingAll = 0
    }

    private struct Pending {
        var count = 0
        /// The number of entries of the key that the file had before the only change, if memory had all of them, and
        /// the epoch of that knowledge.
        var stored: (count: Int, epoch: Int)?

        mutating func add(stored: (count: Int, epoch: Int)?) {
            count += 1
            self.stored = count == 1 ? stored : nil
        }
    }

    /// The part that the file's thread uses too.
    private final class Shared: Sendable {
        let state: Mutex<State>
        init(_ table: MemoryTable) { state = Mutex(State(table: table)) }

        func learn(_ change: BackingChange) { state.withLock { $0.table.learn(change) } }
    }

    private let shared: Shared
    /// Nil without a file.
    let disk: (any BackingStore)?
    private let largestInMemory: Int

    /// - Parameters:
    /// - memory: The most bytes in memory, of bodies and heads; a body of more than a quarter is not kept there.
    /// - entries: The most heads in memory.
    /// - behind: Makes the store behind the memory, which calls the closure; returns nil for memory only.
    init(
        memory: Int, entries: Int,
        behind: (_ changes: @escaping @Sendable (BackingChange) -> Void) -> (any BackingStore)?
    ) {
        let table = MemoryTable(byteLimit: memory, countLimit: entries)
        let shared = Shared(table)
        self.shared = shared
        largestInMemory = table.largest
        disk = behind { shared.learn($0) }
    }

    /// - Parameters:
    /// - path: The path of the file; nil for memory only.
    /// - disk: The most bytes of the file.
    convenience init(
        path: String?, memory: Int, disk: Int, entries: Int, staleness: Duration = .seconds(1),
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.init(memory: memory, entries: entries) { changes in
            path.map { path in
                SQLiteCacheStore(path: path, bytes: disk, staleness: staleness, notice: notice) { changes(.any) }
            }
        }
    }

    func open() { disk?.open() }

    var patience: Duration { disk?.patience ?? .seconds(5) }

    // MARK: Finding

    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? {
        guard let disk else { return shared.state.withLock { $0.table.entries(key) } }
        guard let isLacking = disk.lacks(key) else { return nil }
        return shared.state.withLock { state in
            if state.table.isComplete(key) { return state.table.entries(key) }
            // The file does not contain the key, so only entries that exist only in memory are valid.
            return isLacking ? state.table.entries(key).filter { $0.id < 0 } : nil
        }
    }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        guard let disk else { return found(entriesAtHand(key) ?? []) }
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
        if let pieces = shared.state.withLock({ $0.table.body(entry.id) }) ?? entry.pieces {
            if entry.id > 0 { disk?.use(entry.id) }
            return PiecesSource(pieces, part)
        }
        guard let disk, entry.id > 0 else { return BrokenSource(.removed) }
        return disk.body(of: entry, part)
    }

    // MARK: Storing

    func write(length: Int?) -> (any EntryWriter)? {
        let sink = disk?.sink(length: length)
        return PieceWriter(
            TieredSink(self, disk: sink, memoryLimit: largestInMemory), length: length,
            largest: max(sink == nil ? 0 : disk?.largest ?? 0, largestInMemory))
    }

    /// Counts bytes in memory of a body that is being stored; false without room.
    func reserve(_ count: Int) -> Bool { shared.state.withLock { $0.table.reserve(count) } }
    func release(_ count: Int) { shared.state.withLock { $0.table.release(count) } }

    /// Called before an entry is written to the file; until it is written, look-ups of its key must use the file.
    func willCommit(_ key: CacheKey) {
        guard let disk else { return }
        let isLacking = disk.lacks(key)
        shared.state.withLock { state in
            let stored = isLacking.flatMap { $0 ? 0 : state.table.completeCount(key) }
            let epoch = state.table.epoch
            state.pending[key, default: Pending()].add(stored: stored.map { ($0, epoch) })
            state.table.setStored(key, nil)
        }
    }

    /// Called when the entry is in the file or could not be written. Returns the entry as it can be found now; nil if
    /// it is not stored.
    func didCommit(
        _ stored: CacheEntry?, _ head: StoredHead, _ pieces: [Bytes]?, length: Int, replacing old: [CacheEntry]
    ) -> CacheEntry? {
        let key = head.response.key
        return shared.state.withLock { state in
            if pieces != nil { state.table.release(length) }
            let before = TieredStore.settle(&state, key)
            // An entry that memory has evicted meanwhile still counts, so that the file is asked once too often rather
            // than not at all.
            let forgotten = old.count { $0.id > 0 && state.table.forget($0.id) }
            for entry in old where entry.id < 0 { state.table.forget(entry.id) }
            if let stored {
                state.table.insert(stored, pieces)
                state.table.setStored(key, before.map { $0 - forgotten + 1 })
                return stored
            }
            guard let pieces else { return nil }
            state.lastID -= 1
            let own = CacheEntry(id: state.lastID, head: head, length: length)
            return state.table.insert(own, pieces) ? own : nil
        }
    }

    /// Ends a change, and returns how many entries of the key the file had before it, if that is known.
    @discardableResult
    private static func settle(_ state: inout State, _ key: CacheKey) -> Int? {
        guard let index = state.pending.index(forKey: key) else { return nil }
        state.pending.values[index].count -= 1
        if state.pending.values[index].count > 0 { return nil }
        guard let stored = state.pending.remove(at: index).value.stored else { return nil }
        return state.pendingAll == 0 && stored.epoch == state.table.epoch ? stored.count : nil
    }

    // MARK: Changing

    func update(_ entry: CacheEntry, _ response: StoredResponse) {
        let key = entry.response.key
        shared.state.withLock { state in
            state.table.update(entry.id) { $0 = response }
            if entry.id > 0 { TieredStore.begin(&state, key) }
        }
        guard let disk, entry.id > 0 else { return }
        let shared = shared
        disk.update(entry, response) { shared.state.withLock { _ = TieredStore.settle(&$0, key) } }
    }

    func remove(_ entries: [CacheEntry]) {
        let stored = entries.filter { $0.id > 0 }
        shared.state.withLock { state in
            for entry in entries { state.table.forget(entry.id) }
            for entry in stored { TieredStore.begin(&state, entry.response.key) }
        }
        guard let disk, !stored.isEmpty else { return }
        let shared = shared
        disk.remove(stored) {
            shared.state.withLock { state in
                for entry in stored { TieredStore.settle(&state, entry.response.key) }
            }
        }
    }

    /// Records a change under way that memory contains already.
    private static func begin(_ state: inout State, _ key: CacheKey) {
        state.pending[key, default: Pending()].add(stored: nil)
    }

    func invalidate(url: String) {
        shared.state.withLock { state in
            for id in state.table.ids(url: url) { state.table.update(id) { $0.isInvalidated = true } }
            if disk != nil { state.pendingAll += 1 }
        }
        let shared = shared
        disk?.invalidate(url: url) { shared.state.withLock { $0.pendingAll -= 1 } }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        guard let disk else { return done(shared.state.withLock { $0.table.purge(what, isWhole: true) }) }
        let (count, own) = shared.state.withLock { state -> (Int, Int) in
            let before = state.table.count { $0 < 0 }
            let count = state.table.purge(what, isWhole: false)
            state.pendingAll += 1
            return (count, before - state.table.count { $0 < 0 })
        }
        let (shared, isListed) = (shared, disk.isListed)
        let landed: @Sendable (Int) -> Void = { removed in
            // Entries committed before may have come into memory only now.
            let late = shared.state.withLock { state in
                state.pendingAll -= 1
                return what == .memory ? state.table.purge(what, isWhole: false) : 0
            }
            done(what == .memory ? count + late : isListed ? removed + own : count)
        }
        // The file has nothing to remove for `.memory`, but earlier work on it must be done first.
        if what == .memory { disk.statistics { _ in landed(0) } } else { disk.purge(what, landed) }
    }

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        guard let disk, disk.isListed else { return found(shared.state.withLock { $0.table.list(what, limit: limit) }) }
        let own = shared.state.withLock { state in
            state.table.list(what, limit: .max).filter { $0.id < 0 || what == .memory }
        }
        disk.list(what, limit: limit) { entries in found(Array((entries + own).prefix(max(limit, 0)))) }
    }

    var evictions: Int {
        if let disk, disk.isListed { disk.evictions } else { shared.state.withLock { $0.table.evicted } }
    }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) {
        guard let disk, disk.isListed else {
            return done(
                shared.state.withLock { state in
                    let (count, bytes) = (state.table.count, state.table.bytes)
                    return StoreStatistics(
                        memoryEntries: count, memoryBytes: bytes, entries: count, bytes: bytes,
                        evicted: state.table.evicted)
                })
        }
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

    func close(within limit: Duration) { disk?.close(within: limit) }
}
