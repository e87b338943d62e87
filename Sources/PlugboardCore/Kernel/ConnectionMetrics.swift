import PlugboardEventLoop

/// The number of open connections, and how long each was open: `kernel.connections.open`, and
/// `kernel.connections.duration` in nanoseconds. Both metrics are made with the first connection of the transport over
/// libcurl; other transports have none.
enum ConnectionMetrics {
    /// In milliseconds: from a hundredth of a second to five minutes.
    private static let bounds: [Int64] = [
        10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000,
    ]

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
