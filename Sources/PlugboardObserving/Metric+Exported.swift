import PlugboardKit

extension Metric {
    /// What exporters tell of a metric beside its values.
    private struct Description {
        /// The exported name; nil if it is the metric's own.
        var name: String?
        /// The unit in OpenTelemetry's spelling (UCUM).
        let unit: String
        /// Whether it is a sum that rises and falls (an up-down counter), and not a value on its own.
        var isSum = false
        let help: String
    }

    /// The descriptions of all metrics of the kernel and of bundled plugins that are no plain counters, by name.
    private static let descriptions: [String: Description] = [
        "kernel.connections.open": Description(
            name: "http.client.open_connections", unit: "{connection}", isSum: true,
            help: "Number of connections that are open."),
        "kernel.connections.duration": Description(
            name: "http.client.connection.duration", unit: "s", help: "How long connections were open."),
        "kernel.connections.waited": Description(
            unit: "s", help: "How long attempts waited for a connection, of those that had to wait."),
        "queue.length": Description(
            unit: "{request}",
            help: "Number of requests in the queue's file, pending ones (that wait, or are written or sent) and dead "
                + "ones; of all processes that share the file, so do not add up those of several processes."),
        "telemetry.http.client.active_requests": Description(
            name: "http.client.active_requests", unit: "{request}", isSum: true,
            help: "Number of requests that are under way."),
        "telemetry.http.client.request.duration": Description(
            name: "http.client.request.duration", unit: "s", help: "Duration of requests."),
        "telemetry.http.client.request.body.size": Description(
            name: "http.client.request.body.size", unit: "By", help: "Size of request bodies on the network."),
        "telemetry.http.client.response.body.size": Description(
            name: "http.client.response.body.size", unit: "By", help: "Size of response bodies on the network."),
    ]

    private var description: Description? { Metric.descriptions[name] }

    /// The name that exporters give it. The conventions' metrics of HTTP clients, which the plugin `telemetry` and the
    /// kernel keep under names of their own, have the conventions' names.
    public var exportedName: String { description?.name ?? name }

    /// The unit as OpenTelemetry writes it (UCUM); `1` for numbers of things without a word.
    public var unit: String { description?.unit ?? "1" }

    /// What it counts, as one sentence; nil if that is not known.
    public var help: String? { description?.help }

    /// Whether it counts nanoseconds, which exporters write in seconds.
    public var isTime: Bool { unit == "s" }

    /// Whether it is a sum that rises and falls (an up-down counter), and not a value on its own.
    public var isSum: Bool { description?.isSum ?? false }
}
