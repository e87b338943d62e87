import PlugboardKit

/// The settings of the plugin `retry`, for configurations and for programs in code.
///
///     .retry { $0.attempts = 5 }
public struct RetrySettings: PluginSettings {
    /// The attempts in all, including the first; 1 never repeats.
    @Setting("The attempts in all, including the first; 1 never repeats.", in: 1...100)
    public var attempts = 3
    /// The longest delay before the first repetition; it doubles with each repetition.
    @Setting(
        "The longest delay before the first repetition; it doubles with each repetition.",
        in: .zero ... .seconds(86_400))
    public var delay = Duration.milliseconds(100)
    /// The longest delay before any repetition.
    @Setting("The longest delay before any repetition.", in: .zero ... .seconds(86_400))
    public var delayLimit = Duration.seconds(10)
    /// Draws each delay at random from zero to the longest; false always waits the longest.
    @Setting("Draws each delay at random from zero to the longest; false always waits the longest.")
    public var jitter = true
    /// No repetition begins later than this after the start of the first attempt. No limit without it.
    @Setting("No repetition begins later than this after the start of the first attempt. No limit without it.")
    public var totalTime: Duration? = nil
    /// The statuses after which a request is repeated, 400 to 599.
    @Setting("The statuses after which a request is repeated, 400 to 599.")
    public var statuses = ["408", "413", "425", "429", "500", "502", "503", "504"]
    /// The codes of failures after which a request is repeated.
    @Setting("The codes of failures after which a request is repeated.")
    public var failures = RetrySettings.transientFailures
    /// Methods that may be repeated in addition to those that RFC 9110 calls idempotent.
    @Setting("Methods that may be repeated in addition to those that RFC 9110 calls idempotent.")
    public var methods: Set<Method> = []
    /// Adds an Idempotency-Key to requests that could not be repeated without one.
    @Setting("Adds an Idempotency-Key to requests that could not be repeated without one.")
    public var idempotencyKey = false
    /// Waits as long as Retry-After and RateLimit ask.
    @Setting("Waits as long as Retry-After and RateLimit ask.")
    public var respectRetryAfter = true
    /// The longest wait that a server may ask for; after a longer one there is no repetition.
    @Setting(
        "The longest wait that a server may ask for; after a longer one there is no repetition.",
        in: .zero ... .seconds(86_400))
    public var retryAfterLimit = Duration.seconds(60)

    /// Limits the repetitions to each origin by a budget.
    @Setting("Limits the repetitions to each origin by a budget.")
    public var budget = true
    /// The repetitions that a hundred first attempts add to the budget.
    @Setting("The repetitions that a hundred first attempts add to the budget.", in: 0...1000)
    public var budgetShare = 10
    /// The repetitions that each second adds to the budget.
    @Setting("The repetitions that each second adds to the budget.", in: 0...10_000)
    public var budgetPerSecond = 1
    /// The most repetitions that the budget can hold; it is full at first.
    @Setting("The most repetitions that the budget can hold; it is full at first.", in: 0...10_000)
    public var budgetSize = 20

    /// Refuses requests to an origin that fails repeatedly.
    @Setting("Refuses requests to an origin that fails repeatedly.")
    public var circuitBreaker = false
    /// The consecutive failures that open the circuit.
    @Setting("The consecutive failures that open the circuit.", in: 1...10_000)
    public var circuitFailures = 5
    /// How long the circuit stays open.
    @Setting("How long the circuit stays open.", in: .milliseconds(1) ... .seconds(86_400))
    public var circuitOpenTime = Duration.seconds(30)
    /// The requests that must succeed before the circuit closes, and the most that probe at once.
    @Setting("The requests that must succeed before the circuit closes, and the most that probe at once.", in: 1...1000)
    public var circuitProbes = 1

    /// Shares budgets and circuits with all processes that use the same `plugboard.store/1`.
    @Setting("Shares budgets and circuits with all processes that use the same `plugboard.store/1`.")
    public var shared = false
    /// The processes of a fleet whose circuits must be open before those of the others open.
    @Setting("The processes of a fleet whose circuits must be open before those of the others open.", in: 1...1000)
    public var circuitPeers = 2

    /// All settings at their defaults.
    public init() {}

    /// The failures whose codes `failures` can contain: those that may be temporary.
    public static let transientFailures: Set<PlugboardError.Code> = [
        .transportDNS, .transportConnect, .timeoutConnect, .transportUnprocessed, .transportReset, .transportStale,
        .timeoutIdle, .timeoutAttempt,
    ]
}
