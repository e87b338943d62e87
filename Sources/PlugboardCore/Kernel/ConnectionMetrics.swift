import PlugboardEventLoop

/// The number of open connections, how long each was open, and how long attempts waited for one:
/// `kernel.connections.open`, and `kernel.connections.duration` and `kernel.connections.waited` in nanoseconds.
///
/// The first two are made with the first connection of the transport over libcurl; other transports have none. The last
/// one is made when an attempt has waited first, because `kernel.connections` or `kernel.connectionsPerHost` limits
/// their number: attempts that need not wait cost nothing and are not counted. It counts attempts that waited and
/// began, and not those that were cancelled or failed while they waited.
enum ConnectionMetrics {
    /// The bounds in milliseconds, from a hundredth of a second to five minutes.
    private static let bounds: [Int64] = [
        10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000,
    ]

    /// The bounds in milliseconds that the conventions have for the durations of requests.
    private static let waitBounds: [Int64] = [
        5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
    ]

    /// Counts the nanoseconds for which an attempt waited. [loop]
    static func countWait(_ time: Int64, on home: KernelLoop) {
        if home.waitMetric == 0 {
            home.waitMetric = home.core.metrics.number(
                of: "kernel.connections.waited", .histogram, bounds: waitBounds.map { $0 * 1_000_000 })
        }
        home.core.metrics.observe(time, in: home.waitMetric)
    }

    /// Called before anything runs on the loop.
    static func count(on loop: EventLoop, in metrics: Metrics) {
        let numbers = Numbers(metrics)
        loop.poller.connectionOpened = { metrics.add(1, to: numbers.open) }
        loop.poller.connectionClosed = { age in
            metrics.add(-1, to: numbers.open)
            metrics.observe(age, in: numbers.duration)
        }
    }

    /// Used on one loop.
    private final class Numbers {
        lazy var open = metrics.number(of: "kernel.connections.open", .gauge)
        lazy var duration = metrics.number(
            of: "kernel.connections.duration", .histogram, bounds: bounds.map { $0 * 1_000_000 })
        private let metrics: Metrics

        init(_ metrics: Metrics) { self.metrics = metrics }
    }
}
