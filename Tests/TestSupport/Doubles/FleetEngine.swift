import PlugboardKit
import PlugboardStore

@testable import ExampleCookbook

/// The engine of a store that several kernels have in common, and which the test makes fail.
package final class FleetEngine: StoreEngine {
    package enum Behaviour {
        case works, isSilent
        /// It carries out what it is asked, and does not say so.
        case hidesWrites
        case fails(StoreFailure.Kind)
    }

    private struct State {
        var behaviour = Behaviour.works
        var memory: MemoryEngine?
        var commands: [StoreCommand] = []
        var foundNone = false
        /// Who has read a key with a watch: watches of several kernels have the same numbers.
        var readers: [String: [(service: StoreService, watch: StoreWatch)]] = [:]
        var services: [StoreService] = []
        /// The service whose commands have no effect.
        var dead: StoreService?
    }

    package let name = "fleet"
    /// Admits one for each command.
    package let asked = Gate()
    private let state = Locked(State())

    package init() {}

    /// The entry of a plugin that provides the store to a kernel.
    package var entry: PluginEntry {
        .linked { [self] (_: NoSettings, host: PluginHost) in
            let service = StoreService(self, host)
            state.withLock { state in
                state.memory = state.memory ?? MemoryEngine(host, keys: 10_000)
                state.services.append(service)
            }
            return FleetStore(service: service)
        }
    }

    /// Ignores a kernel from now on, as if its process was killed.
    package func kill(_ number: Int) { state.withLock { $0.dead = $0.services[number] } }

    package var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// Whether the latest command was `get` and found a value of each key.
    package var foundNone: Bool { state.withLock { $0.foundNone } }

    /// The keys that commands had so far.
    package var keys: [String] { state.withLock { $0.commands }.flatMap(FleetEngine.keys) }

    package func perform(
        _ command: StoreCommand, for service: StoreService,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        var command = command
        if state.withLock({ $0.dead === service }) { return }
        let (behaviour, memory, isWatched) = state.withLock { state in
            state.commands.append(command)
            state.foundNone = false
            if case .get(let keys, let watch?) = command {
                for key in keys { state.readers[key, default: []].append((service, watch)) }
                command = .get(keys)
            }
            return (state.behaviour, state.memory, !state.readers.isEmpty)
        }
        switch behaviour {
        case .works:
            memory?.perform(command, for: service) { [self, command] result in
                if case .get = command, case .success(let reply) = result {
                    state.withLock { $0.foundNone = !reply.values.contains(nil) }
                } else if isWatched {
                    tell(FleetEngine.keys(of: command))
                }
                done(result)
            }
        case .hidesWrites:
            memory?.perform(command, for: service) { [command] in if case .get = command { done($0) } }
        case .isSilent: break
        case .fails(let kind): done(.failure(StoreFailure(kind, "The engine is out.")))
        }
        asked.admit()
    }

    /// Tells the readers of keys that may have changed.
    private func tell(_ keys: [String]) {
        let readers = state.withLock { state in
            keys.flatMap { key in
                (state.readers.removeValue(forKey: key) ?? []).map { (key: key, service: $0.service, watch: $0.watch) }
            }
        }
        for reader in readers { reader.service.changed(reader.key, of: reader.watch) }
    }

    private static func keys(of command: StoreCommand) -> [String] {
        switch command {
        case .get(let keys, _), .remove(let keys): keys
        case .put(let entries): entries.map(\.key)
        case .compareAndSet(let entry, _): [entry.key]
        case .add(let key, _, _): [key]
        default: []
        }
    }

    package func unwatch(_ watch: StoreWatch) {}
}

private struct FleetStore: PluginInstance {
    static let manifest = Manifest(
        id: "com.example.fleet-store", version: "1.0.0", priority: 0, hooks: [], provides: [Store.id])

    let service: StoreService

    func service(_ id: String) -> UnsafeRawPointer? { service.table }

    func stop(within: Duration) { service.stop() }
}
