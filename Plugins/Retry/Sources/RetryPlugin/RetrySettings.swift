import PlugboardKit
import RetryOptions

/// What a configuration says to the plugin.
struct RetrySettings: PluginSettings {
    @Setting("Attempts in all, the first included; 1 repeats nothing.", in: 1...100)
    var attempts = 3
    @Setting(
        "The most that is waited before the first repetition; doubled with each one.", in: .zero ... .seconds(86_400))
    var delay = Duration.milliseconds(100)
    @Setting("The most that is waited before any repetition.", in: .zero ... .seconds(86_400))
    var delayLimit = Duration.seconds(10)
    @Setting("No repetition begins later than this after the first attempt.")
    var totalTime: Duration? = nil
    @Setting("Statuses after which a request is repeated, 400 to 599.")
    var statuses = RetryPolicy.transientStatuses.sorted().map { "\($0)" }
    @Setting("Codes of failures after which a request is repeated.")
    var failures = RetryPolicy.transientFailures.map(\.name).sorted()
    @Setting("Methods that may be repeated beside those that RFC 9110 calls idempotent.")
    var methods: [String] = []
    @Setting("Adds an Idempotency-Key to requests that could not be repeated without.")
    var idempotencyKey = false
    @Setting("Waits as Retry-After and RateLimit ask.")
    var respectRetryAfter = true
    @Setting("A server that asks for a longer wait is not asked again.", in: .zero ... .seconds(86_400))
    var retryAfterLimit = Duration.seconds(60)

    @Setting("Gives each origin a budget of repetitions.")
    var budget = true
    @Setting("Repetitions that a hundred first attempts bring into the budget.", in: 0...1000)
    var budgetShare = 10
    @Setting("Repetitions that each second brings into the budget.", in: 0...10_000)
    var budgetPerSecond = 1
    @Setting("Repetitions that the budget can hold; it is full at first.", in: 0...10_000)
    var budgetSize = 20

    @Setting("Leaves an origin alone that fails again and again.")
    var circuitBreaker = false
    @Setting("Failures in a row that open the circuit.", in: 1...10_000)
    var circuitFailures = 5
    @Setting("How long the circuit stays open.", in: .milliseconds(1) ... .seconds(86_400))
    var circuitOpenTime = Duration.seconds(30)
    @Setting("Requests that must come through before the circuit closes; no more than these try at once.", in: 1...1000)
    var circuitProbes = 1
}

extension RetryPolicy {
    /// Refuses what could never have an effect: the writer of a configuration wants to know.
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
                .configuration, "statuses has \(printable(odd)), which is no status from 400 to 599.")
        }
        if let odd = settings.failures.first(where: { RetryPolicy.failures([$0]).isEmpty }) {
            let known = RetryPolicy.transientFailures.map(\.name).sorted().joined(separator: ", ")
            throw PlugboardError(
                .configuration, "failures has \(printable(odd)), which is never repeated. Use some of \(known).")
        }
        if let odd = settings.methods.first(where: { RetryPolicy.methods([$0]).isEmpty }) {
            throw PlugboardError(
                .configuration, "methods has \(printable(odd)), which is no method (RFC 9110 §9.1).")
        }
    }

    /// What a request says otherwise; what it says that could never have an effect has none.
    mutating func take(_ exchange: borrowing Exchange) {
        if let own = exchange[RetryAttributes.attempts] { attempts = own }
        if let own = exchange[RetryAttributes.delay] { backoff.base = own }
        if let own = exchange[RetryAttributes.delayLimit] { backoff.limit = own }
        if let own = exchange[RetryAttributes.totalTime] { totalTime = own }
        if let own = exchange[RetryAttributes.statuses] { statuses = RetryPolicy.statuses(own) }
        if let own = exchange[RetryAttributes.failures] { failures = RetryPolicy.failures(own) }
        if let own = exchange[RetryAttributes.methods] { methods = RetryPolicy.methods(own) }
        if let own = exchange[RetryAttributes.respectRetryAfter] { respectsRetryAfter = own }
        if let own = exchange[RetryAttributes.retryAfterLimit] { retryAfterLimit = own }
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
