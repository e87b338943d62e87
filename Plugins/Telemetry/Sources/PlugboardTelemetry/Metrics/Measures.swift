import PlugboardKit
import PlugboardObserving

/// The conventions' metrics of HTTP clients, as metrics of the kernel: `telemetry.http.client.…`, with times in
/// nanoseconds. Their exporters know the units.
///
/// A plugin has at most 2000 metrics, so servers and programs cannot make them grow beyond that.
final class Measures: Sendable {
    /// The conventions' buckets, in seconds times 10⁹.
    private static let times: [Int64] = [
        5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
    ].map { $0 * 1_000_000 }
    private static let sizes: [Int64] = [
        0, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    private struct Key: Hashable, Sendable {
        var method: String
        var origin: Origin?
        var status: Int?
        var version: String?
        var error: String?
    }

    private final class Histograms: Sendable {
        let duration, requestSize, responseSize: PluginHost.Histogram

        init(_ host: PluginHost, _ labels: [String: String]) {
            // A server that varies its statuses must not use up the metrics that a plugin may have.
            let sizes = labels.filter { $0.key != "http.response.status_code" && $0.key != "error.type" }
            duration = host.histogram("http.client.request.duration", labels, bounds: Measures.times)
            requestSize = host.histogram("http.client.request.body.size", sizes, bounds: Measures.sizes)
            responseSize = host.histogram("http.client.response.body.size", sizes, bounds: Measures.sizes)
        }
    }

    /// The number of requests to one server that are under way.
    final class Active: Sendable {
        let gauge: PluginHost.Gauge
        init(_ gauge: PluginHost.Gauge) { self.gauge = gauge }
    }

    private let host: PluginHost
    // Looking a metric up by its labels takes longer than counting.
    private let histograms = LookupTable<Key, Histograms>()
    private let active = LookupTable<Key, Active>()

    init(_ host: PluginHost) { self.host = host }

    func began(_ span: Span) {
        let key = Key(method: span.facts.knownMethod, origin: span.facts.origin)
        let active = active.value(of: key) { Active(host.gauge("http.client.active_requests", labels(key))) }
        active.gauge.add(1)
        span.active = active
    }

    func ended(_ span: Span) {
        span.active?.gauge.add(-1)
        let key = Key(
            method: span.facts.knownMethod, origin: span.facts.origin, status: span.facts.status,
            version: span.facts.version, error: span.facts.errorType)
        let histograms = histograms.value(of: key) { Histograms(host, labels(key)) }
        histograms.duration.observe(max(span.ended - span.began, .zero))
        if let size = span.requestSize { histograms.requestSize.observe(Int64(size)) }
        if let size = span.responseSize { histograms.responseSize.observe(Int64(size)) }
    }

    private func labels(_ key: Key) -> [String: String] {
        var labels = ["http.request.method": key.method]
        if let origin = key.origin {
            labels["server.address"] = origin.address
            labels["server.port"] = "\(origin.port)"
            labels["url.scheme"] = origin.scheme
        }
        if let status = key.status { labels["http.response.status_code"] = "\(status)" }
        if let version = key.version { labels["network.protocol.version"] = version }
        if let error = key.error { labels["error.type"] = error }
        return labels
    }
}
