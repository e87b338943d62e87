import PlugboardKit

/// A store behind the memory of `TieredStore`: a file, or the store of a fleet. As with `CacheStore`, no function
/// blocks or fails, and closures are called once, on any thread.
protocol BackingStore: AnyObject, Sendable {
    func open()

    /// The longest body.
    var largest: Int { get }
    /// The longest wait of a request for what the store finds; then it counts as empty.
    var patience: Duration { get }
    /// Whether the store can list and count its entries.
    var isListed: Bool { get }
    var evictions: Int { get }

    /// Whether the store is known not to give entries of the key; nil if it must be asked.
    func lacks(_ key: CacheKey) -> Bool?
    func entries(_ key: CacheKey, _ found: @escaping @Sendable ([CacheEntry]) -> Void)
    func body(of entry: CacheEntry, _ part: Range<Int>) -> any StoredSource
    /// Records a use of an entry.
    func use(_ id: Int64)

    /// Writes the pieces of a body; nil while nothing can be stored, or without room for the body.
    func sink(length: Int?) -> (any PieceSink)?
    func update(_ entry: CacheEntry, _ response: StoredResponse, _ done: @escaping @Sendable () -> Void)
    func remove(_ entries: [CacheEntry], _ done: @escaping @Sendable () -> Void)
    func invalidate(url: String, _ done: @escaping @Sendable () -> Void)
    func purge(_ what: Purge, _ done: @escaping @Sendable (Int) -> Void)

    func list(_ what: Purge, limit: Int, _ found: @escaping @Sendable ([CacheEntry]) -> Void)
    func statistics(_ done: @escaping @Sendable (StoreStatistics) -> Void)
    func close(within limit: Duration)
}

/// What the memory in front of a store must learn.
enum BackingChange: Sendable {
    /// Other processes may have changed any entries.
    case any
    /// The same, and they may have removed entries that only this process has.
    case anyOwn
    /// Other processes may have changed the entries of a key, and removed those that only this process has.
    case key(CacheKey)
    /// The body of an entry was read.
    case body(CacheEntry, [Bytes])
}
