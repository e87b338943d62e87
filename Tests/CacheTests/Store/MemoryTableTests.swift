import PlugboardKit
import Testing

@testable import PlugboardCache

/// The order of use and the limits, as a plain value.
@Suite struct MemoryTableTests {
    private func entry(_ id: Int64, key: String? = nil, length: Int = 1000) -> CacheEntry {
        CacheEntry(id: id, response: .sample(key ?? "\(id)"), length: length)
    }

    private func pieces(_ length: Int = 1000) -> [Bytes] { [Bytes([UInt8](repeating: 1, count: length))] }

    @Test func `above the limit the least recently used entry is removed`() {
        var table = MemoryTable(byteLimit: 1 << 20, countLimit: 3)
        for id in 1...3 { table.insert(entry(Int64(id)), pieces()) }

        _ = table.body(1)
        table.insert(entry(4), pieces())
        _ = table.body(3)
        table.insert(entry(5), pieces())

        #expect(table.idsInOrder == [4, 3, 5])
        #expect(table.evicted == 2)
        #expect(table.entry(1) == nil && table.entries(CacheKey(text: "1")).isEmpty)
    }

    @Test func `a URL finds its entries, by their own URL and by the one in their key`() {
        var table = MemoryTable(byteLimit: 1 << 20, countLimit: 10)
        let (url, longer) = ("https://x.test/a", "https://x.test/a?ignored=1")
        for (id, key, url) in [
            (1, url, url), (2, url + "\nbody", url), (3, url, longer), (4, url + "\nbody", longer),
        ] {
            table.insert(CacheEntry(id: Int64(id), response: .sample(key, url: url), length: 1), pieces(1))
        }
        let before = (table.ids(url: url).sorted(), table.ids(url: longer))
        let matching = table.ids(URLPattern("*/a")).sorted()

        table.remove(1)
        table.remove(3)

        #expect(before == ([1, 2, 3, 4], [3]))
        #expect(matching == [1, 2])
        #expect(table.ids(url: url).sorted() == [2, 4] && table.ids(url: longer) == [])
    }

    @Test func `reading heads does not count as a use`() {
        var table = MemoryTable(byteLimit: 1 << 20, countLimit: 2)
        for id in 1...2 { table.insert(entry(Int64(id)), pieces()) }

        _ = table.entries(CacheKey(text: "1"))
        table.insert(entry(3), pieces())

        #expect(table.idsInOrder == [2, 3])
    }

    @Test func `the bytes of heads and bodies are counted, and return to zero`() {
        var table = MemoryTable(byteLimit: 100_000, countLimit: 1000)
        for id in 1...500 { table.insert(entry(Int64(id), length: id % 7 * 1000), pieces(id % 7 * 1000)) }
        #expect(table.bytes <= 100_000 && table.bytes > 80_000)
        #expect(table.evicted == 500 - table.count)

        table.update(table.idsInOrder[0]) { $0.fields.append("x-more", String(repeating: "x", count: 5000)) }
        #expect(table.bytes <= 100_000)
        for id in table.idsInOrder { table.remove(id) }

        #expect(table.bytes == 0 && table.count == 0)
        #expect(table.idsInOrder == [])
    }

    @Test func `a body larger than a quarter is refused, and so is everything without room`() {
        var table = MemoryTable(byteLimit: 40_000, countLimit: 10)
        table.insert(entry(1), pieces())

        let isLargeTaken = table.insert(entry(2, length: 10_001), pieces(10_001))
        var none = MemoryTable(byteLimit: 0, countLimit: 10)
        let isAnyTaken = none.insert(entry(1), pieces())

        #expect(!isLargeTaken && !isAnyTaken)
        #expect(table.idsInOrder == [1])
    }

    @Test func `a key is complete until one of its entries is evicted, or an epoch begins`() {
        let key = CacheKey(text: "k")
        var table = MemoryTable(byteLimit: 1 << 20, countLimit: 3)
        table.insert(entry(-1, key: "k"), pieces())
        #expect(!table.isComplete(key))

        table.record(key, [entry(1, key: "k"), entry(2, key: "k")])
        #expect(table.isComplete(key))
        table.forget(2)
        #expect(table.isComplete(key))
        table.record(key, [entry(1, key: "k"), entry(3, key: "k")])
        for id in 10...11 { table.insert(entry(Int64(id)), pieces()) }
        #expect(!table.isComplete(key))
        table.record(key, [entry(3, key: "k")])
        #expect(table.isComplete(key))
        table.epoch += 1

        #expect(!table.isComplete(key))
    }

    @Test func `a key is not complete if recording its entries evicts one of them`() {
        let key = CacheKey(text: "k")
        var table = MemoryTable(byteLimit: 1 << 20, countLimit: 2)

        table.record(key, (1...3).map { entry($0, key: "k") })

        #expect(table.count == 2 && !table.isComplete(key))
    }

    @Test func `a hundred thousand entries take linear time`() {
        var table = MemoryTable(byteLimit: 1 << 30, countLimit: 100_000)
        let body = [Bytes.empty]
        for id in 1...150_000 { table.insert(entry(Int64(id), length: 0), body) }

        #expect(table.count == 100_000)
        #expect(table.evicted == 50_000)
        #expect(table.entry(50_000) == nil && table.entry(50_001) != nil)
    }
}
