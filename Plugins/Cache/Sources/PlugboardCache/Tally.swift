import PlugboardKit
import Synchronization

/// How the cache took part in a request. Each request has exactly one of the first five.
enum Part: Int, CaseIterable, Sendable {
    /// Served from the store with a fresh response.
    case hit
    /// Served from the store with a stale response.
    case stale
    /// Served from the store after the server had confirmed the response.
    case revalidated
    /// Sent to the server, or failed with a 504 of the cache.
    case miss
    /// Not handled by the cache.
    case bypass
    /// The response is stored.
    case stored

    init(_ freshness: Reuse.Freshness) {
        switch freshness {
        case .fresh: self = .hit
        case .stale: self = .stale
        case .revalidated: self = .revalidated
        }
    }

    /// The id of its event.
    var event: String { Part.events[rawValue] }

    private static let events = allCases.map { "cache.\($0)" }
}

/// Counts how the cache took part in requests, as metrics that have the names of the events.
final class Tally: Sendable {
    private let counters: [PluginHost.Counter]
    private let host: PluginHost

    private let evictions = Mutex(0)

    init(_ host: PluginHost) { (counters, self.host) = (Part.allCases.map { host.counter("\($0)") }, host) }

    func add(_ part: Part) { counters[part.rawValue].add() }

    /// The number of entries evicted since the last call, given their total number.
    func evicted(_ all: Int) -> Int {
        evictions.withLock { known in
            defer { known = max(known, all) }
            return max(all - known, 0)
        }
    }

    func count(_ part: Part) -> Int { Int(host.metrics.first { $0.name == part.event }?.value ?? 0) }
}

extension Cache {
    /// Counts a part, and publishes its event, with or without an exchange.
    func report(_ part: Part, _ exchange: UInt64?) {
        tally.add(part)
        host.publish(part.event, exchange: exchange)
    }
}
