import PlugboardCore

/// What is done to requests while a program is developed: they are delayed, or fail without being sent.
///
///     settings.debug = DebugBehavior(delay: .seconds(2))
///     client.call(Feed(), debug: DebugBehavior(failure: PlugboardError(.timeoutConnect, "Simulated.")))
///
/// Of a client, an endpoint and a call, the call's counts, then the endpoint's, then the client's.
public struct DebugBehavior: Sendable {
    /// How long a request waits before it is sent or fails.
    public var delay: Duration
    /// The error with which it fails without being sent; nil sends it.
    public var failure: PlugboardError?
    /// The clock of the delay: a test sets one that does not wait.
    public var clock: any Clock<Duration>
    /// Whether the client's counts.
    private(set) var isClients = false

    /// That of the client.
    public static let client: DebugBehavior = {
        var behavior = DebugBehavior()
        behavior.isClients = true
        return behavior
    }()

    /// A behaviour; without parameters that of a client without one, which takes the place of the client's.
    public init(
        delay: Duration = .zero, failure: PlugboardError? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.delay = delay
        self.failure = failure
        self.clock = clock
    }

    /// Waits, and throws the failure.
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
