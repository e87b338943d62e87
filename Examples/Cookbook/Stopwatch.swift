import PlugboardKit

/// `onClose` and the state of a turn: publishes how long each turn took, however it ended.
struct Stopwatch: Plugin {
    static let manifest = Manifest(
        id: "com.example.stopwatch", version: "1.0.0", documentation: "Publishes how long requests take.", priority: 40,
        hooks: [.request, .close])

    let host: PluginHost

    private final class Start {
        let time: Duration
        init(_ time: Duration) { self.time = time }
    }

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        exchange.turnState = Start(host.now)
        return .next
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let start = exchange.turnState as? Start else { return }
        let took = Int((host.now - start.time) / .milliseconds(1))
        host.publish(
            "com.example.stopwatch.stopped", exchange: exchange.id,
            details: ["outcome": "\(outcome)", "milliseconds": "\(took)"])
    }
}
