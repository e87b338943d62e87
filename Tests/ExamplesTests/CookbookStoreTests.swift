import PlugboardKit
import PlugboardStore
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

@testable import ExampleCookbook

/// The store in memory, and a plugin in C that uses it: `MemoryStore.swift` and `tally.c`.
struct CookbookStoreTests {
    @Test(arguments: StoreContract.cases)
    func `the store in memory keeps the contract of all stores`(part: StoreContract.Case) async throws {
        let bench = try Workbench(MemoryStore.self)
        let table = try #require(bench.service(Store.id, as: plug_store_v1.self))

        try await part.check(StoreContract(Store(table)) { bench.clock.advance(by: $0) })

        await bench.kernel.shutDown()
    }

    @Test func `a full store writes nothing, until keys have ended`() async throws {
        let bench = try Workbench(MemoryStore.self, settings: ["keys": 2])
        let store = Store(try #require(bench.service(Store.id, as: plug_store_v1.self)))
        func put(_ keys: String...) async -> StoreFailure.Kind? {
            let entries = keys.map { StoreEntry($0, Bytes([1]), timeToLive: .seconds(5)) }
            do throws(StoreFailure) { try await store.perform(.put(entries), within: .seconds(10)) } catch {
                return error.kind
            }
            return nil
        }

        let first = [await put("a"), await put("b", "c"), await put("a", "b"), await put("c")]
        bench.clock.advance(by: .seconds(5))
        let later = await put("c", "d")

        #expect(first == [nil, .down, nil, .down] && later == nil)
        await bench.kernel.shutDown()
    }

    @Test func `those who have read too many keys are told that any may have changed`() async throws {
        let bench = try Workbench(MemoryStore.self, settings: ["keys": 2])
        let store = Store(try #require(bench.service(Store.id, as: plug_store_v1.self)))
        let (told, gate) = (Record(), Gate())
        let watch = store.watch {
            told.add($0 ?? "any")
            gate.admit()
        }

        try await store.perform(.get(["a", "b", "c"], watch: watch), within: .seconds(10))
        try await gate.opened()

        #expect(told.lines == ["any"])
        await bench.kernel.shutDown()
    }

    @Test func `a plugin in C counts the requests of all who share the store, and goes on without it`() async throws {
        let library = try await CookbookLibraries.shared.library("tally", .c)
        let bench = try Workbench(file: library, loader: .dynamic) { $0.plugins.append(.linked(MemoryStore.self)) }
        let alone = try Workbench(file: library, loader: .dynamic)

        for _ in 0..<3 { _ = try await bench.send(Request(.get, "https://a.test/")) }
        _ = try await alone.send(Request(.get, "https://a.test/"))

        #expect(bench.transport.requests.map { $0["x-number"] } == ["1", "2", "3"])
        #expect(alone.transport.requests.map { $0["x-number"] } == [nil])
        await bench.kernel.shutDown()
    }
}
