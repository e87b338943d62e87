import PlugboardKit

/// Entries in memory, in the order of use. A plain value, protected by its owner.
///
/// Each operation on one entry takes constant time; an operation on a URL takes time for the entries of that URL.
struct MemoryTable {
    private struct Place {
        /// Has no pieces if only the head is in memory, and the body in a slower store.
        var entry: CacheEntry
        /// The bytes that count for the limit.
        private(set) var cost: Int

        init(_ entry: CacheEntry) {
            self.entry = entry
            cost = 0
            weigh()
        }

        /// Updates the cost after a change.
        mutating func weigh() { cost = entry.head.cost + (entry.pieces == nil ? 0 : entry.length) }
    }

    /// The neighbours of a slot in the order of use; `none` at both ends. Separate from the slots, because links change
    /// at every use, and changing a slot would retain and release its contents.
    private struct Link {
        var newer = MemoryTable.none
        var older = MemoryTable.none
    }

    /// The entries of one key.
    private struct Group {
        var ids: [Int64] = []
        /// The number of entries that a slower store has, as of an epoch; nil if it is unknown.
        var stored: (count: Int, epoch: Int)?
    }

    private static let none = -1

    let byteLimit: Int
    let countLimit: Int
    private(set) var bytes = 0
    /// The bytes of bodies that are being stored, which count for the limit too.
    private(set) var reserved = 0
    /// The number of entries removed to make room.
    private(set) var evicted = 0
    /// Knowledge about a slower store from an earlier epoch is not valid any more.
    var epoch = 0

    private var slots: [Place?] = []
    private var links: [Link] = []
    private var free: [Int] = []
    private var indices: [Int64: Int] = [:]
    private var groups: [CacheKey: Group] = [:]
    /// The ids by `indexedURL`, of the entries that are found by another URL than their key.
    private var urls: [String: [Int64]] = [:]
    private var newest = MemoryTable.none
    private var oldest = MemoryTable.none

    init(byteLimit: Int, countLimit: Int) {
        self.byteLimit = max(byteLimit, 0)
        self.countLimit = max(countLimit, 0)
    }

    var count: Int { indices.count }

    /// The number of entries whose ids match.
    func count(_ fits: (Int64) -> Bool) -> Int { indices.keys.count(where: fits) }

    /// The longest body that is stored, so that one entry cannot remove most others.
    var largest: Int { byteLimit / 4 }

    // MARK: Looking up

    /// The entries of a key, each with its body if that is in memory.
    func entries(_ key: CacheKey) -> [CacheEntry] {
        guard let ids = groups[key]?.ids else { return [] }
        var entries: [CacheEntry] = []
        entries.reserveCapacity(ids.count)
        for id in ids {
            if let index = indices[id], let entry = slots[index]?.entry { entries.append(entry) }
        }
        return entries
    }

    /// Whether all entries of the key in a slower store are in memory too.
    func isComplete(_ key: CacheKey) -> Bool { completeCount(key) != nil }

    /// The number of entries of the key in a slower store, if all of them are in memory too. Their ids are positive.
    func completeCount(_ key: CacheKey) -> Int? {
        guard let group = groups[key], let stored = group.stored, stored.epoch == epoch else { return nil }
        return stored.count == group.ids.count { $0 > 0 } ? stored.count : nil
    }

    func entry(_ id: Int64) -> CacheEntry? { indices[id].flatMap { slots[$0]?.entry } }

    /// The body, if it is in memory; counts as a use.
    mutating func body(_ id: Int64) -> [Bytes]? {
        guard let index = indices[id], let pieces = slots[index]?.entry.pieces else { return nil }
        if newest != index {
            unlink(index)
            linkAsNewest(index)
        }
        return pieces
    }

    func ids(url: String) -> [Int64] {
        (groups[CacheKey(text: url)]?.ids ?? []) + (urls[url] ?? [])
    }

    func ids(_ pattern: URLPattern) -> [Int64] {
        indices.keys.filter { id in entry(id).map { pattern.fits($0.response.url) } ?? false }
    }

    /// The ids, from the least to the most recently used.
    var idsInOrder: [Int64] {
        var ids: [Int64] = []
        var index = oldest
        while index != MemoryTable.none, let slot = slots[index] {
            ids.append(slot.entry.id)
            index = links[index].newer
        }
        return ids
    }

    /// Selected entries, up to a limit.
    func list(_ what: Purge, limit: Int) -> [CacheEntry] {
        let all =
            switch what {
            case .all, .memory: Array(indices.keys)
            case .url(let url): ids(url: url)
            case .pattern(let pattern): ids(URLPattern(pattern))
            }
        return all.prefix(max(limit, 0)).compactMap { entry($0) }
    }

    // MARK: Changing

    /// Adds an entry as the most recently used, replaces one with the same id, and makes room. False if it is too
    /// large.
    @discardableResult
    mutating func insert(_ entry: CacheEntry, _ pieces: [Bytes]?) -> Bool {
        remove(entry.id)
        var entry = entry
        entry.pieces = pieces
        let slot = Place(entry)
        guard pieces == nil || entry.length <= largest, slot.cost <= byteLimit, countLimit > 0 else { return false }
        let index = free.popLast() ?? slots.count
        if index == slots.count {
            slots.append(slot)
            links.append(Link())
        } else {
            slots[index] = slot
        }
        indices[entry.id] = index
        if let group = groups.index(forKey: entry.response.key) {
            groups.values[group].ids.append(entry.id)
        } else {
            // An array with room for one, because most keys have one entry.
            groups[entry.response.key] = Group(ids: [entry.id])
        }
        if let url = entry.response.indexedURL { urls[url, default: []].append(entry.id) }
        bytes += slot.cost
        linkAsNewest(index)
        shrink()
        return true
    }

    /// Replaces the entries of a key by those of a slower store.
    mutating func record(_ key: CacheKey, _ entries: [CacheEntry]) {
        for id in groups[key]?.ids ?? [] where id > 0 && !entries.contains(where: { $0.id == id }) { remove(id) }
        for entry in entries {
            let pieces = entry.pieces ?? indices[entry.id].flatMap { slots[$0]?.entry.pieces }
            insert(entry, entry.length <= largest ? pieces : nil)
        }
        setStored(key, entries.count { $0.id > 0 })
    }

    /// Records how many entries of a key a slower store has, of which memory may have evicted some; nil if that is
    /// unknown.
    mutating func setStored(_ key: CacheKey, _ count: Int?) {
        guard let index = groups.index(forKey: key) else { return }
        groups.values[index].stored = count.map { ($0, epoch) }
    }

    /// Changes the head of an entry.
    mutating func update(_ id: Int64, _ change: (inout StoredResponse) -> Void) {
        guard let index = indices[id], var slot = slots[index] else { return }
        let (key, url) = (slot.entry.response.key, slot.entry.response.url)
        change(&slot.entry.response)
        // Key and URL stay, because the entry is found by them.
        slot.entry.response.key = key
        slot.entry.response.url = url
        bytes -= slot.cost
        slot.weigh()
        bytes += slot.cost
        slots[index] = slot
        shrink()
    }

    /// Removes an entry that is removed from the slower store too, so that the key stays complete.
    @discardableResult
    mutating func forget(_ id: Int64) -> Bool {
        guard let key = entry(id)?.response.key, remove(id) else { return false }
        if id > 0 { groups[key]?.stored?.count -= 1 }
        return true
    }

    @discardableResult
    mutating func remove(_ id: Int64) -> Bool {
        guard let index = indices.removeValue(forKey: id), let slot = slots[index].take() else { return false }
        unlink(index)
        free.append(index)
        bytes -= slot.cost
        // One look-up each: most keys have one entry, and are removed with it.
        if let index = groups.index(forKey: slot.entry.response.key) {
            groups.values[index].ids.removeAll { $0 == id }
            if groups.values[index].ids.isEmpty { groups.remove(at: index) }
        }
        if let url = slot.entry.response.indexedURL, let index = urls.index(forKey: url) {
            urls.values[index].removeAll { $0 == id }
            if urls.values[index].isEmpty { urls.remove(at: index) }
        }
        return true
    }

    /// Counts bytes of a body that is being stored, and makes room for them. False, without counting, if all such
    /// bodies would take more than half of the memory.
    mutating func reserve(_ count: Int) -> Bool {
        guard count <= byteLimit / 2 - reserved else { return false }
        reserved += count
        shrink()
        return true
    }

    /// Stops counting bytes of a body that is stored now, or discarded.
    mutating func release(_ count: Int) { reserved -= count }

    /// Removes the selected entries, and returns their number.
    /// - Parameter isWhole: Whether there is no slower store, so that `.memory` selects nothing.
    mutating func purge(_ what: Purge, isWhole: Bool) -> Int {
        let before = count
        switch what {
        case .all: removeAll()
        case .memory: if !isWhole { removeAll() }
        case .url(let url): for id in ids(url: url) { remove(id) }
        case .pattern(let pattern): for id in ids(URLPattern(pattern)) { remove(id) }
        }
        return before - count
    }

    private mutating func removeAll() {
        var empty = MemoryTable(byteLimit: byteLimit, countLimit: countLimit)
        empty.evicted = evicted
        empty.epoch = epoch
        empty.reserved = reserved
        self = empty
    }

    private mutating func shrink() {
        // Unlike `forget`, this leaves the key incomplete, so that the slower store is asked.
        while bytes > byteLimit - reserved || count > countLimit, oldest != MemoryTable.none,
            let id = slots[oldest]?.entry.id
        {
            remove(id)
            evicted += 1
        }
    }

    // MARK: The order of use

    private mutating func linkAsNewest(_ index: Int) {
        links[index] = Link(older: newest)
        if newest == MemoryTable.none { oldest = index } else { links[newest].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        let link = links[index]
        if link.newer == MemoryTable.none { newest = link.older } else { links[link.newer].older = link.older }
        if link.older == MemoryTable.none { oldest = link.newer } else { links[link.older].newer = link.newer }
    }
}
