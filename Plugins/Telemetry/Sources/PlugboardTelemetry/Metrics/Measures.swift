import PlugboardKit
import Synchronization

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

    private struct Key: Hashable {
        var method: String
        var origin: Origin?
        var status: Int?
        var version: String?
        var error: String?
    }

    private struct Histograms {
        var duration, requestSize, responseSize: PluginHost.Histogram
    }

    private struct State {
        var histograms: [Key: Histograms] = [:]
        var active: [Key: PluginHost.Gauge] = [:]
    }

    private let host: PluginHost
    private let state = Mutex(State())

    /// The most metrics in each table. Looking a metric up by its labels takes longer than counting.
    private static let cacheLimit = 1000

    init(_ host: PluginHost) { self.host = host }

    func began(_ span: Span) { active(span).add(1) }

    func ended(_ span: Span) {
        active(span).add(-1)
        let histograms = histograms(span)
        histograms.duration.observe(max(span.ended - span.began, .zero))
        if let size = span.requestSize { histograms.requestSize.observe(Int64(size)) }
        if let size = span.responseSize { histograms.responseSize.observe(Int64(size)) }
    }

    private func active(_ span: Span) -> PluginHost.Gauge {
        let key = Key(method: span.knownMethod, origin: span.origin)
        if let known = state.withLock({ $0.active[key] }) { return known }
        let gauge = host.gauge("http.client.active_requests", labels(key))
        state.withLock { if $0.active.count < Measures.cacheLimit { $0.active[key] = gauge } }
        return gauge
    }

    private func histograms(_ span: Span) -> Histograms {
        let key = Key(
            method: span.knownMethod, origin: span.origin, status: span.status, version: span.version,
            error: span.errorType)
        if let known = state.withLock({ $0.histograms[key] }) { return known }
        let labels = labels(key)
        // A server that varies its statuses must not use up the metrics that a plugin may have.
        let sizes = labels.filter { $0.key != "http.response.status_code" && $0.key != "error.type" }
        let made = Histograms(
            duration: host.histogram("http.client.request.duration", labels, bounds: Measures.times),
            requestSize: host.histogram("http.client.request.body.size", sizes, bounds: Measures.sizes),
            responseSize: host.histogram("http.client.response.body.size", sizes, bounds: Measures.sizes))
        state.withLock { if $0.histograms.count < Measures.cacheLimit { $0.histograms[key] = made } }
        return made
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

extension Origin {
    /// The host; an IPv6 address without its brackets.
    var address: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}

extension Metric {
    /// The name in exports. Names of the conventions lose the plugin's id.
    var exportedName: String { name.hasPrefix("telemetry.http.") ? String(name.dropFirst("telemetry.".count)) : name }

    /// Whether it counts nanoseconds, which exporters write in seconds.
    var isTime: Bool { exportedName == "http.client.request.duration" }

    var unit: String {
        switch exportedName {
        case "http.client.request.duration": "s"
        case "http.client.active_requests": "{request}"
        case "http.client.request.body.size", "http.client.response.body.size": "By"
        default: "1"
        }
    }
}
