import PlugboardKit
import Synchronization

/// How the cache took part in a request. Each that comes through the cache has exactly one of the first five.
enum Part: Int, CaseIterable, Sendable {
    /// Answered from the store, fresh.
    case hit
    /// Answered from the store, although no longer fresh.
    case stale
    /// Answered from the store, after the server had said that it holds.
    case revalidated
    /// Answered by the server, or by nobody.
    case miss
    /// The cache has no part in such a request.
    case bypass
    /// Its answer is in the store now.
    case stored

    init(_ freshness: Reuse.Freshness) {
        switch freshness {
        case .fresh: self = .hit
        case .stale: self = .stale
        case .revalidated: self = .revalidated
        }
    }

    /// Under which it is told.
    var event: String { Part.events[rawValue] }

    private static let events = allCases.map { "cache.\($0)" }
}

/// Counts what became of requests.
final class Tally: Sendable {
    private let counts = Mutex([Int](repeating: 0, count: Part.allCases.count))

    private let evictions = Mutex(0)

    func add(_ part: Part) { counts.withLock { $0[part.rawValue] += 1 } }

    /// How many entries have been evicted since this was asked last, given their number in all.
    func evicted(_ all: Int) -> Int {
        evictions.withLock { known in
            defer { known = max(known, all) }
            return max(all - known, 0)
        }
    }

    func count(_ part: Part) -> Int { counts.withLock { $0[part.rawValue] } }
}

extension Cache {
    /// Counts it, and tells those who listen: of an exchange, or of none.
    func tell(_ part: Part, _ exchange: UInt64?) {
        tally.add(part)
        host.publish(part.event, exchange: exchange)
    }
}
