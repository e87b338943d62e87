import CPlugboard
import PlugboardKit
import PlugboardStore
import PlugboardTesting
import Synchronization
import TestSupport
import Testing

/// The service of an engine that does not respond, or that responds late, twice or at once.
struct StoreServiceTests {
    private let engine: ScriptedEngine
    private let bench: Workbench
    private let store: Store
    private let table: UnsafePointer<plug_store_v1>

    init() throws {
        let engine = ScriptedEngine()
        self.engine = engine
        bench = try Workbench(Asking.self) {
            $0.plugins.append(.linked { (_: NoSettings, host: PluginHost) in ScriptedStore(engine, host) })
        }
        table = try #require(bench.service(Store.id, as: plug_store_v1.self))
        store = Store(table)
    }

    @Test func `an engine that does not respond is late when the time is over, and what it says then is dropped`()
        async throws
    {
        let store = store
        async let late = store.failure(of: .get(["a"]), within: .seconds(5))
        try await engine.asked.opened()
        bench.clock.advance(by: .seconds(5))
        let kind = await late?.kind
        engine.respond(.success(StoreReply()))

        #expect(kind == .late)
        await bench.kernel.shutDown()
    }

    @Test func `the first of two replies counts`() async throws {
        let store = store
        async let reply = store.perform(.add("a", 1, timeToLive: .seconds(1)), within: .seconds(5))
        try await engine.asked.opened()
        engine.respond(.success(StoreReply(number: 1)))
        engine.respond(.failure(StoreFailure(.down, "The connection broke.")))

        #expect(try await reply.number == 1)
        await bench.kernel.shutDown()
    }

    @Test func `a failure has its kind and its reason`() async throws {
        let store = store
        async let failed = store.failure(of: .get(["a"]))
        try await engine.asked.opened()
        engine.respond(.failure(StoreFailure(.down, "The connection broke.")))

        #expect(await failed == StoreFailure(.down, "The connection broke."))
        await bench.kernel.shutDown()
    }

    @Test func `a reply that has not a value of each key is a failure`() async throws {
        let store = store
        async let failed = store.failure(of: .get(["a", "b"]))?.kind
        try await engine.asked.opened()
        engine.respond(.success(StoreReply(values: [nil])))

        #expect(await failed == .down)
        await bench.kernel.shutDown()
    }

    @Test func `a provider that stops ends its calls and watches, and takes no more`() async throws {
        let store = store
        let released = Gate()
        let watcher = Watcher { released.admit() }
        let watch = table.pointee.watch(
            table.pointee.context, Unmanaged.passRetained(watcher).toOpaque(), { _, _ in },
            { if let pointer = $0 { Unmanaged<Watcher>.fromOpaque(pointer).takeRetainedValue().release() } })
        async let pending = store.failure(of: .get(["a"]))?.kind
        try await engine.asked.opened()

        engine.service.withLock { $0 }?.stop()
        let kinds = [await pending, await store.failure(of: .get(["a"]))?.kind]
        try await released.opened()

        #expect(watch != 0 && kinds == [.down, .down])
        #expect(store.watch { _ in } == nil)
        await bench.kernel.shutDown()
    }

    @Test func `no reply comes within the call, also if the engine responds at once`() async throws {
        engine.atOnce.withLock { $0 = .success(StoreReply()) }
        let inside = Atomic(true)
        let seen = await withCheckedContinuation { continuation in
            store.perform(.get(["a"]), within: .seconds(5)) { _ in
                // The call returns soon, on the thread of the test.
                while inside.load(ordering: .acquiring) {}
                continuation.resume(returning: inside.load(ordering: .relaxed))
            }
            inside.store(false, ordering: .releasing)
        }

        #expect(!seen)
        await bench.kernel.shutDown()
    }

    @Test func `the contract tells a store whose outage is an error at once from one that does commands meanwhile`()
        async throws
    {
        let contract = StoreContract(store) { _ in }

        engine.atOnce.withLock { $0 = .failure(StoreFailure(.down, "The engine is out.")) }
        try await contract.checkOutage(patience: .seconds(60))
        engine.atOnce.withLock { $0 = .success(StoreReply(values: [nil])) }
        let violation = await #expect(throws: StoreContract.Violation.self) { try await contract.checkOutage() }

        #expect(violation?.description.contains("was done") == true)
        await bench.kernel.shutDown()
    }

    @Test func `the contract tells a store that never replies`() async throws {
        let silent = UnsafeMutablePointer<plug_store_v1>.allocate(capacity: 1)
        defer { silent.deallocate() }
        silent.initialize(to: table.pointee)
        silent.pointee.get = { _, _, _, _, _ in }
        let contract = StoreContract(Store(silent)) { _ in }

        let violation = await #expect(throws: StoreContract.Violation.self) { try await contract.checkOutage() }

        #expect(violation?.description.contains("no reply") == true)
        await bench.kernel.shutDown()
    }

    @Test func `pointers that are missing, and keys that are not UTF-8, are not valid and do not trap`() async throws {
        let (table, context) = (table.pointee, table.pointee.context)
        table.get(context, nil, 0, nil, 0)
        let results = await withCheckedContinuation { continuation in
            let gathered = Gathered(6) { continuation.resume(returning: $0) }
            func call() -> plug_store_call_v1 {
                plug_store_call_v1(within: 1_000_000_000, context: Unmanaged.passRetained(gathered).toOpaque()) {
                    guard let context = $0, let reply = $1 else { return }
                    Unmanaged<Gathered>.fromOpaque(context).takeRetainedValue().add(reply.pointee.result)
                }
            }
            var calls = (0..<6).map { _ in call() }
            table.get(context, &calls[0], 0, nil, 3)
            table.put(context, &calls[1], nil, 3)
            table.remove(context, &calls[2], nil, 0)
            table.compare_and_set(context, &calls[3], nil, nil)
            table.add(context, &calls[4], plug_text(), 1, 1_000_000_000)
            let bytes: [CChar] = [-1, -2]
            bytes.withUnsafeBufferPointer {
                table.take_lock(context, &calls[5], plug_text(bytes: $0.baseAddress, count: 2), 1_000_000_000)
            }
        }

        #expect(results == Array(repeating: PLUG_STORE_INVALID, count: 6))
        await bench.kernel.shutDown()
    }

    @Test func `a plugin that needs no store has none without a provider, and else finds it in start`() async throws {
        let alone = try Workbench(Asking.self)

        #expect(bench.log.contains { $0.text == "the store is scripted" })
        #expect(alone.log.contains { $0.text == "the store is none" })
        await alone.kernel.shutDown()
        await bench.kernel.shutDown()
    }
}

extension Store {
    fileprivate func failure(of command: StoreCommand, within: Duration = .seconds(10)) async -> StoreFailure? {
        do throws(StoreFailure) { try await perform(command, within: within) } catch { return error }
        return nil
    }
}

/// Says which store there is.
private struct Asking: Plugin {
    static let manifest = Manifest(
        id: "com.example.asking", version: "1.0.0", priority: 500, hooks: [], needs: [Store.optionalID])

    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func start() { host.log(.info, "the store is \(Store(host)?.engine ?? "none")") }
}

/// Provides the store of an engine.
private struct ScriptedStore: PluginInstance {
    static let manifest = Manifest(
        id: "com.example.scripted-store", version: "1.0.0", priority: 0, hooks: [], provides: [Store.id])

    let service: StoreService

    init(_ engine: ScriptedEngine, _ host: PluginHost) {
        service = StoreService(engine, host)
        engine.service.withLock { [service] in $0 = service }
    }

    func service(_ id: String) -> UnsafeRawPointer? { service.table }

    func stop(within: Duration) { service.stop() }
}

/// An engine that responds when the test says so.
private final class ScriptedEngine: StoreEngine {
    typealias Done = @Sendable (Result<StoreReply, StoreFailure>) -> Void

    let name = "scripted"
    /// Admits one for each command.
    let asked = Gate()
    let service = Mutex<StoreService?>(nil)
    /// What it responds within each call; nil: nothing.
    let atOnce = Mutex<Result<StoreReply, StoreFailure>?>(nil)
    private let last = Mutex<Done?>(nil)

    func perform(_ command: StoreCommand, for service: StoreService, _ done: @escaping Done) {
        if let result = atOnce.withLock({ $0 }) { return done(result) }
        last.withLock { $0 = done }
        asked.admit()
    }

    func unwatch(_ watch: StoreWatch) {}

    /// Responds to the last command.
    func respond(_ result: Result<StoreReply, StoreFailure>) { last.withLock { $0 }?(result) }
}

/// The context of a watch.
private final class Watcher: Sendable {
    let release: @Sendable () -> Void

    init(_ release: @escaping @Sendable () -> Void) { self.release = release }
}

/// Results in any order, until there are as many as expected.
private final class Gathered: Sendable {
    private let results = Mutex<[plug_store_result]>([])
    private let count: Int
    private let whenComplete: @Sendable ([plug_store_result]) -> Void

    init(_ count: Int, _ whenComplete: @escaping @Sendable ([plug_store_result]) -> Void) {
        (self.count, self.whenComplete) = (count, whenComplete)
    }

    func add(_ result: plug_store_result) {
        let all = results.withLock { results in
            results.append(result)
            return results
        }
        if all.count == count { whenComplete(all) }
    }
}
