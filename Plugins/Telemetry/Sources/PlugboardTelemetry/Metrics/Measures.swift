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

    /// The bytes of a URL that decide on its origin, in any spelling. Both parts are empty for a text without `://`.
    fileprivate struct Server {
        /// The beginning up to `//`.
        let scheme: UnsafeRawBufferPointer
        /// The authority without user and password, which must not stay in memory.
        let host: UnsafeRawBufferPointer

        init(_ url: UnsafeRawBufferPointer) {
            guard let slash = url.firstIndex(of: UInt8(ascii: "/")), slash > 0, slash + 1 < url.count,
                url[slash - 1] == UInt8(ascii: ":"), url[slash + 1] == UInt8(ascii: "/")
            else {
                (scheme, host) = (Server.none, Server.none)
                return
            }
            let first = slash + 2
            var (start, end) = (first, first)
            authority: while end < url.count {
                switch url[end] {
                case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break authority
                // RFC 3986 §3.2.1: the user ends at an @; here at the last one, as in `Origin`.
                case UInt8(ascii: "@"): start = end + 1
                default: break
                }
                end += 1
            }
            scheme = UnsafeRawBufferPointer(rebasing: url[..<first])
            host = UnsafeRawBufferPointer(rebasing: url[start..<end])
        }

        private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
    }

    /// The requests of one method to one server. Looking a metric up by its labels takes longer than counting.
    final class Target: Sendable {
        let origin: Origin?
        /// The method in the conventions' spelling.
        fileprivate let method: String
        /// The bytes of `Server`, one part after the other.
        fileprivate let server: [UInt8]
        /// The number of requests that are under way.
        fileprivate let active: PluginHost.Gauge
        fileprivate let outcomes = LookupTable<Outcome>()
        fileprivate let labels: [String: String]

        fileprivate init(_ host: PluginHost, _ method: String, _ server: Server, _ origin: Origin?) {
            (self.origin, self.method) = (origin, method)
            self.server = Array(server.scheme) + Array(server.host)
            var labels = ["http.request.method": method]
            if let origin {
                labels["server.address"] = origin.address
                labels["server.port"] = "\(origin.port)"
                labels["url.scheme"] = origin.scheme
            }
            self.labels = labels
            active = host.gauge("http.client.active_requests", labels)
        }

        fileprivate func isOf(_ other: Server) -> Bool {
            server.withUnsafeBytes { server in
                let (scheme, host) = (other.scheme, other.host)
                guard server.count == scheme.count + host.count else { return false }
                for index in 0..<scheme.count where server[index] != scheme[index] { return false }
                for index in 0..<host.count where server[scheme.count + index] != host[index] { return false }
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
    private let seed = UInt64.random(in: 0 ... .max)

    init(_ host: PluginHost) { self.host = host }

    /// Counts a request that begins.
    func began(_ method: String, _ url: UnsafeRawBufferPointer) -> Target {
        // Programs decide how many other methods there are.
        let (method, server) = (AttemptFacts.knownMethod(method), Server(url))
        var hash = KeyHash(seed: seed)
        hash.add(server.scheme)
        hash.add(server.host)
        hash.add(method)
        let target = targets.value(hash.value) {
            $0.method == method && $0.isOf(server)
        } orMake: {
            Target(host, method, server, Origin(url: String(decoding: url, as: UTF8.self)))
        }
        target.active.add(1)
        return target
    }

    func ended(_ span: Span) {
        let target = span.target
        target.active.add(-1)
        let (status, version, failure) = (span.facts.status, span.facts.version, span.facts.failure)
        var hash = KeyHash(seed: seed)
        hash.add(UInt64(truncatingIfNeeded: status ?? 0))
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
