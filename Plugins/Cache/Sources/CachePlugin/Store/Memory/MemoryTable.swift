import PlugboardKit

/// Entries in memory, with the least recently used one at hand. A plain value: its owner guards it.
///
/// Everything about one entry takes the same time however many there are; what names a URL takes time for the entries
/// of that URL.
struct MemoryTable {
    private struct Slot {
        var entry: CacheEntry
        /// Nil if only the head is here, and the body in a slower store.
        var pieces: [Bytes]?
        /// The bytes that it counts for.
        private(set) var cost: Int

        init(entry: CacheEntry, pieces: [Bytes]?) {
            self.entry = entry
            self.pieces = pieces
            cost = 0
            weigh()
        }

        /// After a change.
        mutating func weigh() { cost = entry.answer.cost + (pieces == nil ? 0 : entry.length) }
    }

    /// The neighbours of a slot in the order of use; `none` at both ends. Apart from the slots, for they change at every use, and a slot
    /// has much that would be retained and released with it.
    private struct Link {
        var newer = MemoryTable.none
        var older = MemoryTable.none
    }

    /// The entries of one key.
    private struct Group {
        var ids: [Int64] = []
        /// How many of them a slower store has, as of an epoch; nil if that is not known.
        var known: (count: Int, epoch: Int)?
    }

    private static let none = -1

    let byteLimit: Int
    let countLimit: Int
    private(set) var bytes = 0
    /// Bytes of bodies that are still being stored, within the limit too.
    private(set) var reserved = 0
    /// Entries that had to go for others.
    private(set) var evicted = 0
    /// What was known of a slower store before the epoch began is not known any more.
    var epoch = 0

    private var slots: [Slot?] = []
    private var links: [Link] = []
    private var free: [Int] = []
    private var places: [Int64: Int] = [:]
    private var groups: [CacheKey: Group] = [:]
    private var urls: [String: [Int64]] = [:]
    private var newest = MemoryTable.none
    private var oldest = MemoryTable.none

    init(byteLimit: Int, countLimit: Int) {
        self.byteLimit = max(byteLimit, 0)
        self.countLimit = max(countLimit, 0)
    }

    var count: Int { places.count }

    /// How many entries have ids of a kind.
    func count(_ fits: (Int64) -> Bool) -> Int { places.keys.count(where: fits) }

    /// The longest body that is kept: no single one may drive out most others.
    var largest: Int { byteLimit / 4 }

    // MARK: Looking up

    func entries(_ key: CacheKey) -> [CacheEntry] {
        guard let group = groups[key] else { return [] }
        return group.ids.compactMap { entry($0) }
    }

    /// Whether all entries of the key that a slower store has are here, too. Those have ids above zero.
    func isComplete(_ key: CacheKey) -> Bool {
        guard let group = groups[key], let known = group.known, known.epoch == epoch else { return false }
        return known.count == group.ids.count { $0 > 0 }
    }

    func entry(_ id: Int64) -> CacheEntry? { places[id].flatMap { slots[$0]?.entry } }

    /// All bytes of a body if they are here; counts as a use.
    mutating func body(_ id: Int64) -> [Bytes]? {
        guard let place = places[id], let pieces = slots[place]?.pieces else { return nil }
        if newest != place {
            unlink(place)
            linkAsNewest(place)
        }
        return pieces
    }

    func ids(url: String) -> [Int64] { urls[url] ?? [] }

    func ids(_ pattern: URLPattern) -> [Int64] { urls.lazy.filter { pattern.fits($0.key) }.flatMap(\.value) }

    /// From the least to the most recently used.
    var idsInOrder: [Int64] {
        var ids: [Int64] = []
        var place = oldest
        while place != MemoryTable.none, let slot = slots[place] {
            ids.append(slot.entry.id)
            place = links[place].newer
        }
        return ids
    }

    /// Entries that fit, up to a number of them.
    func list(_ what: Purge, limit: Int) -> [CacheEntry] {
        let all =
            switch what {
            case .all, .memory: Array(places.keys)
            case .url(let url): ids(url: url)
            case .pattern(let pattern): ids(URLPattern(pattern))
            }
        return all.prefix(max(limit, 0)).compactMap { entry($0) }
    }

    // MARK: Changing

    /// Adds an entry as the most recently used, in place of one with its id, and removes what has no room beside it.
    /// False if it is too large.
    @discardableResult
    mutating func insert(_ entry: CacheEntry, _ pieces: [Bytes]?) -> Bool {
        remove(entry.id)
        var entry = entry
        entry.body = nil
        let slot = Slot(entry: entry, pieces: pieces)
        guard pieces == nil || entry.length <= largest, slot.cost <= byteLimit, countLimit > 0 else { return false }
        let place = free.popLast() ?? slots.count
        if place == slots.count {
            slots.append(slot)
            links.append(Link())
        } else {
            slots[place] = slot
        }
        places[entry.id] = place
        groups[entry.answer.key, default: Group()].ids.append(entry.id)
        urls[entry.answer.url, default: []].append(entry.id)
        bytes += slot.cost
        linkAsNewest(place)
        shrink()
        return true
    }

    /// Adds the body of an entry that is here without it.
    mutating func fill(_ id: Int64, _ pieces: [Bytes]) {
        guard let place = places[id], var slot = slots[place], slot.pieces == nil, slot.entry.length <= largest else {
            return
        }
        bytes -= slot.cost
        slot.pieces = pieces
        slot.weigh()
        bytes += slot.cost
        slots[place] = slot
        shrink()
    }

    /// Takes over what a slower store has of a key.
    mutating func record(_ key: CacheKey, _ entries: [CacheEntry]) {
        for id in groups[key]?.ids ?? [] where id > 0 && !entries.contains(where: { $0.id == id }) { remove(id) }
        for entry in entries {
            let pieces = entry.body.map { [$0] } ?? places[entry.id].flatMap { slots[$0]?.pieces }
            insert(entry, entry.length <= largest ? pieces : nil)
        }
        setKnown(key)
    }

    /// Says that what is here of a key is all that a slower store has; or that this is not known.
    mutating func setKnown(_ key: CacheKey, _ isKnown: Bool = true) {
        guard let group = groups[key] else { return }
        groups[key]?.known = isKnown ? (group.ids.count { $0 > 0 }, epoch) : nil
    }

    /// Gives an entry another head.
    mutating func update(_ id: Int64, _ change: (inout StoredResponse) -> Void) {
        guard let place = places[id], var slot = slots[place] else { return }
        let (key, url) = (slot.entry.answer.key, slot.entry.answer.url)
        change(&slot.entry.answer)
        // What an entry is found by stays: another key would be another entry.
        slot.entry.answer.key = key
        slot.entry.answer.url = url
        bytes -= slot.cost
        slot.weigh()
        bytes += slot.cost
        slots[place] = slot
        shrink()
    }

    /// Removes an entry that is removed everywhere: what is known of its key stays known.
    @discardableResult
    mutating func forget(_ id: Int64) -> Bool {
        guard let key = entry(id)?.answer.key, remove(id) else { return false }
        if id > 0 { groups[key]?.known?.count -= 1 }
        return true
    }

    @discardableResult
    mutating func remove(_ id: Int64) -> Bool {
        guard let place = places.removeValue(forKey: id), let slot = slots[place].take() else { return false }
        unlink(place)
        free.append(place)
        bytes -= slot.cost
        // Each is looked up once: most keys and URLs have one entry, and go with it.
        if let index = groups.index(forKey: slot.entry.answer.key) {
            groups.values[index].ids.removeAll { $0 == id }
            if groups.values[index].ids.isEmpty { groups.remove(at: index) }
        }
        if let index = urls.index(forKey: slot.entry.answer.url) {
            urls.values[index].removeAll { $0 == id }
            if urls.values[index].isEmpty { urls.remove(at: index) }
        }
        return true
    }

    /// Counts bytes of a body that is being stored, and removes what has no room beside them. False, and nothing is counted,
    /// if such bodies would take more than half of the memory.
    mutating func reserve(_ count: Int) -> Bool {
        guard count <= byteLimit / 2 - reserved else { return false }
        reserved += count
        shrink()
        return true
    }

    /// The body is stored now, or will not be.
    mutating func release(_ count: Int) { reserved -= count }

    mutating func removeAll() {
        var empty = MemoryTable(byteLimit: byteLimit, countLimit: countLimit)
        empty.evicted = evicted
        empty.epoch = epoch
        empty.reserved = reserved
        self = empty
    }

    private mutating func shrink() {
        // Evicting is not forgetting: then fewer are here than are known, and the slower store is asked.
        while bytes > byteLimit - reserved || count > countLimit, oldest != MemoryTable.none,
            let id = slots[oldest]?.entry.id
        {
            remove(id)
            evicted += 1
        }
    }

    // MARK: The order of use

    private mutating func linkAsNewest(_ place: Int) {
        links[place] = Link(older: newest)
        if newest == MemoryTable.none { oldest = place } else { links[newest].newer = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let link = links[place]
        if link.newer == MemoryTable.none { newest = link.older } else { links[link.newer].older = link.older }
        if link.older == MemoryTable.none { oldest = link.newer } else { links[link.older].newer = link.newer }
    }
}
