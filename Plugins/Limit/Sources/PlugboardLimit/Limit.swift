import PlugboardJSON
import PlugboardKit
import PlugboardLimitOptions
import PlugboardStore

/// Keeps requests within limits: each waits for room, or fails.
///
///     onRequest   no rule ─▶ next · room ─▶ next · no room ─▶ wait for it · not in time ─▶ fail(limit.exceeded)
///     attempts    each is counted when it begins; the first one has had room kept for it
///     heads       what a server asks for is kept
///     turn's end  gives back what the turn has: `Passage`
///
/// `LimitTable` decides. A class, so that a call does not copy the rules.
final class Limit: Plugin {
    static let manifest = Manifest(
        id: "limit", version: "1.0.0", documentation: "Keeps requests within limits: each waits for room, or fails.",
        priority: 150, hooks: [.request, .event], events: ["attemptBegan", "headReceived", "suspended"],
        needs: [Store.optionalID],
        attributes: LimitAttributes.definitions,
        commands: [
            CommandDefinition("list", "Shows the keys in use, with what they have left."),
            CommandDefinition("forget", "Ends the pauses, and forgets the requests that were counted."),
        ])

    typealias Settings = LimitSettings

    private let settings: LimitSettings
    private let host: PluginHost
    private let rules: LimitRules
    private let limits: Limits
    private let news: LimitNews

    init(settings: LimitSettings, host: PluginHost) throws {
        (self.settings, self.host) = (settings, host)
        // With a salt of its own, each process would find other keys in the store.
        rules = try LimitRules(settings.rules, salt: settings.shared ? [] : host.random(16))
        limits = Limits(rules.rules, settings, host)
        news = LimitNews(rules.rules, host)
    }

    func start() {
        guard settings.shared else { return }
        if let store = Store(host) { return limits.share(PortionStore(store, host)) }
        host.log(
            .warning,
            "limit's setting shared needs a plugin that provides \(Store.id), and none is enabled: this process keeps "
                + "the limits for itself alone.")
    }

    func stop(within: Duration) { limits.stop() }

    // MARK: Before the request is sent

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        if exchange.visit == .first { return enter(exchange) }
        guard let passage = exchange.turnState as? Passage, let wait = passage.wait else { return .next }
        passage.endsToWait()
        switch limits.begin(passage.admission) {
        case .waiting: return refuse(exchange, wait.rule, nil)
        // It was suspended, and has left the queue.
        case .left: return enter(exchange)
        case .granted, .begun:
            passage.run(passage.names)
            news.waited(wait.rule, host.now - wait.since, exchange.id)
            return .next
        }
    }

    private func enter(_ exchange: borrowing Exchange) -> RequestVerdict {
        if costsNothing { return .next }
        let (method, url) = (exchange.request.method, exchange.request.url)
        var values: [KeyName.Value] = []
        let names = rules.names(method, url, by: exchange.route) {
            values = rules.values(of: exchange)
            return values
        }
        if names.isEmpty { return .next }
        let longest = exchange[LimitAttributes.keys.wait] ?? settings.wait
        let wait = min(longest, exchange.options.timeout ?? longest)
        switch limits.enter(names, within: wait, isSubrequest: exchange.sender != nil) {
        case .refused(let rule, let after): return refuse(exchange, rule, after)
        case .crowded(let rule): return refuse(exchange, rule, nil, isCrowded: true)
        case .granted(let admission):
            let passage = Passage(admission, names, values, (method, url), limits, news)
            exchange.turnState = passage
            passage.run(names)
            return .next
        case .waits(let admission, let rule, let within):
            let passage = Passage(admission, names, values, (method, url), limits, news)
            exchange.turnState = passage
            let ticket = exchange.ticket(within: .nanoseconds(within))
            limits.setWake(admission) { ticket.wake() }
            passage.beginsToWait(for: rule, at: host.now, exchange.id)
            return .wait(ticket)
        }
    }

    /// Whether no request has anything to wait for or to count.
    private var costsNothing: Bool { rules.onlyLearn && !rules.haveValues && limits.isEmpty }

    private func refuse(
        _ exchange: borrowing Exchange, _ rule: Int, _ after: Int64?, isCrowded: Bool = false
    ) -> RequestVerdict {
        news.refused(rule, exchange.id)
        let text = rules.rules[rule].text
        if isCrowded {
            return .fail(
                PlugboardError(
                    .limitExceeded,
                    "The rule \(text) of limit has no room, and as many requests wait as may: \(settings.waiters). Send "
                        + "fewer requests at the same time, or raise limit's setting waiters."))
        }
        let when = after.map { " It has room in \(DurationText(.nanoseconds(max($0, 1_000_000)))) at the earliest." }
        return .fail(
            PlugboardError(
                .limitExceeded,
                "The rule \(text) of limit had no room within the time that the request may wait.\(when ?? "") Send "
                    + "fewer requests, or raise the rule's limit or limit.wait."))
    }

    // MARK: While it is sent

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        switch exchange {
        case .some(let exchange):
            if event.is("headReceived") { return learn(event, exchange) }
            if event.is("attemptBegan") { return count(event, exchange) }
            if let passage = passage(of: exchange) { limits.suspend(passage.admission) }
        case .none: return
        }
    }

    private func passage(of exchange: borrowing Exchange) -> Passage? {
        (exchange.turnState ?? exchange.state) as? Passage
    }

    private func count(_ event: borrowing Event, _ exchange: borrowing Exchange) {
        if costsNothing { return }
        guard let url = event["url"], let method = event["method"].map({ Method($0) }) else { return }
        if let passage = passage(of: exchange) { return passage.attempt(method, url, exchange.route, rules) }
        // A redirect to where a rule applies, or a request of a plugin further in, which does not pass here.
        guard exchange.attribute("limit.enabled") != "false" else { return }
        var values: [KeyName.Value] = []
        let names = rules.names(method, url, by: exchange.route) {
            values = rules.values(of: exchange)
            return values
        }
        guard !names.isEmpty, case .granted(let admission) = limits.enter([], within: .zero, isSubrequest: true) else {
            return
        }
        let passage = Passage(admission, [], values, nil, limits, news)
        exchange.state = passage
        passage.attempt(names)
    }

    private func learn(_ event: borrowing Event, _ exchange: borrowing Exchange) {
        guard settings.learn, let head = event.head else { return }
        let asked = ServerRequest.read(head, wallClock: host.wallClock, limit: settings.pauseLimit)
        guard asked != nil || limits.waitForHeads, exchange.attribute("limit.enabled") != "false" else { return }
        let request = exchange.request
        let passage = passage(of: exchange)
        let names =
            passage?.names
            ?? rules.names(request.method, request.url, by: exchange.route) { rules.values(of: exchange) }
        for rule in limits.learn(asked, names, of: passage?.admission) {
            if case .pause(let time) = asked { news.paused(rule, time, exchange.id) }
        }
    }

    // MARK: Commands

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        if name == "list" {
            reply.json(.limitUses(limits.used(), rules.rules))
        } else {
            limits.forget()
            reply.json(nil)
        }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(limit_LTX_plugboard_plugin)
public func limitPlugin() -> UnsafePointer<plug_plugin_v1> { Limit.descriptor }
