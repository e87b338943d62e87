import PlugboardKit
import Synchronization

/// How long a server is left alone with a question that it could not answer in the background: a second, and twice as long each time.
struct Setback: Sendable, Equatable {
    /// In a row.
    private(set) var count = 0
    /// On the monotonic clock; before it, the question is not asked.
    private(set) var until: Duration

    private static let longest: Duration = .seconds(60)

    init(_ previous: Setback? = nil, now: Duration) {
        count = (previous?.count ?? 0) + 1
        until = now + min(.seconds(1 << min(count - 1, 10)), Setback.longest)
    }

    func forbids(_ now: Duration) -> Bool { now < until }
}

/// The questions in the background that came to nothing lately.
final class Setbacks: Sendable {
    private let setbacks = Mutex<[CacheKey: Setback]>([:])

    /// More are forgotten: to ask once too often is no harm.
    private static let limit = 1000

    func forbid(_ key: CacheKey, _ now: Duration) -> Bool { setbacks.withLock { $0[key]?.forbids(now) ?? false } }

    func add(_ key: CacheKey, _ now: Duration) {
        setbacks.withLock { setbacks in
            if setbacks.count >= Setbacks.limit && setbacks[key] == nil { setbacks = [:] }
            setbacks[key] = Setback(setbacks[key], now: now)
        }
    }

    /// The server has answered.
    func end(_ key: CacheKey) { setbacks.withLock { $0[key] = nil } }
}
