import PlugboardKit

/// Reports each decision, as an event and in a counter.
struct RetryNews: Sendable {
    private let host: PluginHost
    private let scheduled, gaveUp, recovered, circuitOpened, circuitRefused: PluginHost.Counter

    init(_ host: PluginHost) {
        self.host = host
        scheduled = host.counter("scheduled")
        gaveUp = host.counter("gaveUp")
        recovered = host.counter("recovered")
        circuitOpened = host.counter("circuitOpened")
        circuitRefused = host.counter("circuitRefused")
    }

    func report(
        _ decision: RetryPolicy.Decision, after outcome: RetryPolicy.Outcome, attempt: Int, _ exchange: UInt64
    ) {
        var details: Fields = ["attempt": "\(attempt)"]
        switch outcome {
        case .response(let status): details.append("status", "\(status)")
        case .failure(let code): details.append("code", code.name)
        }
        switch decision {
        case .pass: break
        case .again(let delay, let basis):
            scheduled.add()
            details.append("after", "\(delay.nanoseconds)")
            details.append("reason", basis.rawValue)
            host.publish("retry.scheduled", exchange: exchange, details: details)
        case .giveUp(let reason):
            gaveUp.add()
            details.append("reason", reason.rawValue)
            host.publish("retry.gaveUp", exchange: exchange, details: details)
        }
    }

    /// Reports that a circuit has changed.
    func report(_ change: CircuitBreaker.Change?, _ origin: Origin, _ exchange: @autoclosure () -> UInt64) {
        guard let change else { return }
        let details: Fields = ["origin": "\(origin)"]
        switch change {
        case .opened:
            circuitOpened.add()
            host.log(.warning, "\(origin) fails repeatedly: its circuit opens.")
            host.publish("retry.circuitOpened", exchange: exchange(), details: details)
        case .halfOpened: host.publish("retry.circuitHalfOpened", exchange: exchange(), details: details)
        case .closed:
            host.log(.info, "\(origin) responds again: its circuit closes.")
            host.publish("retry.circuitClosed", exchange: exchange(), details: details)
        }
    }

    /// Reports that a request to an origin was refused.
    func reportRefusal(_ origin: Origin, _ exchange: UInt64) {
        circuitRefused.add()
        host.publish("retry.circuitRefused", exchange: exchange, details: ["origin": "\(origin)"])
    }

    func countRecovery() { recovered.add() }
}
