import PlugboardCacheOptions
import PlugboardJSON
import PlugboardKit
import PlugboardSQLite
import PlugboardStore

/// Stores responses and reuses them (RFC 9111): carries out the decisions of `CachePolicy`.
///
///     onRequest    look up stored entries ─▶ policy ─▶ respond · 504 · wait for an identical request · next
///     onResponse   policy ─▶ change the store ─▶ record the body · stored response · both parts joined · resend
///     onFailure    policy ─▶ stored response · 504 · next
///     onClose      commit the recorded body if it ended completely, otherwise discard it
///
/// Does not block the loop: the store works in memory, or on a thread of its own.
final class Cache: Plugin {
    static let manifest = Manifest(
        id: "cache", version: "1.0.0", documentation: "Stores responses and reuses them (RFC 9111).", priority: 600,
        hooks: [.request, .response, .failure, .close],
        needs: [Store.optionalID],
        attributes: CacheAttributes.definitions,
        commands: Commands.definitions)

    typealias Settings = CacheSettings

    let settings: CacheSettings
    let host: PluginHost
    let policy: CachePolicy
    let lookupRules: LookupRules
    let store: any CacheStore
    /// Flights of the fleet; nil without a store that is shared.
    let fleet: FleetFlights?
    /// Settings that each request needs; reading one of `settings` takes longer.
    let (cacheStatus, singleFlight, largestBody): (Bool, Bool, Int)
    let flights = Flights()
    let setbacks = Setbacks()
    let tally: Tally

    convenience init(settings: CacheSettings, host: PluginHost) throws {
        try self.init(settings: settings, host: host, store: try Cache.store(settings, host))
    }

    init(settings: CacheSettings, host: PluginHost, store: any CacheStore) throws {
        self.settings = settings
        self.host = host
        (cacheStatus, singleFlight) = (settings.cacheStatus, settings.singleFlight)
        largestBody = settings.largestBody.bytes
        policy = settings.policy
        lookupRules = try LookupRules(settings)
        tally = Tally(host)
        self.store = store
        fleet = ((store as? TieredStore)?.disk as? FleetCacheStore).map { FleetFlights($0) }
    }

    /// Opens the store. Not in `init`, because a check of the configuration creates the plugin and must not leave a
    /// file.
    func start() throws { store.open() }

    func stop(within limit: Duration) { store.close(within: limit) }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        switch exchange.visit {
        case .woken, .deadline: goOn(exchange)
        case .held: ask(exchange, .held(exchange.withHeldBody { Bytes(copying: $0) }))
        case .overLimit: ask(exchange, .unseen)
        case .first: begin(exchange)
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let turn = exchange.turnState as? CacheTurn, let response = exchange.response else { return .next }
        let received = NetworkResponse(
            forward: turn.forward, status: response.status, fields: response.fields, requested: turn.requested,
            received: host.wallClock)
        var decision = policy.decision(on: received) { exchange.resolve($0).flatMap { NormalURL($0)?.text } }
        change(decision)
        decision.status.isCollapsed = turn.isCollapsed
        switch decision.outcome {
        case .pass: return pass(exchange, response, turn, decision)
        case .complete(let completion): return complete(exchange, response, turn, decision, completion)
        case .reuse(let reuse):
            turn.flight.map { flights.end($0, reuse.freshness == .revalidated ? .landed : .fruitless) }
            report(Part(reuse.freshness), exchange.id)
            return respond(reuse, decision.status, turn)
        case .resend(let forward):
            guard exchange.canResend else { return pass(exchange, response, turn, decision) }
            apply(forward.edits, to: exchange.request)
            turn.forward = forward
            return .resend()
        }
    }

    func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict {
        guard let turn = exchange.turnState as? CacheTurn else { return .next }
        let decision = policy.decision(
            afterFailureOf: turn.forward, isUnreachable: exchange.failure?.code.isUnreachable ?? false,
            now: host.wallClock)
        switch decision {
        case .pass:
            turn.flight.map { flights.end($0, .failed) }
            report(turn.forward.reason.isBypass ? .bypass : .miss, exchange.id)
            return .next
        case .reuse(let reuse):
            turn.flight.map { flights.end($0, .fruitless) }
            report(Part(reuse.freshness), exchange.id)
            return respond(reuse, reuse.status, turn)
        case .gatewayTimeout(let head, let status):
            turn.flight.map { flights.end($0, .fruitless) }
            report(.miss, exchange.id)
            return .respond(labelled(head, status))
        }
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        (exchange.state as? Pause)?.waited.seat?.end(.failed)
        guard let turn = exchange.turnState as? CacheTurn else { return }
        let isStored = outcome == .ended && turn.recording.map { commit($0, of: exchange.id) } ?? false
        turn.recording?.discard()
        turn.flight.map { flights.end($0, isStored ? .landed : .failed) }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        Commands(cache: self).run(name, arguments, reply)
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(cache_LTX_plugboard_plugin)
public func cachePlugin() -> UnsafePointer<plug_plugin_v1> { Cache.descriptor }

extension Cache {
    /// The store that the settings select: memory, or memory in front of a file or of the store of a fleet.
    static func store(_ settings: CacheSettings, _ host: PluginHost) throws(PlugboardError) -> any CacheStore {
        if settings.persistence == .shared {
            let policy = settings.policy
            return TieredStore(memory: settings.memory.bytes, entries: settings.entries) { changes in
                FleetCacheStore(
                    host, isShared: settings.shared, largest: settings.sharedBody.bytes, entries: settings.entries,
                    lifetime: { policy.lifetime(of: $0, now: host.wallClock) }, changes: changes)
            }
        }
        var file = settings.persistence == .file ? path(settings, host) : nil
        do throws(SQLiteFailure) {
            if let file { try SQLiteStore.check(file.starting, schema: CacheSchema.schema) }
        } catch {
            guard error.kind == .newer else {
                throw PlugboardError(.configuration, "The cache cannot store responses in its file. \(error.message)")
            }
            // A file of a newer version does not prevent the start, because responses can be fetched again.
            host.log(.warning, "Responses are kept in memory only. \(error.message)")
            file = nil
        }
        return TieredStore(
            path: file?.current, memory: settings.memory.bytes, disk: settings.disk.bytes,
            entries: settings.entries
        ) { host.log(.warning, $0) }
    }

    /// The path now, and the path after start. Nil if there is no data directory: the cache then warns and uses memory
    /// only.
    private static func path(
        _ settings: CacheSettings, _ host: PluginHost
    ) -> (current: String, starting: String)? {
        if let path = settings.path, !path.isEmpty {
            let file = host.configuredPath(path)
            return (file, file)
        }
        if let folder = host.dataDirectory, let starting = host.dataPath {
            return ("\(folder)/cache.sqlite", "\(starting)/cache.sqlite")
        }
        host.log(
            .warning,
            "There is no data directory, so responses are kept in memory only. Set path, or set persistence to memory.")
        return nil
    }
}
