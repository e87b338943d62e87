import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// The behaviour of every store.
@Suite struct StoreConformanceTests {
    @Test(arguments: StoreKind.allCases)
    func `a response is found by its key, with its body`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        var response = StoredResponse.sample("a", note: "first")
        response.selecting = [.init(name: "accept", value: "text/*"), .init(name: "cookie", value: nil)]
        response.version = "7"
        response.timeToLive = .milliseconds(1500)
        response.range = .init(first: 3, complete: nil)

        let stored = await store.keep(response, Array("hello".utf8))
        let found = await store.found("a")

        #expect(found.map(\.id) == [try #require(stored).id])
        #expect(found.map { $0.response.encoded(length: 5) } == [response.encoded(length: 5)])
        #expect(found.map(\.length) == [5])
        #expect(try await store.read(found[0]) == Array("hello".utf8))
        #expect(await store.found("b").isEmpty)
    }

    @Test(
        arguments: StoreKind.allCases,
        [0, 1, 1000, 65_535, 65_536, 65_537, 131_072, 300_000, 1_000_000, 3_000_000])
    func `a body of any length comes back byte for byte`(_ kind: StoreKind, _ length: Int) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(length, seed: UInt64(length))

        await store.keep(.sample("a"), body, pieceSize: 7919, length: length % 2 == 0 ? length : nil)
        let entry = try #require(await store.found("a").first)

        #expect(entry.length == length)
        for _ in 1...2 { #expect(try await store.read(entry) == body) }
        // Without the body that came with the look-up.
        let bare = CacheEntry(id: entry.id, response: entry.response, length: entry.length)
        #expect(try await store.read(bare) == body)
    }

    @Test(arguments: StoreKind.allCases)
    func `a part of a body has the bytes of that part`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(400_000, seed: 1)
        await store.keep(.sample("a"), body)
        let entry = try #require(await store.found("a").first)

        for part in [0..<1, 65_535..<65_537, 65_536..<131_072, 399_999..<400_000, 5..<5, 1..<399_999] {
            #expect(try await store.read(entry, part) == Array(body[part]))
        }

        let beyond = store.body(of: entry, 399_990..<500_000)
        #expect(beyond.length == 10)
        #expect(try await beyond.readAll() == Array(body[399_990...]))
    }

    @Test(arguments: StoreKind.allCases)
    func `a body can be read again, and by several readers at once`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(600_000, seed: 1)
        await store.keep(.sample("a"), body)
        let entry = try #require(await store.found("a").first)

        let source = store.body(of: entry, 0..<entry.length)
        _ = await source.next()
        let other = try #require(source.copy())
        #expect(source.rewind())

        async let first = source.readAll()
        async let second = other.readAll()
        #expect(try await first == body)
        #expect(try await second == body)
    }

    @Test(arguments: StoreKind.allCases)
    func `an entry is not found before its commit, and a discarded one is never found`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }

        let writer = try #require(store.write(length: nil))
        #expect(await writer.appendAll(bytes(700_000, seed: 1), pieceSize: 50_000))
        #expect(await store.found("a").isEmpty)
        writer.discard()
        #expect(!bytes(1, seed: 1).withUnsafeBytes { writer.append($0) })
        #expect(await writer.committed(.sample("a")) == nil)
        var dropped = store.write(length: nil)
        #expect(await dropped?.appendAll(bytes(700_000, seed: 1), pieceSize: 50_000) == true)
        dropped = nil

        #expect(await store.found("a").isEmpty)
        #expect(await store.statistics.entries == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a key has several responses, and a commit replaces the named ones`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }

        let one = try #require(await store.keep(.sample("a", note: "1"), [1]))
        let two = try #require(await store.keep(.sample("a", note: "2"), [2]))
        #expect(Set(await store.found("a").map(\.response.note)) == ["1", "2"])
        await store.keep(.sample("a", note: "3"), [3], replacing: [one, two])
        await store.keep(.sample("a", note: "4"), [4])

        #expect(Set(await store.found("a").map(\.response.note)) == ["3", "4"])
        #expect(await store.statistics.entries == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `later calls see the effects of earlier ones without waiting`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let entry = try #require(await store.keep(.sample("a", note: "1"), [1]))
        // So that memory knows the key.
        _ = await store.found("a")

        let writer = try #require(store.write(length: 1))
        #expect([2].withUnsafeBytes { writer.append($0) })
        writer.commit(StoredHead(.sample("a", note: "2")), replacing: [entry]) { _ in }
        #expect((store.entriesAtHand(CacheKey(text: "a")) ?? []).allSatisfy { $0.response.note == "2" })
        let second = await store.found("a")
        #expect(second.map(\.response.note) == ["2"])
        store.update(second[0], .sample("a", note: "3"))
        #expect((store.entriesAtHand(CacheKey(text: "a")) ?? []).allSatisfy { $0.response.note == "3" })
        #expect(await store.found("a").map(\.response.note) == ["3"])
        store.invalidate(url: "https://example.com/a")
        #expect((store.entriesAtHand(CacheKey(text: "a")) ?? []).allSatisfy { $0.response.isInvalidated })
        #expect(await store.found("a").map(\.response.isInvalidated) == [true])
        store.remove(second)
        #expect(store.entriesAtHand(CacheKey(text: "a"))?.isEmpty ?? true)

        #expect(await store.found("a").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a new head keeps the body, the key and the URL`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(200_000, seed: 1)
        let entry = try #require(await store.keep(.sample("a", note: "1"), body))

        store.update(entry, .sample("other", note: String(repeating: "2", count: 20_000)))
        let found = await store.found("a")

        #expect(found.map(\.response.note.count) == [20_000])
        #expect(found.map(\.response.url) == ["https://example.com/a"])
        #expect(try await store.read(found[0]) == body)
        #expect(await store.found("other").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a body stays readable when its entry is replaced, removed or purged`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(2_000_000, seed: 1)
        var sources: [any BodySource] = []
        for key in ["a", "b", "c"] {
            let entry = try #require(await store.keep(.sample(key), body))
            let source = store.body(of: entry, 0..<entry.length)
            guard case .bytes = await source.next() else { return #expect(Bool(false), "there is no first piece") }
            sources.append(source)
            if key == "a" { await store.keep(.sample("a"), [1], replacing: [entry]) }
            if key == "b" { store.remove([entry]) }
        }
        #expect(await store.purged(.all) == 2)

        for source in sources {
            #expect(source.rewind())
            #expect(try await source.readAll() == body)
        }
        #expect(await store.statistics.entries == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `above the limit of bytes the least recently used entries are removed`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder, bytes: 2 << 20)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(100_000, seed: 1)
        for number in 0..<12 { await store.keep(.sample("\(number)"), body) }
        for number in [0, 1] {
            let entry = try #require(await store.found("\(number)").first)
            #expect(try await store.read(entry) == body)
        }

        for number in 12..<24 { await store.keep(.sample("\(number)"), body) }
        var left: [Int] = []
        for number in 0..<24 where await !store.found("\(number)").isEmpty { left.append(number) }

        #expect(left.contains(0) && left.contains(1))
        #expect(!left.contains(2) && !left.contains(3))
        #expect(left.contains(23) && left.contains(22))
        #expect((10...21).contains(left.count))
        #expect(await store.statistics.evicted == 24 - left.count)
    }

    @Test(arguments: StoreKind.allCases)
    func `a body that is too long is refused, with a known or unknown length`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder, bytes: 4 << 20)
        defer { store.close(within: .seconds(60)) }

        #expect(store.write(length: 3 << 20) == nil)
        #expect(await store.keep(.sample("a"), bytes(3 << 20, seed: 1)) == nil)

        #expect(await store.found("a").isEmpty)
        #expect(await store.statistics.bytes == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a closed store is empty, and completes every call`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        let entry = try #require(await store.keep(.sample("a"), bytes(1_200_000, seed: 1)))

        store.close(within: .seconds(60))

        _ = await store.found("a")
        _ = await store.purged(.all)
        _ = await store.statistics
        _ = await store.keep(.sample("b"), [1])
        store.update(entry, .sample("a"))
        store.invalidate(url: "https://example.com/a")
        store.remove([entry])
        store.close(within: .seconds(60))
    }
}
