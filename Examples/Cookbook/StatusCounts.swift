import PlugboardKit
import Synchronization

/// `onEvent`, counters and commands: counts the statuses of all heads that come from the network.
final class StatusCounts: Plugin {
    static let manifest = Manifest(
        id: "com.example.status-counts", version: "1.0.0", documentation: "Counts statuses.", priority: 50,
        hooks: [.event], events: ["headReceived"],
        commands: [
            CommandDefinition("show", "Shows how often each status came."),
            CommandDefinition("forget", "Sets all counts to zero."),
        ])

    private let host: PluginHost
    /// Under a lock: hooks of several exchanges may run at once, and commands run on other threads.
    private let counts = Mutex<[Int: Int]>([:])

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        guard let status = event.head?.status else { return }
        counts.withLock { $0[status, default: 0] += 1 }
        if status >= 500 { host.counter("server-errors").add() }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        if name == "forget" {
            counts.withLock { $0 = [:] }
            reply.json(.null)
            return
        }
        var counted = JSONObject()
        for (status, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            counted["\(status)"] = .number(JSONNumber(count))
        }
        reply.json(.object(counted))
    }
}
