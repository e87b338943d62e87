import PlugboardKit

/// What configurations, and programs in code, say to the plugin `retry`.
///
///     .retry { $0.attempts = 5 }
public struct RetrySettings: PluginSettings {
    @Setting("Attempts in all, the first included; 1 repeats nothing.", in: 1...100)
    public var attempts = 3
    @Setting(
        "The most that is waited before the first repetition; doubled with each one.", in: .zero ... .seconds(86_400))
    public var delay = Duration.milliseconds(100)
    @Setting("The most that is waited before any repetition.", in: .zero ... .seconds(86_400))
    public var delayLimit = Duration.seconds(10)
    @Setting("No repetition begins later than this after the first attempt.")
    public var totalTime: Duration? = nil
    @Setting("Statuses after which a request is repeated, 400 to 599.")
    public var statuses = ["408", "413", "425", "429", "500", "502", "503", "504"]
    @Setting("Codes of failures after which a request is repeated.")
    public var failures = RetrySettings.transientFailures.map(\.name).sorted()
    @Setting("Methods that may be repeated beside those that RFC 9110 calls idempotent.")
    public var methods: [String] = []
    @Setting("Adds an Idempotency-Key to requests that could not be repeated without.")
    public var idempotencyKey = false
    @Setting("Waits as Retry-After and RateLimit ask.")
    public var respectRetryAfter = true
    @Setting("A server that asks for a longer wait is not asked again.", in: .zero ... .seconds(86_400))
    public var retryAfterLimit = Duration.seconds(60)

    @Setting("Gives each origin a budget of repetitions.")
    public var budget = true
    @Setting("Repetitions that a hundred first attempts bring into the budget.", in: 0...1000)
    public var budgetShare = 10
    @Setting("Repetitions that each second brings into the budget.", in: 0...10_000)
    public var budgetPerSecond = 1
    @Setting("Repetitions that the budget can hold; it is full at first.", in: 0...10_000)
    public var budgetSize = 20

    @Setting("Leaves an origin alone that fails again and again.")
    public var circuitBreaker = false
    @Setting("Failures in a row that open the circuit.", in: 1...10_000)
    public var circuitFailures = 5
    @Setting("How long the circuit stays open.", in: .milliseconds(1) ... .seconds(86_400))
    public var circuitOpenTime = Duration.seconds(30)
    @Setting("Requests that must come through before the circuit closes; no more than these try at once.", in: 1...1000)
    public var circuitProbes = 1

    /// All settings at their defaults.
    public init() {}

    /// Failures that may pass if one waits. No other is ever repeated, whatever the settings say.
    package static let transientFailures: Set<PlugboardError.Code> = unsentFailures.union([
        .reset, .stale, .idleTimeout, .attemptTimeout,
    ])

    /// Failures before the server acted on the request: nothing can be done twice.
    package static let unsentFailures: Set<PlugboardError.Code> = [.dns, .connect, .connectTimeout, .unprocessed]
}
