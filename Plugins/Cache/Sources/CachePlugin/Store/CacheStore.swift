import PlugboardKit

/// Where answers are kept. A store may be memory, a file, or something that many machines share.
///
/// Every function may be called from any thread, and none blocks or fails: a store that cannot do its work says so in
/// the log, and has nothing. Closures run once, on any thread, `entriesAtHand` excepted. What one call has done,
/// later calls see.
protocol CacheStore: AnyObject, Sendable {
    /// Makes what is there known before the first request, if that comes a little later. Without it, the first use
    /// opens the store.
    func open()

    /// What is known without waiting of all answers under a key; nil when the store must be asked.
    func entriesAtHand(_ key: CacheKey) -> [CacheEntry]?

    /// All answers under a key, in no order. Counts as a use of none.
    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void)

    /// The entry's body, or the part of it; counts as a use. Pieces are checked before they are given: damage is a
    /// break with `cache.damaged`, and the entry goes. Also of an entry that is replaced or removed while the body is
    /// read.
    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource

    /// Begins to store a body. Nothing can be found before `commit`.
    /// - Parameter length: of the body, if it is known.
    /// - Returns: nil if so long a body is not kept.
    func write(length: Int?) -> (any EntryWriter)?

    /// Gives an entry another head; the body stays.
    func update(_ entry: CacheEntry, _ answer: StoredResponse)

    func remove(_ entries: [CacheEntry])

    /// Marks all answers of a URL, whatever their keys, as invalidated (RFC 9111 §4.4).
    func invalidate(url: String)

    /// Removes what fits, and tells how many went.
    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void)

    /// Entries that fit, in no order, up to a number of them; counts as a use of none.
    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Entries that went so far to make room for others. Some have gone when a commit is done.
    var evictions: Int { get }

    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void)

    /// Writes what is still to be written. Blocks up to the limit.
    func close(within limit: Duration)
}

/// An answer in a store.
struct CacheEntry: Sendable {
    /// Of the store's own.
    let id: Int64
    /// Bytes of the stored body.
    let length: Int
    /// The whole body where it came along with the look-up, so that `body(of:_:)` need not ask again.
    var body: Bytes?
    private var head: Head

    init(id: Int64, answer: StoredResponse, length: Int) {
        self.id = id
        self.length = length
        head = Head(answer)
    }

    var answer: StoredResponse {
        get { head.answer }
        set { head = Head(newValue) }
    }

    /// Apart, for entries are handed about a lot, and an answer is a dozen references.
    private final class Head: Sendable {
        let answer: StoredResponse
        init(_ answer: StoredResponse) { self.answer = answer }
    }
}

/// A body that is being stored, in order. Used by one exchange at a time.
protocol EntryWriter: AnyObject, Sendable {
    /// False when no more is taken: the body is too large, or the disk is full. Then only `discard` is left.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// False when so much waits to be written that the body should not go on until `room` has run.
    var hasRoom: Bool { get }
    func room(_ run: @escaping @Sendable () -> Void)

    /// Makes the entry visible, in place of the others, all at once.
    func commit(_ answer: StoredResponse, replacing old: [CacheEntry], _ done: @escaping @Sendable (CacheEntry?) -> Void)

    /// Also the end of a writer that is dropped.
    func discard()
}

enum Purge: Sendable, Equatable {
    case all
    /// What is in memory beside a slower store.
    case memory
    case url(String)
    /// URLs that a pattern fits: `*` for any bytes, `?` for one.
    case pattern(String)
}

struct StoreStatistics: Sendable, Equatable {
    var memoryEntries = 0
    var memoryBytes = 0
    var entries = 0
    var bytes = 0
    var evicted = 0
}
