import PlugboardKit
import Synchronization

/// Stores responses: in memory, in a file, or on a remote system.
///
/// Every function may be called from any thread, and none blocks or fails: a store that cannot work logs it and behaves
/// as if empty. Closures are called once, on any thread. Later calls see the effects of earlier ones.
protocol CacheStore: AnyObject, Sendable {
    /// Opens the store before the first request. Without this call, the first use opens the store.
    func open()

    /// The longest wait of a request for what the store finds; then it counts as empty.
    var patience: Duration { get }

    /// All entries of a key if they are known without waiting, with the bodies that are in memory; nil if `entries`
    /// must be called.
    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]?

    /// All entries of a key, in no order. Does not count as a use.
    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void)

    /// The entry's body or a part of it; counts as a use. Each piece is checked before it is given: damage breaks the
    /// body with `cache.damaged`, and removes the entry. The body stays readable while it is read, even if its entry is
    /// replaced or removed.
    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource

    /// Begins to store a body, which cannot be found before `commit`.
    /// - Parameter length: The length of the body, if it is known.
    /// - Returns: Nil if the body is too long.
    func write(length: Int?) -> (any EntryWriter)?

    /// Replaces the head of an entry; the body stays.
    func update(_ entry: CacheEntry, _ response: StoredResponse)

    func remove(_ entries: [CacheEntry])

    /// Marks all entries of a URL as invalidated, whatever their keys (RFC 9111 §4.4).
    func invalidate(url: String)

    /// Removes the selected entries, and passes their number.
    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void)

    /// Selected entries in no order, up to a limit; does not count as a use.
    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void)

    /// The number of entries removed so far to make room. May grow with each commit.
    var evictions: Int { get }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void)

    /// Writes what is not written yet. Blocks up to the limit.
    func close(within limit: Duration)
}

extension CacheStore {
    var patience: Duration { .seconds(5) }
}

/// A response in a store.
struct CacheEntry: Sendable {
    /// The id that the store assigned.
    let id: Int64
    /// The number of bytes of the stored body.
    let length: Int
    /// The pieces of the whole body, if they were in memory when the entry was found. `body(of:_:)` uses them when the
    /// store has removed them since.
    var pieces: [Bytes]?
    private(set) var head: StoredHead

    init(id: Int64, head: StoredHead, length: Int) {
        self.id = id
        self.length = length
        self.head = head
    }

    init(id: Int64, response: StoredResponse, length: Int) {
        self.init(id: id, head: StoredHead(response), length: length)
    }

    var response: StoredResponse {
        // Lends the response, because a copy would count a dozen references.
        @inline(__always) _read { yield head.response }
        set { head = StoredHead(newValue) }
    }

    /// What the response says about caching, if it was parsed already.
    var facts: ResponseFacts? { head.facts.load()?.facts }

    /// Keeps what the response says about caching, so that it is parsed once for an entry.
    func keep(_ facts: ResponseFacts) { _ = head.facts.storeIfNil(StoredHead.Facts(facts)) }

    /// The head that callers are served with this age and this status of the cache. The last one is kept, because most
    /// uses of an entry in one second get the same.
    func served(age: Int64, _ status: CacheStatus, _ make: () -> ResponseHead) -> ResponseHead {
        let known = head.served.withLock { $0 }
        if let known, known.age == age, known.status == status { return known.head }
        let served = StoredHead.Served(age: age, status: status, head: make())
        head.served.withLock { $0 = served }
        return served.head
    }
}

/// A stored response, with what is made of it once.
///
/// A reference, because decisions and entries are copied often, and a response has a dozen references.
final class StoredHead: Sendable {
    let response: StoredResponse
    /// The approximate memory of the head, with the copy that its last user got.
    let cost: Int
    fileprivate let facts = AtomicLazyReference<Facts>()
    fileprivate let served = Mutex<Served?>(nil)

    init(_ response: StoredResponse) {
        cost = response.cost
        self.response = response
    }

    fileprivate final class Facts: Sendable {
        let facts: ResponseFacts
        init(_ facts: ResponseFacts) { self.facts = facts }
    }

    fileprivate final class Served: Sendable {
        let age: Int64
        let status: CacheStatus
        let head: ResponseHead
        init(age: Int64, status: CacheStatus, head: ResponseHead) {
            (self.age, self.status, self.head) = (age, status, head)
        }
    }
}

/// Stores a body in order. Used by one exchange at a time.
protocol EntryWriter: AnyObject, Sendable {
    /// False if the body is refused, because it is too large or the disk is full. Then only `discard` may be called.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// False while so much is queued that the body should wait until `room` calls back.
    var hasRoom: Bool { get }
    func room(_ run: @escaping @Sendable () -> Void)

    /// Makes the entry visible and removes the replaced ones, atomically.
    func commit(
        _ head: StoredHead, replacing old: [CacheEntry], _ done: @escaping @Sendable (CacheEntry?) -> Void)

    /// Ends writing without an entry; a released writer does the same.
    func discard()
}

/// A selection of entries.
enum Purge: Sendable, Equatable {
    case all
    /// The copies in memory of entries in a slower store.
    case memory
    case url(String)
    /// The URLs that match a pattern: `*` for any bytes, `?` for one.
    case pattern(String)
}

struct StoreStatistics: Sendable, Equatable {
    var memoryEntries = 0
    var memoryBytes = 0
    var entries = 0
    var bytes = 0
    var evicted = 0
}

/// The body of a stored response. If the store is slow, its first pieces can be read and checked before the response is
/// served.
protocol StoredSource: BodySource {
    /// Whether the first pieces are in memory.
    var isAtHand: Bool { get }

    /// The body, as the kernel gets it.
    var body: Body { get }

    /// Reads the first pieces, before the first pull and once; passes, on any thread, whether they are undamaged.
    func prepare(_ done: @escaping @Sendable (_ isIntact: Bool) -> Void)
}

extension StoredSource {
    var isAtHand: Bool { true }
    var body: Body { Body(self) }
    func prepare(_ done: @escaping @Sendable (Bool) -> Void) { done(true) }
}
