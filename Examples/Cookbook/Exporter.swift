import PlugboardKit

/// Gauges, histograms, and a command with an argument that reads all metrics: writes them as Prometheus reads them.
struct Exporter: Plugin {
    static let manifest = Manifest(
        id: "com.example.exporter", version: "1.0.0", documentation: "Exports metrics for Prometheus.", priority: 40,
        hooks: [.request, .close],
        commands: [
            CommandDefinition(
                "metrics", "Writes the metrics as text.",
                arguments: #"{"prefix": "only those whose names begin with this; all if it is left out"}"#)
        ])

    private final class Start {
        let time: Duration
        init(_ time: Duration) { self.time = time }
    }

    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        exchange.turnState = Start(host.now)
        host.gauge("open").add(1)
        return .next
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let start = exchange.turnState as? Start else { return }
        host.gauge("open").add(-1)
        host.histogram("milliseconds", ["outcome": "\(outcome)"], bounds: [10, 100, 1000, 10000])
            .observe(Int64((host.now - start.time) / .milliseconds(1)))
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        let prefix = arguments["prefix"]?.stringValue ?? ""
        var text = ""
        var last: String?
        for metric in host.metrics where metric.name.hasPrefix(prefix) {
            // Once for all labels of a name.
            if metric.name != last { text += "# TYPE \(symbol(metric.name)) \(metric.kind)\n" }
            last = metric.name
            text += lines(metric)
        }
        reply.body(.text(text))
    }

    private func lines(_ metric: Metric) -> String {
        let labels = metric.labels.map { "\(symbol($0.name))=\"\(escaped($0.value))\"" }
        func line(_ end: String, _ value: some BinaryInteger, _ more: [String] = []) -> String {
            let labels = (labels + more).joined(separator: ",")
            return symbol(metric.name) + end + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
        }
        guard metric.kind == .histogram else { return line("", metric.value) }
        // Each of our counts is for a range between two bounds; Prometheus counts everything up to a bound.
        var (text, count) = ("", UInt64(0))
        for (bound, own) in zip(metric.bounds.map(String.init) + ["+Inf"], metric.counts) {
            count += own
            text += line("_bucket", count, ["le=\"\(bound)\""])
        }
        return text + line("_sum", metric.value) + line("_count", count)
    }

    /// A name as Prometheus allows it: letters and digits of ASCII, and `_` for others.
    private func symbol(_ name: String) -> String {
        let symbol = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return (symbol.first?.isNumber == true ? "_" : "") + String(symbol)
    }

    private func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : "\($1)" }
    }
}
