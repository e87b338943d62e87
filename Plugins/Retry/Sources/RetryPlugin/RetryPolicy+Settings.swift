import PlugboardKit
import RetryOptions

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

    static func statuses(_ texts: [String]) -> Set<Int> {
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
