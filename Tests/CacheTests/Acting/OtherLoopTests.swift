import Plugboard
import PlugboardCacheOptions
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCache

/// What requests on other loops change between the look-up of a request and the rest of its hook.
struct OtherLoopTests {
    private static let url = "http://a.test/"

    @Test func `an entry that is removed after the look-up is still served when a 304 confirms it`() async throws {
        let transport = MockTransport { _, _ in .respond(304, ["ETag": "\"1\"", "Cache-Control": "max-age=60"], []) }
        let store = InterruptedStore { _, store, found in store.remove(found) }
        store.keep("stored", ["ETag": "\"1\"", "Cache-Control": "max-age=60"], received: .seconds(1))
        let kernel = try kernel(transport, store)

        let response = try await kernel.send(Request(.get, OtherLoopTests.url))

        #expect(response.status == 200)
        #expect(try await response.body.text() == "stored")
        #expect(transport.requests.map { $0.fields["If-None-Match"] } == ["\"1\""])
        await kernel.shutDown()
    }

    @Test func `a request uses what an identical one has stored after the look-up`() async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["second"]) }
        let store = InterruptedStore { cache, store, _ in
            let same = FlightKey(key: CacheKey(text: OtherLoopTests.url), version: "", selecting: [])
            guard case .leads(let flight) = cache.flights.board(same) else { return }
            store.keep("first", ["Cache-Control": "max-age=60"], received: cache.host.wallClock)
            cache.flights.end(flight, .landed)
        }
        let kernel = try kernel(transport, store)

        let response = try await kernel.send(Request(.get, OtherLoopTests.url))

        #expect(try await response.body.text() == "first")
        #expect(transport.requests.count == 0)
        await kernel.shutDown()
    }

    @Test func `a request leads although another one has stored something else after the look-up`() async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["new"]) }
        let store = InterruptedStore { cache, _, _ in
            let other = FlightKey(key: CacheKey(text: "http://b.test/"), version: "", selecting: [])
            guard case .leads(let flight) = cache.flights.board(other) else { return }
            cache.flights.end(flight, .landed)
        }
        let kernel = try kernel(transport, store)

        for _ in 0..<2 {
            let response = try await kernel.send(Request(.get, OtherLoopTests.url))
            #expect(try await response.body.text() == "new")
        }

        #expect(transport.requests.count == 1)
        await kernel.shutDown()
    }

    private func kernel(_ transport: MockTransport, _ store: InterruptedStore) throws -> Kernel {
        let descriptor = LinkedDescriptor(Cache.manifest) { (settings: CacheSettings, host: PluginHost) in
            let cache = try Cache(settings: settings, host: host, store: store)
            store.serve(cache)
            return cache
        }
        OtherLoopTests.kept.withLock { $0.append(descriptor) }
        return try Kernel(
            configuration: Configuration(plugins: [PluginEntry("cache")]), catalog: Catalog([descriptor.raw]),
            transport: transport, log: .silent, clock: ManualClock())
    }

    /// A catalog does not keep the descriptors that it is given.
    private static let kept = Mutex<[LinkedDescriptor]>([])
}

/// A store in memory that calls `interrupt` once, after its first look-up.
private final class InterruptedStore: CacheStore {
    typealias Interrupt = @Sendable (Cache, TieredStore, [CacheEntry]) -> Void

    private struct State {
        weak var cache: Cache?
        var interrupt: Interrupt?
    }

    private let inner = TieredStore(path: nil, memory: 1 << 20, disk: 0, entries: 100) { _ in }
    private let state: Mutex<State>

    init(_ interrupt: @escaping Interrupt) { state = Mutex(State(interrupt: interrupt)) }

    func serve(_ cache: Cache) { state.withLock { $0.cache = cache } }

    func keep(_ body: String, _ fields: Fields, received: Duration) {
        inner.keep(body, fields, received: received)
    }

    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]? {
        let found = inner.entriesAtHand(key)
        let (cache, interrupt) = state.withLock { ($0.cache, $0.interrupt.take()) }
        if let cache, let interrupt { interrupt(cache, inner, found ?? []) }
        return found
    }

    func open() {}
    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void) { inner.entries(key, found) }
    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource { inner.body(of: entry, part) }
    func write(length: Int?) -> (any EntryWriter)? { inner.write(length: length) }
    func update(_ entry: CacheEntry, _ response: StoredResponse) { inner.update(entry, response) }
    func remove(_ entries: [CacheEntry]) { inner.remove(entries) }
    func invalidate(url: String) { inner.invalidate(url: url) }
    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void) { inner.purge(what, done) }
    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void) {
        inner.list(what, limit: limit, found)
    }
    var evictions: Int { inner.evictions }
    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void) { inner.statistics(done) }
    func close(within limit: Duration) {}
}

extension TieredStore {
    /// Stores a response to GET http://a.test/.
    fileprivate func keep(_ body: String, _ fields: Fields, received: Duration) {
        let url = "http://a.test/"
        let response = StoredResponse(
            key: CacheKey(text: url), url: url, status: 200, fields: fields, requested: received, received: received)
        let writer = write(length: body.utf8.count)
        _ = body.utf8.withContiguousStorageIfAvailable { writer?.append(UnsafeRawBufferPointer($0)) }
        writer?.commit(StoredHead(response), replacing: []) { _ in }
    }
}
