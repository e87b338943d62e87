import PlugboardKit
import PlugboardStore
import Synchronization

/// Writes to the store of a fleet.
extension FleetCacheStore {
    /// The longest time to live. The marks that a response is stored with live longer.
    private static let longest = FleetAccess.timeLimit - .seconds(86_400)
    /// How long a body that was replaced can still be read.
    private static let readerTime = Duration.seconds(10)
    /// How often a change is tried that another process forestalls.
    private static let attempts = 8

    func sink(length: Int?) -> (any PieceSink)? {
        access.isReadOnly || length ?? 0 > largest ? nil : FleetSink(self)
    }

    /// Stores a response; passes the entry, or nil if it could not be stored.
    func add(
        _ head: StoredHead, _ pieces: [Bytes], length: Int, replacing old: [CacheEntry],
        _ done: @escaping @Sendable (CacheEntry?) -> Void
    ) {
        let (response, id) = (head.response, Int64(access.random() >> 1) | 1)
        let body = length <= FleetRecord.bodyLimit ? Bytes(pieces.flatMap(\.array)) : nil
        let chunks = body == nil ? FleetChunks.values(pieces, of: id) : []
        let time = timeToLive(response)
        let replaced = Set(old.map(\.id))
        let purges = purges.load(ordering: .relaxed)
        inOrder(response.key) { [self] in
            let isStored = await change(
                response.key, [response.url], chunks.map { StoreEntry($0.name, $0.value, timeToLive: time) }
            ) { [self] records, view in
                records.removeAll { replaced.contains($0.id) }
                let stamp = view.stamp(response.url)
                // Of the generation before it, not of the one that a purge has made since.
                guard purges == self.purges.load(ordering: .relaxed) else { return }
                records.append(FleetRecord(id: id, stamp: stamp, response: response, length: length, body: body))
            }
            done(isStored ? CacheEntry(id: id, head: head, length: length) : nil)
            if isStored { removeChunks(of: old) }
            watch.forget(response.key)
        }
    }

    func update(_ entry: CacheEntry, _ response: StoredResponse, _ done: @escaping @Sendable () -> Void) {
        var response = response
        // Key and URL stay, because the entry is found by them.
        (response.key, response.url) = (entry.response.key, entry.response.url)
        edit(response.key, [response.url], done) { [response] records, view in
            guard let index = records.firstIndex(where: { $0.id == entry.id }) else { return }
            records[index].response = response
            records[index].stamp = view.stamp(response.url)
        }
    }

    func remove(_ entries: [CacheEntry], _ done: @escaping @Sendable () -> Void) {
        guard let key = entries.first?.response.key else { return done() }
        let (own, others) = (entries.filter { $0.response.key == key }, entries.filter { $0.response.key != key })
        let ids = Set(own.map(\.id))
        edit(key, [], { [self] in others.isEmpty ? done() : remove(others, done) }) { records, _ in
            records.removeAll { ids.contains($0.id) }
        }
        removeChunks(of: own)
    }

    private func edit(
        _ key: CacheKey, _ urls: [String], _ done: @escaping @Sendable () -> Void,
        _ edit: @escaping @Sendable (inout [FleetRecord], FleetView) -> Void
    ) {
        inOrder(key) { [self] in
            _ = await change(key, urls, [], edit)
            watch.forget(key)
            done()
        }
    }

    func invalidate(url: String, _ done: @escaping @Sendable () -> Void) {
        unmark(url, FleetNames.marks(url)[1], done)
    }

    /// Removes a mark of a URL, after what is being stored under it.
    private func unmark(_ url: String, _ name: String, _ done: @escaping @Sendable () -> Void) {
        let isQueued = queue(CacheKey(text: url)) { [self] in
            await withCheckedContinuation { continuation in access.unmark(name) { continuation.resume() } }
            done()
        }
        if !isQueued { access.unmark(name, done) }
    }

    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) {
        switch what {
        case .memory: done(0)
        case .url(let url):
            unmark(url, FleetNames.marks(url)[0]) { done(0) }
        case .all: purgeAll(done)
        case .pattern(let pattern):
            Task {
                if await purge(pattern: pattern) { done(0) } else { purgeAll(done) }
            }
        }
    }

    private func purgeAll(_ done: @escaping @Sendable (Int) -> Void) {
        purges.add(1, ordering: .relaxed)
        access.unmark(FleetNames.generation) { done(0) }
    }

    private func purge(pattern: String) async -> Bool {
        for _ in 0..<FleetCacheStore.attempts {
            guard let values = try? await access.get([FleetNames.generation]) else { return false }
            guard let next = values[0].flatMap({ FleetGeneration($0)?.purging(pattern) }) else { return false }
            do throws(StoreFailure) {
                try await set(FleetNames.generation, next.value, expected: values[0], FleetAccess.timeLimit)
                return true
            } catch {
                if error.kind != .refused { return false }
            }
        }
        return false
    }

    // MARK: The records of a key

    /// Writes chunks, and then changes the records of a key; false if that was not possible.
    private func change(
        _ key: CacheKey, _ urls: [String], _ chunks: [StoreEntry],
        _ edit: @Sendable (inout [FleetRecord], FleetView) -> Void
    ) async -> Bool {
        if access.isReadOnly { return false }
        var chunks = chunks[...]
        for _ in 0..<FleetCacheStore.attempts {
            do throws(StoreFailure) {
                let view = try await view(key, urls)
                let missing = urls.isEmpty ? [] : view.missing([key.url] + urls)
                for (name, value) in missing {
                    let new =
                        name == FleetNames.generation
                        ? FleetGeneration(id: access.random()).value : FleetView.value(of: access.random())
                    try await set(name, new, expected: value, FleetAccess.timeLimit)
                }
                if !missing.isEmpty { continue }
                while !chunks.isEmpty {
                    try await access.write(.put(Array(chunks.prefix(FleetChunks.batch))))
                    chunks = chunks.dropFirst(FleetChunks.batch)
                }
                var records = view.records
                edit(&records, view)
                // Without records, there may still be a value of another process.
                if records.isEmpty && view.value == nil { return true }
                let time = records.map { timeToLive($0.response) }.max() ?? .seconds(1)
                try await set(names.records(key), FleetRecord.encoded(records, of: key), expected: view.value, time)
                return true
            } catch {
                if error.kind != .refused { return false }
            }
        }
        return false
    }

    private func set(_ name: String, _ value: Bytes, expected: Bytes?, _ time: Duration) async throws(StoreFailure) {
        try await access.write(.compareAndSet(StoreEntry(name, value, timeToLive: time), expected: expected))
    }

    private func timeToLive(_ response: StoredResponse) -> Duration {
        min(max(lifetime(response), .seconds(1)), FleetCacheStore.longest)
    }

    /// Removes bodies when their readers are done. If the process ends before, they end by themselves.
    private func removeChunks(of entries: [CacheEntry]) {
        let long = entries.filter { $0.length > FleetRecord.bodyLimit && $0.id > 0 && $0.length <= largest }
        let names = long.flatMap { entry in
            (0..<FleetChunks.count(entry.length)).map { FleetNames.chunk($0, of: entry.id) }
        }
        if names.isEmpty { return }
        host.schedule(after: FleetCacheStore.readerTime) { [self] in
            for start in stride(from: 0, to: names.count, by: 1000) {
                access.write(.remove(Array(names[start..<min(start + 1000, names.count)]))) { _ in }
            }
        }
    }
}
