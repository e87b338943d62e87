import PlugboardCore

/// Delays requests, or makes them fail without being sent, while a program is developed.
///
///     settings.debug = DebugBehavior(delay: .seconds(2))
///     client.call(Feed(), debug: DebugBehavior(failure: PlugboardError(.timeoutConnect, "Simulated.")))
///
/// The behaviour of a call overrides that of its endpoint, which overrides that of the client.
public struct DebugBehavior: Sendable {
    /// How long a request waits before it is sent or fails.
    public var delay: Duration
    /// The error with which it fails without being sent; nil sends it.
    public var failure: PlugboardError?
    /// The clock of the delay: a test sets one that does not wait.
    public var clock: any Clock<Duration>
    /// Whether the client's behaviour applies.
    private(set) var isClients = false

    /// Uses the behaviour of the client.
    public static let client: DebugBehavior = {
        var behavior = DebugBehavior()
        behavior.isClients = true
        return behavior
    }()

    /// Creates a behaviour. Without parameters it does nothing, and overrides that of the client.
    public init(
        delay: Duration = .zero, failure: PlugboardError? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.delay = delay
        self.failure = failure
        self.clock = clock
    }

    /// Waits for the delay, and throws the failure.
    nonisolated(nonsending) func apply() async throws(PlugboardError) {
        if delay > .zero {
            do {
                try await clock.sleep(for: delay)
            } catch {
                throw PlugboardError(.cancelled, "The request was cancelled while it was delayed for debugging.")
            }
        }
        if let failure { throw failure }
    }
}
