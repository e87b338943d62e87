import PlugboardKit
import RetryOptions

/// The plugin's settings.
struct RetrySettings: PluginSettings {
    @Setting("The attempts in all, including the first; 1 never repeats.", in: 1...100)
    var attempts = 3
    @Setting(
        "The longest delay before the first repetition; it doubles with each repetition.",
        in: .zero ... .seconds(86_400))
    var delay = Duration.milliseconds(100)
    @Setting("The longest delay before any repetition.", in: .zero ... .seconds(86_400))
    var delayLimit = Duration.seconds(10)
    @Setting("The time after the first attempt began in which repetitions may begin. No limit without it.")
    var totalTime: Duration? = nil
    @Setting("The statuses after which a request is repeated, 400 to 599.")
    var statuses = RetryPolicy.transientStatuses.sorted().map { "\($0)" }
    @Setting("The codes of failures after which a request is repeated.")
    var failures = RetryPolicy.transientFailures.map(\.name).sorted()
    @Setting("Methods that may be repeated in addition to those that RFC 9110 calls idempotent.")
    var methods: [String] = []
    @Setting("Adds an Idempotency-Key to requests that could not be repeated without one.")
    var idempotencyKey = false
    @Setting("Waits as long as Retry-After and RateLimit ask.")
    var respectRetryAfter = true
    @Setting(
        "The longest wait that a server may ask for; after a longer one there is no repetition.",
        in: .zero ... .seconds(86_400))
    var retryAfterLimit = Duration.seconds(60)

    @Setting("Limits the repetitions to each origin by a budget.")
    var budget = true
    @Setting("The repetitions that a hundred first attempts add to the budget.", in: 0...1000)
    var budgetShare = 10
    @Setting("The repetitions that each second adds to the budget.", in: 0...10_000)
    var budgetPerSecond = 1
    @Setting("The most repetitions that the budget can hold; it is full at first.", in: 0...10_000)
    var budgetSize = 20

    @Setting("Refuses requests to an origin that fails repeatedly.")
    var circuitBreaker = false
    @Setting("The consecutive failures that open the circuit.", in: 1...10_000)
    var circuitFailures = 5
    @Setting("How long the circuit stays open.", in: .milliseconds(1) ... .seconds(86_400))
    var circuitOpenTime = Duration.seconds(30)
    @Setting("The requests that must succeed before the circuit closes, and the most that probe at once.", in: 1...1000)
    var circuitProbes = 1
}

extension RetryPolicy {
    /// Refuses values that can never have an effect, because they are a mistake in the configuration.
    init(_ settings: RetrySettings) throws(PlugboardError) {
        attempts = settings.attempts
        backoff = Backoff(base: settings.delay, limit: settings.delayLimit)
        totalTime = settings.totalTime
        respectsRetryAfter = settings.respectRetryAfter
        retryAfterLimit = settings.retryAfterLimit
        statuses = RetryPolicy.statuses(settings.statuses)
        failures = RetryPolicy.failures(settings.failures)
        methods = RetryPolicy.methods(settings.methods)
        if let odd = settings.statuses.first(where: { RetryPolicy.statuses([$0]).isEmpty }) {
            throw PlugboardError(
                .configuration, "statuses contains \(printable(odd)), which is not a status from 400 to 599.")
        }
        if let odd = settings.failures.first(where: { RetryPolicy.failures([$0]).isEmpty }) {
            let known = RetryPolicy.transientFailures.map(\.name).sorted().joined(separator: ", ")
            throw PlugboardError(
                .configuration, "failures contains \(printable(odd)), which is never repeated. Use some of \(known).")
        }
        if let odd = settings.methods.first(where: { RetryPolicy.methods([$0]).isEmpty }) {
            throw PlugboardError(
                .configuration, "methods contains \(printable(odd)), which is not a method (RFC 9110 §9.1).")
        }
    }

    /// Applies the attributes of a request; values that can never have an effect are ignored.
    mutating func take(_ exchange: borrowing Exchange) {
        if let own = exchange[RetryAttributes.keys.attempts] { attempts = own }
        if let own = exchange[RetryAttributes.keys.delay] { backoff.base = own }
        if let own = exchange[RetryAttributes.keys.delayLimit] { backoff.limit = own }
        if let own = exchange[RetryAttributes.keys.totalTime] { totalTime = own }
        if let own = exchange[RetryAttributes.keys.statuses] { statuses = RetryPolicy.statuses(own) }
        if let own = exchange[RetryAttributes.keys.failures] { failures = RetryPolicy.failures(own) }
        if let own = exchange[RetryAttributes.keys.methods] { methods = RetryPolicy.methods(own) }
        if let own = exchange[RetryAttributes.keys.respectRetryAfter] { respectsRetryAfter = own }
        if let own = exchange[RetryAttributes.keys.retryAfterLimit] { retryAfterLimit = own }
    }

    private static func statuses(_ texts: [String]) -> Set<Int> {
        Set(texts.compactMap { Int($0) }.filter { (400...599).contains($0) })
    }

    private static func failures(_ names: [String]) -> Set<PlugboardError.Code> {
        transientFailures.intersection(names.map { PlugboardError.Code($0) })
    }

    private static func methods(_ names: [String]) -> Set<Method> {
        Set(names.map { Method($0) }.filter(\.isValid))
    }
}

extension OriginTable.Limits {
    init(_ settings: RetrySettings) {
        budget =
            settings.budget
            ? RetryBudget.Limits(
                share: settings.budgetShare, perSecond: settings.budgetPerSecond, size: settings.budgetSize) : nil
        circuit =
            settings.circuitBreaker
            ? CircuitBreaker.Limits(
                failures: settings.circuitFailures, openTime: settings.circuitOpenTime, probes: settings.circuitProbes)
            : nil
    }
}
