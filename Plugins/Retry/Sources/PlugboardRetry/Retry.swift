import PlugboardJSON
import PlugboardKit
import PlugboardRetryOptions
import PlugboardServerDelay
import PlugboardStore

/// Sends failed requests again: `RetryPolicy` decides, the origin's budget and circuit must agree, and then it resends.
///
/// An exchange that succeeds at its first attempt takes no lock and allocates nothing, unless an origin has failed
/// recently, or circuits are shared. A class, so that a call does not copy the settings and the policy.
final class Retry: Plugin {
    static let manifest = Manifest(
        id: "retry", version: "1.0.0", documentation: "Sends failed requests again.", priority: 800,
        hooks: [.request, .response, .failure, .close], needs: [Store.optionalID],
        attributes: RetryAttributes.definitions,
        commands: [
            CommandDefinition("forget", "Removes budgets and circuits."),
            CommandDefinition("stats", "Shows the budgets and circuits of origins that have failed recently."),
        ])

    typealias Settings = RetrySettings

    private let settings: RetrySettings
    private let policy: RetryPolicy
    // Each request needs it. Reading a setting takes longer.
    private let addsKeys: Bool
    private let origins: Origins
    private let host: PluginHost
    private let news: RetryNews
    /// Nil for a process that shares nothing.
    private let fleet: RetryFleet?

    init(settings: RetrySettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        policy = try RetryPolicy(settings)
        addsKeys = settings.idempotencyKey
        origins = Origins(OriginTable.Limits(settings))
        news = RetryNews(host)
        fleet = settings.shared ? RetryFleet(settings, host) : nil
    }

    func start() {
        guard let fleet else { return }
        guard let store = Store(host) else {
            return host.log(
                .warning,
                "retry's setting shared needs a plugin that provides \(Store.id), and none is enabled: this process has "
                    + "budgets and circuits of its own.")
        }
        origins.withTable { $0.share() }
        fleet.start(store) { [weak self] in self?.openByPeers($0) }
    }

    func stop(within: Duration) { fleet?.stop() }

    func check(_ attributes: Attributes) throws {
        let keys = RetryAttributes.keys
        try RetryPolicy.check(
            statuses: attributes[keys.statuses], failures: attributes[keys.failures], methods: attributes[keys.methods])
    }

    // MARK: Before the request is sent

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard exchange.hasAttributes || addsKeys || policy.totalTime != nil || fleet != nil || origins.areInTrouble
        else { return .next }
        // Each key by itself, because a copy of the table counts a reference to each of its keys.
        do throws(PlugboardError) {
            try RetryPolicy.check(
                statuses: exchange[RetryAttributes.keys.statuses], failures: exchange[RetryAttributes.keys.failures],
                methods: exchange[RetryAttributes.keys.methods])
        } catch {
            return .fail(error)
        }
        addIdempotencyKey(exchange)
        if (exchange[RetryAttributes.keys.totalTime] ?? policy.totalTime) != nil {
            progress(of: exchange).started = host.now
        }
        let mayLook = fleet != nil && settings.circuitBreaker
        guard origins.areInTrouble || mayLook, let origin = Origin(url: exchange.request.url) else { return .next }
        if mayLook { fleet?.look(at: origin) { [weak self] in self?.openByPeers($0) } }
        let now = host.now
        let (admission, change) = origins.withTable { $0.admit(origin, at: now) }
        news.report(change, origin, exchange.id)
        switch admission {
        case .free: break
        case .probe(let permit): progress(of: exchange).permit = (origin, permit)
        case .refused(let time):
            news.reportRefusal(origin, exchange.id)
            return .fail(circuitOpen(origin, for: time))
        }
        return .next
    }

    /// Adds the same key to all attempts of the exchange, as long as the method stays, whichever plugin resends.
    private func addIdempotencyKey(_ exchange: borrowing Exchange) {
        guard exchange[RetryAttributes.keys.idempotencyKey] ?? addsKeys else { return }
        let request = exchange.request
        let method = request.method
        guard !policy.isRepeatable(method), !request.contains(IdempotencyKey.field) else { return }
        if let named = exchange.state as? NamedRequest, named.method == method {
            request[IdempotencyKey.field] = named.key.value
            return
        }
        let named = NamedRequest(method, IdempotencyKey(random: host.random(16)))
        exchange.state = named
        request[IdempotencyKey.field] = named.key.value
    }

    private func circuitOpen(_ origin: Origin, for time: Duration?) -> PlugboardError {
        let when = time.map { "The next request is allowed in \(DurationText(max($0, .milliseconds(1))))." }
        return PlugboardError(
            .retryCircuitOpen,
            "\(origin) failed \(settings.circuitFailures) times in a row\(settings.shared ? ", here or for other processes" : ""), "
                + "so requests to it are refused. "
                + (when ?? "A request that probes it is under way: try again later."))
    }

    // MARK: After the response or the failure

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        guard let response = exchange.response else { return .next }
        let status = response.status
        if status < 400 {
            succeed(exchange)
            return .next
        }
        return judge(exchange, .response(status: status))
    }

    func onFailure(_ exchange: borrowing Exchange) -> FailureVerdict {
        guard let failure = exchange.failure else { return .next }
        return judge(exchange, .failure(failure.code))
    }

    /// Handles the common case, which must cost almost nothing.
    private func succeed(_ exchange: borrowing Exchange) {
        let progress = exchange.turnState as? RetryProgress
        if let progress, progress.attempts > 0 { news.countRecovery() }
        if origins.areInTrouble || progress != nil { record(.healthy, exchange, progress) }
    }

    /// Sends the request again, or lets the outcome pass.
    private func judge<Phase: ResendingPhase & SendableMetatype>(
        _ exchange: borrowing Exchange, _ outcome: RetryPolicy.Outcome
    ) -> Verdict<Phase> {
        let isAgain = exchange.visit != .first
        if isAgain, let decision = (exchange.turnState as? RetryProgress)?.awaited {
            return conclude(exchange, outcome, decision, mayWait: false)
        }
        var policy = policy
        policy.take(exchange)
        let health = policy.health(after: outcome)
        if case .response(let status) = outcome, !policy.statuses.contains(status) {
            record(health, exchange, exchange.turnState as? RetryProgress)
            return .next
        }
        let progress = progress(of: exchange)
        progress.attempts += 1
        record(health, exchange, progress)
        let decision = policy.decision(for: situation(exchange, outcome, progress)) {
            host.random(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        return conclude(exchange, outcome, decision, mayWait: true)
    }

    /// Takes a token, if the decision needs one, and carries the decision out.
    private func conclude<Phase: ResendingPhase & SendableMetatype>(
        _ exchange: borrowing Exchange, _ outcome: RetryPolicy.Outcome, _ decided: RetryPolicy.Decision, mayWait: Bool
    ) -> Verdict<Phase> {
        var decision = decided
        let progress = progress(of: exchange)
        progress.awaited = nil
        if case .again = decision {
            let (refusal, ask) = reserve(exchange, progress)
            if refusal == .budget, mayWait, let ask {
                progress.awaited = decision
                // Beyond the store's own time, so that a provider that does not keep it holds no request.
                return .wait(within: RetryFleet.patience * 2) { [self] in
                    await take(ask)
                    return { [self] in conclude($0, outcome, decided, mayWait: false) }
                }
            }
            if let refusal {
                decision = .giveUp(refusal)
            } else if let ask {
                host.startTask { [self] in await take(ask) }
            }
        }
        news.report(decision, after: outcome, attempt: progress.attempts, exchange.id)
        if case .again(let delay, _) = decision { return .resend(after: delay) }
        return .next
    }

    private func situation(
        _ exchange: borrowing Exchange, _ outcome: RetryPolicy.Outcome, _ progress: RetryProgress
    ) -> RetryPolicy.Situation {
        let request = exchange.request
        var situation = RetryPolicy.Situation(method: request.method, outcome: outcome)
        situation.hasIdempotencyKey = request.withValue(IdempotencyKey.field) { $0.map { !$0.isEmpty } ?? false }
        situation.canRepeatBody = exchange.canResend
        situation.attempt = progress.attempts
        if let started = progress.started { situation.elapsed = host.now - started }
        if let response = exchange.response {
            situation.serverDelay = ServerDelay(reading: response.fields, wallClock: host.wallClock)
        }
        return situation
    }

    // MARK: The origin's budget and circuit

    private func record(_ health: CircuitBreaker.Health, _ exchange: borrowing Exchange, _ progress: RetryProgress?) {
        settleToken(exchange, progress)
        guard settings.circuitBreaker, health == .failing || origins.areInTrouble else { return }
        let held = progress?.permit
        progress?.permit = nil
        guard let origin = held?.origin ?? Origin(url: exchange.request.url) else { return }
        let now = host.now
        let change = origins.withTable { $0.record(health, of: origin, permit: held?.number, at: now) }
        news.report(change, origin, exchange.id)
        // Where a request goes by its own route, its failures say nothing to the others.
        if exchange.ownRoutes.isEmpty { fleet?.report(change, of: origin) }
    }

    /// Takes a token for a repetition. Returns the reason against it, and what to take from the fleet's store.
    private func reserve(_ exchange: borrowing Exchange, _ progress: RetryProgress) -> (RetryPolicy.Reason?, Ask?) {
        guard settings.budget || settings.circuitBreaker, let origin = Origin(url: exchange.request.url) else {
            return (nil, nil)
        }
        let now = host.now
        let (refusal, count) = origins.withTable { table in
            let refusal = table.repeatRequest(to: origin, at: now)
            return (refusal, table.ask(for: origin, isWaited: refusal == .budget, at: now))
        }
        if refusal == nil, settings.budget { progress.token = (origin, exchange.attempt) }
        return (refusal, count.map { (origin, $0) })
    }

    private func take(_ ask: Ask) async {
        let count = await fleet?.take(ask.count, for: ask.origin)
        let now = host.now
        origins.withTable { $0.took(count, for: ask.origin, at: now) }
    }

    private func openByPeers(_ origin: Origin) {
        let now = host.now
        news.report(origins.withTable { $0.openByPeers(origin, at: now) }, origin, 0)
    }

    /// Returns a token if no attempt was made with it, because a token stands for load on the network.
    private func settleToken(_ exchange: borrowing Exchange, _ progress: RetryProgress?) {
        guard let progress, let token = progress.token else { return }
        progress.token = nil
        guard exchange.attempt == token.attempt else { return }
        let now = host.now
        origins.withTable { $0.giveBackToken(of: token.origin, at: now) }
    }

    /// Returns what the exchange still holds, however it ended.
    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let progress = exchange.turnState as? RetryProgress else { return }
        settleToken(exchange, progress)
        if progress.permit != nil { record(.unknown, exchange, progress) }
    }

    // MARK: State

    /// Tokens to take from the fleet's store.
    private typealias Ask = (origin: Origin, count: Int)

    private func progress(of exchange: borrowing Exchange) -> RetryProgress {
        if let progress = exchange.turnState as? RetryProgress { return progress }
        let progress = RetryProgress()
        exchange.turnState = progress
        return progress
    }

    // MARK: Commands

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        switch name {
        case "forget":
            let forgotten = origins.withTable { $0.forget() }
            fleet?.forget(forgotten)
            reply.json(nil)
        default:
            let now = host.now
            reply.json(origins.withTable { $0.described(at: now) })
        }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(retry_LTX_plugboard_plugin)
public func retryPlugin() -> UnsafePointer<plug_plugin_v1> { Retry.descriptor }
