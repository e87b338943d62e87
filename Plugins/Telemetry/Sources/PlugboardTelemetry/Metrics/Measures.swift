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

    /// The requests of one method to one server. Looking a metric up by its labels takes longer than counting.
    final class Target: Sendable {
        let origin: Origin?
        fileprivate let method: String
        /// Scheme and authority as requests have them.
        fileprivate let server: [UInt8]
        /// The number of requests that are under way.
        fileprivate let active: PluginHost.Gauge
        fileprivate let outcomes = LookupTable<Outcome>()
        fileprivate let labels: [String: String]

        fileprivate init(_ host: PluginHost, _ method: String, _ server: UnsafeRawBufferPointer, _ origin: Origin?) {
            (self.origin, self.method, self.server) = (origin, method, Array(server))
            var labels = ["http.request.method": AttemptFacts.knownMethod(method)]
            if let origin {
                labels["server.address"] = origin.address
                labels["server.port"] = "\(origin.port)"
                labels["url.scheme"] = origin.scheme
            }
            self.labels = labels
            active = host.gauge("http.client.active_requests", labels)
        }

        fileprivate func isOf(_ other: UnsafeRawBufferPointer) -> Bool {
            server.withUnsafeBytes { server in
                guard server.count == other.count else { return false }
                for index in 0..<server.count where server[index] != other[index] { return false }
                return true
            }
        }
    }

    /// What the conventions tell apart of the ends of attempts.
    fileprivate final class Outcome: Sendable {
        let status: Int?
        let version: String?
        let failure: String?
        let duration, requestSize, responseSize: PluginHost.Histogram

        init(_ host: PluginHost, _ target: Target, _ facts: AttemptFacts) {
            (status, version, failure) = (facts.status, facts.version, facts.failure)
            var labels = target.labels
            if let version { labels["network.protocol.version"] = version }
            // A server that varies its statuses must not use up the metrics that a plugin may have.
            requestSize = host.histogram("http.client.request.body.size", labels, bounds: Measures.sizes)
            responseSize = host.histogram("http.client.response.body.size", labels, bounds: Measures.sizes)
            if let status { labels["http.response.status_code"] = "\(status)" }
            if let error = facts.errorType { labels["error.type"] = error }
            duration = host.histogram("http.client.request.duration", labels, bounds: Measures.times)
        }
    }

    private let host: PluginHost
    private let targets = LookupTable<Target>()

    init(_ host: PluginHost) { self.host = host }

    /// Counts a request that begins.
    func began(_ method: String, _ url: UnsafeRawBufferPointer) -> Target {
        let server = Measures.server(url)
        var hash = KeyHash()
        for byte in server { hash.add(Int(byte)) }
        hash.add(method)
        let target = targets.value(hash.value) {
            $0.method == method && $0.isOf(server)
        } orMake: {
            Target(host, method, server, Origin(url: String(decoding: url, as: UTF8.self)))
        }
        target.active.add(1)
        return target
    }

    /// The part of a URL that decides on its origin, in any spelling: all before its path.
    private static func server(_ url: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var slashes = 0
        for (index, byte) in url.enumerated() {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                return UnsafeRawBufferPointer(rebasing: url[..<index])
            }
        }
        return url
    }

    func ended(_ span: Span) {
        let target = span.target
        target.active.add(-1)
        let (status, version, failure) = (span.facts.status, span.facts.version, span.facts.failure)
        var hash = KeyHash()
        hash.add(status ?? 0)
        hash.add(version ?? "")
        hash.add(failure ?? "")
        let outcome = target.outcomes.value(hash.value) {
            $0.status == status && $0.version == version && $0.failure == failure
        } orMake: {
            Outcome(host, target, span.facts)
        }
        outcome.duration.observe(max(span.ended - span.began, .zero))
        if let size = span.requestSize { outcome.requestSize.observe(Int64(size)) }
        if let size = span.responseSize { outcome.responseSize.observe(Int64(size)) }
    }
}
