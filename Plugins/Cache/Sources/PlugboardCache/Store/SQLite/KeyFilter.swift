/// The keys of a file, so that most misses need no look-up on the store's thread.
///
/// Contains at least the keys of the file. A removed key stays until the next rebuilding, and costs only a look-up.
struct KeyFilter {
    private var sums: Set<Int64> = []
    /// The keys of entries that are being written, and their numbers.
    private var coming: [Int64: Int] = [:]
    private var removed = 0
    /// The last id whose key has been added.
    private(set) var last: Int64 = 0

    /// False until all keys have been added.
    private(set) var isLoaded = false

    /// Whether so many keys are removed that the filter should be rebuilt.
    var isStale: Bool { removed > 4096 && removed > sums.count / 2 }

    func canHave(_ key: CacheKey) -> Bool {
        let sum = key.sum
        return !isLoaded || sums.contains(sum) || coming[sum] != nil
    }

    mutating func willAdd(_ key: CacheKey) { coming[key.sum, default: 0] += 1 }

    /// Called when the key is in the file, or its writing has failed.
    mutating func didAdd(_ key: CacheKey) {
        let sum = key.sum
        sums.insert(sum)
        let count = coming[sum] ?? 0
        coming[sum] = count > 1 ? count - 1 : nil
    }

    /// - Parameter keys: A set, which the caller builds before it locks the filter.
    mutating func add(_ keys: consuming Set<Int64>, last: Int64) {
        if keys.count > sums.count { swap(&keys, &sums) }
        sums.formUnion(keys)
        self.last = last
        isLoaded = true
    }

    mutating func remove(_ count: Int) { removed += count }

    /// Starts again: until the keys are added again, all keys are possible.
    mutating func unload() {
        let coming = coming
        self = KeyFilter()
        self.coming = coming
    }
}
