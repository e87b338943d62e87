import PlugboardKit

/// Reports what the limits do, as events and in metrics of each rule.
struct LimitNews: Sendable {
    private struct Metrics: Sendable {
        let waited, refused, paused: PluginHost.Counter
        let running, waiting: PluginHost.Gauge
    }

    private let host: PluginHost
    private let rules: [LimitRule]
    private let metrics: [Metrics]

    init(_ rules: [LimitRule], _ host: PluginHost) {
        (self.host, self.rules) = (host, rules)
        metrics = rules.map { rule in
            let labels = ["rule": rule.text]
            return Metrics(
                waited: host.counter("waited", labels), refused: host.counter("refused", labels),
                paused: host.counter("paused", labels), running: host.gauge("running", labels),
                waiting: host.gauge("waiting", labels))
        }
    }

    func begins(_ rule: Int) { metrics[rule].running.add(1) }

    func ends(_ rule: Int) { metrics[rule].running.add(-1) }

    func beginsToWait(_ rule: Int, _ exchange: UInt64) {
        metrics[rule].waiting.add(1)
        host.publish("limit.waiting", exchange: exchange, details: ["rule": rules[rule].text])
    }

    func endsToWait(_ rule: Int) { metrics[rule].waiting.add(-1) }

    func waited(_ rule: Int, _ time: Duration, _ exchange: UInt64) {
        metrics[rule].waited.add()
        host.publish(
            "limit.waited", exchange: exchange, details: ["rule": rules[rule].text, "time": "\(time.nanoseconds)"])
    }

    func refused(_ rule: Int, _ exchange: UInt64) {
        metrics[rule].refused.add()
        host.publish("limit.refused", exchange: exchange, details: ["rule": rules[rule].text])
    }

    func paused(_ rule: Int, _ time: Duration, _ exchange: UInt64) {
        metrics[rule].paused.add()
        host.publish(
            "limit.paused", exchange: exchange, details: ["rule": rules[rule].text, "time": "\(time.nanoseconds)"])
    }
}
