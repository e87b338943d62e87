import CPlugboard
import PlugboardJSON
import PlugboardKit
import PlugboardRedisOptions
import PlugboardStore

/// Provides `plugboard.store/1` over a Redis server, for a fleet of processes.
///
///     StoreService ─ a command ─▶ RedisEngine ─▶ RedisConnection ─▶ server
///                                     ▲                 │
///                    a reply ─────────┴── RedisReply ◀──┘      a change ◀─ the second connection
///
/// `RedisEngine` connects, and decides whether the server is out; `RedisWire` says what a command is in Redis.
final class Redis: Plugin {
    static let manifest = Manifest(
        id: "redis", version: "1.0.0", documentation: "Keeps what a fleet of processes shares in Redis or Valkey.",
        priority: 0, hooks: [], provides: [Store.id],
        commands: [
            CommandDefinition("check", "Asks the server whether it can keep what the fleet shares.", isQuiet: true)
        ])

    typealias Settings = RedisSettings

    private let host: PluginHost
    private let engine: RedisEngine
    private let store: StoreService

    init(settings: RedisSettings, host: PluginHost) throws {
        guard !settings.prefix.contains(where: { "{}".contains($0) }) else {
            throw PlugboardError(.configuration, "prefix has a brace; in Redis, braces say which keys belong together.")
        }
        self.host = host
        engine = RedisEngine(try RedisServer(settings, host), settings, host)
        store = StoreService(engine, host)
    }

    func start() { if !host.isQuiet { engine.begin() } }

    func service(_ id: String) -> UnsafeRawPointer? { store.table }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        let check = RedisCheck(engine, Store(store.table.assumingMemoryBound(to: plug_store_v1.self)))
        host.startTask { reply.json(await check.run()) }
    }

    func stop(within: Duration) async {
        store.stop()
        await engine.stop()
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(redis_LTX_plugboard_plugin)
public func redisPlugin() -> UnsafePointer<plug_plugin_v1> { Redis.descriptor }
