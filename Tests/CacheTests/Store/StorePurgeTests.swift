import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// What every store marks as invalid, lists and purges.
@Suite struct StorePurgeTests {
    @Test(arguments: StoreKind.allCases)
    func `invalidating a URL marks all its responses, and no others`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        for key in ["a", "a+body", "b"] {
            await store.keep(.sample(key, url: key.hasPrefix("a") ? "https://a.example/" : "https://b.example/"), [1])
        }

        store.invalidate(url: "https://a.example/")

        #expect(await store.found("a").map(\.response.isInvalidated) == [true])
        #expect(await store.found("a+body").map(\.response.isInvalidated) == [true])
        #expect(await store.found("b").map(\.response.isInvalidated) == [false])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (Purge.all, ["": 5]), (.url("https://x.example/b"), ["b": 1]), (.url("https://x.example/none"), [:]),
            (.pattern("*/a?"), ["a1": 1, "a2": 1]), (.pattern("https://x.example/*"), ["": 5]),
        ] as [(Purge, [String: Int])])
    func `a purge removes the selected entries and returns their number`(
        _ kind: StoreKind, _ purge: (what: Purge, gone: [String: Int])
    ) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let names = ["a1", "a2", "a33", "b", "c"]
        for name in names { await store.keep(.sample(name, url: "https://x.example/\(name)"), [1]) }

        let count = await store.purged(purge.what)

        #expect(count == purge.gone.values.reduce(0, +))
        for name in names {
            let isGone = purge.gone[name] != nil || purge.gone[""] != nil
            #expect(await store.found(name).isEmpty == isGone)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an entry whose key is its URL is invalidated and purged by its URL`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let url = "https://example.com/plain"
        for key in [url, url + "\nbody"] { await store.keep(.sample(key, url: url), [1]) }
        await store.keep(.sample("other"), [1])

        store.invalidate(url: url)

        #expect(await store.found(url).map(\.response.isInvalidated) == [true])
        #expect(await store.purged(.url(url)) == 2)
        #expect(await store.found("other").map(\.response.isInvalidated) == [false])
    }

    @Test(arguments: StoreKind.allCases, [1, 400_000])
    func `an entry whose key is its URL is listed by its URL and purged by a pattern`(_ kind: StoreKind, size: Int)
        async throws
    {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let url = "https://example.com/plain"
        await store.keep(.sample(url, url: url), bytes(size, seed: 1))
        await store.keep(.sample("other"), [1])

        let listed = await withCheckedContinuation { continuation in
            store.list(.url(url), limit: 10) { continuation.resume(returning: $0) }
        }

        #expect(listed.map(\.response.url) == [url])
        #expect(await store.purged(.pattern("*/plain")) == 1)
        #expect(await store.found(url).isEmpty)
        #expect(await store.found("other").count == 1)
    }
}
