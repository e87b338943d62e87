import CacheOptions
import JSON
import PlugboardKit

/// Keeps answers and gives them again (RFC 9111): carries out what `CachePolicy` decides.
///
///     onRequest    question ─▶ entries at hand, or a wait for the store ─▶ policy ─▶ answer · 504 · wait for an identical request · go on
///     onResponse   answer   ─▶ policy ─▶ store what it says ─▶ pass, recording the body · the stored answer · the whole · again
///     onFailure    failure  ─▶ policy ─▶ the stored answer · 504 · pass
///     onClose      ended well: the recorded body is committed; else it is discarded
///
/// Nothing here blocks the loop: the store answers from memory, or on a thread of its own.
final class Cache: Plugin {
    static let manifest = Manifest(
        id: "cache", version: "1.0.0", documentation: "Keeps answers and gives them again (RFC 9111).", priority: 600,
        hooks: [.request, .response, .failure, .close],
        attributes: [
            CacheAttributes.mode.definition, CacheAttributes.timeToLive.definition,
            CacheAttributes.overrides.definition, CacheAttributes.version.definition, CacheAttributes.key.definition,
            CacheAttributes.ignore.definition, CacheAttributes.singleFlight.definition,
        ],
        commands: Commands.definitions)

    typealias Settings = CacheSettings

    let settings: CacheSettings
    let host: PluginHost
    let policy: CachePolicy
    let questions: Questions
    let store: any CacheStore
    let flights = Flights()
    let setbacks = Setbacks()
    let tally: Tally

    init(settings: CacheSettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        policy = settings.policy
        questions = try Questions(settings)
        tally = Tally()
        store = try Cache.store(settings, host)
    }

    /// Not before: a check of the configuration makes a plugin, and must leave no file behind.
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
        let answer = ReceivedResponse(
            forward: turn.forward, status: response.status, fields: response.fields, requested: turn.requested,
            received: host.wallClock)
        var decision = policy.decision(on: answer) { exchange.resolve($0).flatMap { NormalURL($0)?.text } }
        change(decision)
        decision.status.isCollapsed = turn.isCollapsed
        switch decision.outcome {
        case .pass: return pass(exchange, response, turn, decision)
        case .complete(let completion): return complete(exchange, response, turn, decision, completion)
        case .reuse(let reuse):
            turn.flight.map { flights.end($0, reuse.freshness == .revalidated ? .landed : .fruitless) }
            tell(Part(reuse.freshness), exchange.id)
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
            tell(turn.forward.reason.isBypass ? .bypass : .miss, exchange.id)
            return .next
        case .reuse(let reuse):
            turn.flight.map { flights.end($0, .fruitless) }
            tell(Part(reuse.freshness), exchange.id)
            return respond(reuse, reuse.status, turn)
        case .gatewayTimeout(let head, let status):
            turn.flight.map { flights.end($0, .fruitless) }
            tell(.miss, exchange.id)
            return .respond(labelled(head, status))
        }
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: Outcome) {
        guard let turn = exchange.turnState as? CacheTurn else { return }
        let isStored = outcome == .ended && turn.recording.map { commit($0, of: exchange.id) } ?? false
        turn.recording?.discard()
        turn.flight.map { flights.end($0, isStored ? .landed : .failed) }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        Commands(cache: self).run(name, arguments, reply)
    }
}

/// What a kernel asks for, linked or loaded.
@c(cache_LTX_plugboard_plugin)
public func cachePlugin() -> UnsafePointer<plug_plugin_v1> { export(Cache.self) }
