import PlugboardKit
import PlugboardStore
import Synchronization

/// Responses in the store of a fleet, `plugboard.store/1`.
///
///     cache/1/head/…         the records of a key, with small bodies: one value, written by compare and set
///     cache/1/body/ID/N      the chunks of a longer body, written before its record; no other body has this id
///     cache/1/generation     removed by each purge of all; the patterns that were purged
///     cache/1/purged/…       a mark of each URL with responses, removed by each purge of it
///     cache/1/invalidated/…  the same for invalidations
///
/// A look-up reads all but the chunks in one call, with a watch, so that the memory in front is told of changes. A
/// record is valid while generation and marks are those that it was stored with; those that are missing are made, with
/// other numbers, when the next response is stored. So a purge is one removal, which a full engine carries out, too,
/// and one that removes a mark removes what it is about. A body is read as a whole before it is served: an outage
/// cannot break it, and one that was replaced must live only as long as that takes.
final class FleetCacheStore: BackingStore {
    private struct State {
        /// The work on keys that waits for other work on them.
        var lanes: [CacheKey: [@Sendable () async -> Void]] = [:]
        /// The bodies that are being read, each with the closures that get it.
        var loads: [Int64: [@Sendable ([Bytes]?) -> Void]] = [:]
        /// The bytes of bodies that are being stored.
        var reserved = 0
    }

    let largest: Int
    let names: FleetNames
    let host: PluginHost
    let access: FleetAccess
    let watch: FleetWatch
    /// How long a response is worth keeping.
    let lifetime: @Sendable (StoredResponse) -> Duration
    /// The number of purges of all by this process.
    let purges = Atomic(0)
    private let finds: PluginHost.Counter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - largest: The longest body that is shared.
    ///   - entries: The most keys in the memory in front.
    init(
        _ host: PluginHost, isShared: Bool, largest: Int, entries: Int,
        lifetime: @escaping @Sendable (StoredResponse) -> Duration,
        changes: @escaping @Sendable (BackingChange) -> Void
    ) {
        (self.host, self.largest, self.lifetime) = (host, largest, lifetime)
        (names, finds) = (FleetNames(isShared: isShared), host.counter("shared"))
        watch = FleetWatch(limit: max(entries, 1000), tell: changes)
        access = FleetAccess(host) { [watch] in watch.changed($0) }
    }

    func open() { access.open() }
    func close(within limit: Duration) { access.close() }

    var patience: Duration { .seconds(1) }
    var isListed: Bool { false }
    var evictions: Int { 0 }
    func use(_ id: Int64) {}
    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) { found([]) }
    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) { done(StoreStatistics()) }

    // MARK: Finding

    /// During an outage, the process has what is in its memory only.
    func lacks(_ key: CacheKey) -> Bool? { access.isOut }

    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        let isQueued = queue(key) { [self] in
            await withCheckedContinuation { continuation in
                read(key) {
                    found($0)
                    continuation.resume()
                }
            }
        }
        if !isQueued { read(key, found) }
    }

    private func read(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        if access.isOut { return found([]) }
        let urls = [key.url]
        let names = FleetView.names(key, urls, names)
        let serial = watch.willRead(key, names)
        access.get(names, isWatched: true) { [self] result in
            guard let values = try? result.get() else { return end(nil, key, serial, found) }
            let view = FleetView(key, urls, values)
            let others = view.missingURLs
            if others.isEmpty { return end(view, key, serial, found) }
            let names = others.flatMap { FleetNames.marks($0) }
            // After a change that was told meanwhile, this is another serial.
            let second = watch.willRead(key, names)
            access.get(names, isWatched: true) { [self] result in
                guard let values = try? result.get() else { return end(nil, key, serial, found) }
                var view = view
                view.add(others, values)
                end(view, key, second == serial ? serial : -1, found)
            }
        }
    }

    private func end(
        _ view: FleetView?, _ key: CacheKey, _ serial: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void
    ) {
        // Another process may share longer bodies than this one reads.
        let entries = view?.records.filter { $0.length <= largest }.map(\.entry) ?? []
        if !entries.isEmpty { finds.add() }
        found(entries)
        // After a failure, all that was read is forgotten when the store responds again.
        if view != nil, !watch.isSeen(key, serial) { watch.forget(key) }
    }

    // MARK: Bodies

    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource { FleetBody(self, entry, part) }

    /// Reads a whole body, once for all who want it at the same time; nil if it is missing, damaged, or cannot be read.
    func load(_ entry: CacheEntry, _ done: @escaping @Sendable ([Bytes]?) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.loads[entry.id, default: []].append(done) }
            return state.loads[entry.id] == nil
        }
        guard isFirst else { return }
        Task {
            var pieces = access.isOut ? nil : await pieces(of: entry)
            if let read = pieces, read.reduce(0, { $0 + $1.count }) != entry.length { pieces = nil }
            if let pieces { watch.tell(.body(entry, pieces)) } else if !access.isOut { remove([entry]) {} }
            for done in state.withLock({ $0.loads.removeValue(forKey: entry.id) ?? [] }) { done(pieces) }
        }
    }

    private func pieces(of entry: CacheEntry) async -> [Bytes]? {
        if entry.length <= FleetRecord.bodyLimit {
            let view = try? await view(entry.response.key, [])
            return view?.records.first { $0.id == entry.id }?.entry.pieces
        }
        var pieces: [Bytes] = []
        let numbers = 0..<FleetChunks.count(entry.length)
        for start in stride(from: 0, to: numbers.count, by: FleetChunks.batch) {
            let batch = start..<min(start + FleetChunks.batch, numbers.count)
            let names = batch.map { FleetNames.chunk($0, of: entry.id) }
            guard let values = try? await access.get(names) else { return nil }
            for (number, value) in zip(batch, values) {
                guard let value, let piece = FleetChunks.read(value, number, of: entry) else { return nil }
                pieces.append(piece)
            }
        }
        return pieces
    }

    /// Reads a key with the marks of its URL, of these, and of all its responses. Without a watch.
    func view(_ key: CacheKey, _ urls: [String]) async throws(StoreFailure) -> FleetView {
        let urls = [key.url] + urls.filter { $0 != key.url }
        var view = FleetView(key, urls, try await access.get(FleetView.names(key, urls, names)))
        let others = view.missingURLs
        if !others.isEmpty { view.add(others, try await access.get(others.flatMap { FleetNames.marks($0) })) }
        return view
    }

    // MARK: One after another

    /// Does work on a key after all earlier work on it.
    func inOrder(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) {
        let isFirst = state.withLock { state in
            defer { state.lanes[key, default: []].append(work) }
            return state.lanes[key] == nil
        }
        guard isFirst else { return }
        Task {
            while let work = next(key) { await work() }
        }
    }

    /// Does work on a key after earlier work on it. Returns false, and does nothing, if there is no earlier work.
    func queue(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            state.lanes[key]?.append(work)
            return state.lanes[key] != nil
        }
    }

    private func next(_ key: CacheKey) -> (@Sendable () async -> Void)? {
        state.withLock { state in
            guard let works = state.lanes[key], let first = works.first else {
                state.lanes[key] = nil
                return nil
            }
            state.lanes[key] = Array(works.dropFirst())
            return first
        }
    }

    /// Counts bytes of bodies that are being stored; false, without counting, if there are too many.
    func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.reserved + count <= 4 * largest else { return false }
            state.reserved += count
            return true
        }
    }

    func release(_ count: Int) { state.withLock { $0.reserved -= count } }
}
