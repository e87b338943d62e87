import Plugboard
import PlugboardCache
import PlugboardKit
import PlugboardStore
import PlugboardTransport
import TestSupport

@testable import ExampleCookbook

/// Kernels with caches that share the store of an engine, as several machines do, in front of one server.
struct CacheFleet: Sendable {
    let engine = FleetEngine()
    let clock = ManualClock()
    let transport: MockTransport
    let log = Record()
    let benches: [CacheBench]

    static let fresh: Fields = ["Cache-Control": "max-age=60"]

    /// - Parameter script: The server, with the number of the attempt, counted from 1.
    init(
        _ linkage: Linkage = .linked, count: Int = 2, settings: JSONObject = [:],
        _ script: @escaping @Sendable (AttemptRequest, Int) -> MockTransport.Outcome = { _, number in
            .respond(200, fresh, ["response \(number)"])
        }
    ) throws {
        let transport = MockTransport(script)
        self.transport = transport
        var settings = settings
        settings["persistence"] = "shared"
        let (engine, clock, log) = (engine, clock, log)
        benches = try (0..<count).map { [settings] _ in
            try CacheBench(
                linkage, transport, settings: settings, also: [engine.entry], clock: clock,
                log: KernelLog(level: .info) { _, _, text in log.add(text) })
        }
    }

    var first: CacheBench { benches[0] }
    var second: CacheBench { benches[1] }
    /// The number of requests that the server has seen.
    var sent: Int { transport.requests.count }

    /// Waits until a condition holds, which depends on other threads. Lets time pass in steps, each after the store has
    /// replied to what it was asked.
    func until(advancing step: Duration = .zero, _ isTrue: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + Gate.patience
        while try await !isTrue() {
            guard ContinuousClock.now < deadline else { throw PlugboardError("test.late", "The condition never held.") }
            if step > .zero {
                for _ in 0..<3 { for bench in benches { _ = try await bench.kernel.cache.stats() } }
                try await engine.settled()
                clock.advance(by: step)
            }
            await Task.yield()
        }
    }

    func shutDown() async { for bench in benches { await bench.kernel.shutDown() } }
}

extension CacheBench {
    /// What the cache has counted under a name.
    func metric(_ name: String) -> Int64 { kernel.metrics.first { $0.name == "cache.\(name)" }?.value ?? 0 }

    /// Waits until what the cache stores is in the store of the fleet: another look-up comes after it.
    func stored(_ url: String = "http://a.test/") async throws {
        _ = try await kernel.cache.cachedResponse(for: Request(.get, url))
    }
}

/// The engine of a store that several kernels have in common, and which the test makes fail.
final class FleetEngine: StoreEngine {
    enum Behaviour {
        case works, isSilent
        case fails(StoreFailure.Kind)
        /// As a full engine without eviction: it reads only.
        case isFull
    }

    private struct State {
        var behaviour = Behaviour.works
        /// Called with each command before it is carried out.
        var look: (@Sendable (StoreCommand) -> Void)?
        var memory: MemoryEngine?
        var commands: [StoreCommand] = []
        var services: [StoreService] = []
        /// The services whose commands are ignored, as those of a process that was killed.
        var dead: Set<ObjectIdentifier> = []
        /// Who has read a key, and is to be told when it changes: the watches of one service each.
        var readers: [String: [ObjectIdentifier: (service: StoreService, watch: StoreWatch)]] = [:]
    }

    let name = "fleet"
    /// Admits one for each command.
    let asked = Gate()
    private let state = Locked(State())

    /// The entry of a plugin that provides the store to a kernel.
    var entry: PluginEntry {
        .linked { [self] (_: NoSettings, host: PluginHost) in
            let service = StoreService(self, host)
            state.withLock { state in
                state.memory = state.memory ?? MemoryEngine(host, keys: 100_000)
                state.services.append(service)
            }
            return FleetStorePlugin(service: service)
        }
    }

    var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    func look(_ look: @escaping @Sendable (StoreCommand) -> Void) { state.withLock { $0.look = look } }

    var commands: [StoreCommand] { state.withLock { $0.commands } }

    /// All keys that commands had so far.
    var keys: Set<String> { Set(commands.flatMap(\.keys)) }

    /// What is stored under the keys that begin with a text.
    func values(_ prefix: String) -> [String: Bytes] {
        let written = commands.flatMap(\.keys).filter { $0.hasPrefix(prefix) }
        var values: [String: Bytes] = [:]
        let memory = state.withLock { $0.memory }
        for key in Set(written) {
            carryOut(.get([key]), memory) { if case .success(let reply) = $0 { values[key] = reply.values[0] } }
        }
        return values
    }

    /// Writes as another program does, without telling those who have read it.
    func write(_ key: String, _ value: Bytes?) {
        let memory = state.withLock { $0.memory }
        if let value {
            carryOut(.put([StoreEntry(key, value, timeToLive: .seconds(3600))]), memory) { _ in }
        } else {
            carryOut(.remove([key]), memory) { _ in }
        }
    }

    /// The memory responds within the call.
    private func carryOut(
        _ command: StoreCommand, _ memory: MemoryEngine?, _ done: (Result<StoreReply, StoreFailure>) -> Void
    ) {
        guard let memory, let service = state.withLock({ $0.services.first }) else { return }
        let result = Locked<Result<StoreReply, StoreFailure>?>(nil)
        memory.perform(command, for: service) { reply in result.withLock { $0 = reply } }
        if let reply = result.withLock({ $0 }) { done(reply) }
    }

    /// Waits until users have had the replies to their commands so far.
    func settled() async throws {
        for _ in 0..<20 { await Task.yield() }
        let alive = state.withLock { state in state.services.filter { !state.dead.contains(ObjectIdentifier($0)) } }
        for service in alive {
            let store = Store(service.table.assumingMemoryBound(to: plug_store_v1.self))
            for _ in 0..<3 { _ = try? await store.perform(.get(["settled"]), within: .seconds(3600)) }
        }
    }

    /// Ignores a kernel from now on.
    func kill(_ number: Int) { state.withLock { _ = $0.dead.insert(ObjectIdentifier($0.services[number])) } }

    /// Tells all that any key may have changed, as after the loss of a connection.
    func loseConnection() { for service in state.withLock({ $0.services }) { service.changedAll() } }

    func perform(
        _ command: StoreCommand, for service: StoreService,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        let (behaviour, memory, look, isDead) = state.withLock { state in
            state.commands.append(command)
            return (state.behaviour, state.memory, state.look, state.dead.contains(ObjectIdentifier(service)))
        }
        look?(command)
        if isDead { return }
        switch behaviour {
        case .isSilent: break
        case .fails(let kind): done(.failure(StoreFailure(kind, "The engine is out.")))
        case .isFull where command.writes: done(.failure(StoreFailure(.down, "The engine is full.")))
        case .works, .isFull:
            var command = command
            if case .get(let keys, let watch?) = command {
                command = .get(keys)
                state.withLock { state in
                    for key in keys { state.readers[key, default: [:]][ObjectIdentifier(service)] = (service, watch) }
                }
            }
            memory?.perform(command, for: service) { [self, command] result in
                done(result)
                if case .success = result, command.changes { tell(command.keys) }
            }
        }
        asked.admit()
    }

    private func tell(_ keys: [String]) {
        for key in keys {
            let readers = state.withLock { $0.readers.removeValue(forKey: key) } ?? [:]
            for reader in readers.values { reader.service.changed(key, of: reader.watch) }
        }
    }

    func unwatch(_ watch: StoreWatch) {}
}

extension StoreCommand {
    var keys: [String] {
        switch self {
        case .get(let keys, _), .remove(let keys): keys
        case .put(let entries): entries.map(\.key)
        case .compareAndSet(let entry, _): [entry.key]
        case .add(let key, _, _), .takeLock(let key, _), .renewLock(let key, _, _), .giveBackLock(let key, _): [key]
        }
    }

    var changes: Bool {
        switch self {
        case .put, .remove, .add, .compareAndSet: true
        default: false
        }
    }

    var writes: Bool {
        switch self {
        case .get, .remove, .giveBackLock: false
        default: true
        }
    }
}

private struct FleetStorePlugin: PluginInstance {
    static let manifest = Manifest(
        id: "com.example.fleet-store", version: "1.0.0", priority: 0, hooks: [], provides: [Store.id])

    let service: StoreService

    func service(_ id: String) -> UnsafeRawPointer? { service.table }

    func stop(within: Duration) { service.stop() }
}
