import PlugboardJSON
import PlugboardKit
import PlugboardRetryOptions
import PlugboardServerDelay

/// Sends failed requests again: `RetryPolicy` decides, the origin's budget and circuit must agree, and then it resends.
///
/// An exchange that succeeds at its first attempt takes no lock and allocates nothing, unless an origin has failed
/// recently. A class, so that a call does not copy the settings and the policy.
final class Retry: Plugin {
    static let manifest = Manifest(
        id: "retry", version: "1.0.0", documentation: "Sends failed requests again.", priority: 800,
        hooks: [.request, .response, .failure, .close], attributes: RetryAttributes.definitions,
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

    init(settings: RetrySettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        policy = try RetryPolicy(settings)
        addsKeys = settings.idempotencyKey
        origins = Origins(OriginTable.Limits(settings))
        news = RetryNews(host)
    }

    func check(_ attributes: Attributes) throws {
        let keys = RetryAttributes.keys
        try RetryPolicy.check(
            statuses: attributes[keys.statuses], failures: attributes[keys.failures], methods: attributes[keys.methods])
    }

    // MARK: Before the request is sent

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard exchange.hasAttributes || addsKeys || policy.totalTime != nil || origins.areInTrouble else {
            return .next
        }
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
        guard origins.areInTrouble, let origin = Origin(url: exchange.request.url) else { return .next }
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
            "\(origin) failed \(settings.circuitFailures) times in a row, so requests to it are refused. "
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
        return judge(exchange, .response(status: status)).map { .resend(after: $0) } ?? .next
    }

    func onFailure(_ exchange: borrowing Exchange) -> FailureVerdict {
        guard let failure = exchange.failure else { return .next }
        return judge(exchange, .failure(failure.code)).map { .resend(after: $0) } ?? .next
    }

    /// Handles the common case, which must cost almost nothing.
    private func succeed(_ exchange: borrowing Exchange) {
        let progress = exchange.turnState as? Progress
        if let progress, progress.attempts > 0 { news.countRecovery() }
        if origins.areInTrouble || progress != nil { record(.healthy, exchange, progress) }
    }

    /// The delay after which the request is sent again, or nil to let the outcome pass.
    private func judge(_ exchange: borrowing Exchange, _ outcome: RetryPolicy.Outcome) -> Duration? {
        var policy = policy
        policy.take(exchange)
        let health = policy.health(after: outcome)
        if case .response(let status) = outcome, !policy.statuses.contains(status) {
            record(health, exchange, exchange.turnState as? Progress)
            return nil
        }
        let progress = progress(of: exchange)
        progress.attempts += 1
        record(health, exchange, progress)
        var decision = policy.decision(for: situation(exchange, outcome, progress)) {
            host.random(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        if case .again = decision, let refusal = reserve(exchange, progress) { decision = .giveUp(refusal) }
        news.report(decision, after: outcome, attempt: progress.attempts, exchange.id)
        if case .again(let delay, _) = decision { return delay }
        return nil
    }

    private func situation(
        _ exchange: borrowing Exchange, _ outcome: RetryPolicy.Outcome, _ progress: Progress
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

    private func record(_ health: CircuitBreaker.Health, _ exchange: borrowing Exchange, _ progress: Progress?) {
        settleToken(exchange, progress)
        guard settings.circuitBreaker, health == .failing || origins.areInTrouble else { return }
        let held = progress?.permit
        progress?.permit = nil
        guard let origin = held?.origin ?? Origin(url: exchange.request.url) else { return }
        let now = host.now
        let change = origins.withTable { $0.record(health, of: origin, permit: held?.number, at: now) }
        news.report(change, origin, exchange.id)
    }

    private func reserve(_ exchange: borrowing Exchange, _ progress: Progress) -> RetryPolicy.Reason? {
        guard settings.budget || settings.circuitBreaker, let origin = Origin(url: exchange.request.url) else {
            return nil
        }
        let now = host.now
        let refusal = origins.withTable { $0.repeatRequest(to: origin, at: now) }
        if refusal == nil, settings.budget { progress.token = (origin, exchange.attempt) }
        return refusal
    }

    /// Returns a token if no attempt was made with it, because a token stands for load on the network.
    private func settleToken(_ exchange: borrowing Exchange, _ progress: Progress?) {
        guard let progress, let token = progress.token else { return }
        progress.token = nil
        guard exchange.attempt == token.attempt else { return }
        let now = host.now
        origins.withTable { $0.giveBackToken(of: token.origin, at: now) }
    }

    /// Returns what the exchange still holds, however it ended.
    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let progress = exchange.turnState as? Progress else { return }
        settleToken(exchange, progress)
        if progress.permit != nil { record(.unknown, exchange, progress) }
    }

    // MARK: State

    private func progress(of exchange: borrowing Exchange) -> Progress {
        if let progress = exchange.turnState as? Progress { return progress }
        let progress = Progress()
        exchange.turnState = progress
        return progress
    }

    /// The state of one turn. Used by its hooks only, which never overlap.
    private final class Progress {
        var attempts = 0
        var started: Duration?
        /// The permit to probe an origin whose circuit is half-open.
        var permit: (origin: Origin, number: UInt64)?
        /// The token for the next repetition, and the number of attempts when it was taken.
        var token: (origin: Origin, attempt: Int)?
    }

    /// The key of an exchange, kept over all its turns.
    private final class NamedRequest: Sendable {
        let method: Method
        let key: IdempotencyKey

        init(_ method: Method, _ key: IdempotencyKey) {
            self.method = method
            self.key = key
        }
    }

    // MARK: Commands

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        switch name {
        case "forget":
            origins.withTable { $0.forget() }
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
