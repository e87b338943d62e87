/// The keys of a file, so that a key which is not there is known without asking: most misses need no other thread.
///
/// Holds at least the keys that are there. What is removed stays until the next rebuilding: a key too many costs a
/// look-up, and nothing else.
struct KeyFilter {
    private var sums: Set<Int64> = []
    /// Keys on their way to the file.
    private var coming: [Int64: Int] = [:]
    private var removed = 0
    /// The entries up to this one are known.
    private(set) var last: Int64 = 0

    /// False before all keys have been added.
    private(set) var isLoaded = false

    /// Whether so many of the keys are gone that the file should be read through again.
    var isStale: Bool { removed > 4096 && removed > sums.count / 2 }

    func canHave(_ key: CacheKey) -> Bool {
        let sum = key.sum
        return !isLoaded || sums.contains(sum) || coming[sum] != nil
    }

    mutating func willAdd(_ key: CacheKey) { coming[key.sum, default: 0] += 1 }

    /// The key is in the file, or will not be.
    mutating func didAdd(_ key: CacheKey) {
        let sum = key.sum
        sums.insert(sum)
        let count = coming[sum] ?? 0
        coming[sum] = count > 1 ? count - 1 : nil
    }

    mutating func add(_ keys: [Int64], last: Int64) {
        sums.formUnion(keys)
        self.last = last
        isLoaded = true
    }

    mutating func remove(_ count: Int) { removed += count }

    /// Begins anew; before the keys are added again, all are possible.
    mutating func unload() {
        let coming = coming
        self = KeyFilter()
        self.coming = coming
    }
}
