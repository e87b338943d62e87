import PlugboardKit
import PlugboardRetryOptions

extension RetryPolicy {
    /// Refuses values that can never have an effect, because they are a mistake in the configuration.
    init(_ settings: RetrySettings) throws(PlugboardError) {
        attempts = settings.attempts
        backoff = Backoff(base: settings.delay, limit: settings.delayLimit, hasJitter: settings.jitter)
        totalTime = settings.totalTime
        respectsRetryAfter = settings.respectRetryAfter
        retryAfterLimit = settings.retryAfterLimit
        statuses = RetryPolicy.statuses(settings.statuses)
        failures = settings.failures
        methods = settings.methods
        try RetryPolicy.check(statuses: settings.statuses, failures: settings.failures, methods: settings.methods)
    }

    /// Throws `configuration` for values that can never have an effect; nil is valid.
    static func check(
        statuses: [String]?, failures: Set<PlugboardError.Code>?, methods: Set<Method>?
    ) throws(PlugboardError) {
        if let odd = statuses?.first(where: { RetryPolicy.statuses([$0]).isEmpty }) {
            throw PlugboardError(
                .configuration, "statuses contains \(Printable.text(odd)), which is not a status from 400 to 599.")
        }
        if let odd = failures?.subtracting(RetryPolicy.transientFailures).map(\.name).min() {
            let known = RetryPolicy.transientFailures.map(\.name).sorted().joined(separator: ", ")
            throw PlugboardError(
                .configuration,
                "failures contains \(Printable.text(odd)), which is never repeated. Use some of \(known).")
        }
        guard let methods else { return }
        if let odd = methods.filter({ !$0.isValid }).map(\.name).min() {
            throw PlugboardError(
                .configuration, "methods contains \(Printable.text(odd)), which is not a method (RFC 9110 §9.1).")
        }
        let standard: Set<Method> = [.get, .head, .post, .put, .patch, .delete, .options]
        if let odd = methods.map(\.name).first(where: {
            $0 != $0.uppercased() && standard.contains(Method($0.uppercased()))
        }) {
            throw PlugboardError(
                .configuration,
                "methods contains \(odd), which is another method than \(odd.uppercased()) (RFC 9110 §9.1). Write it in "
                    + "upper case.")
        }
    }

    /// Applies the attributes of an exchange, which are checked.
    mutating func take(_ exchange: borrowing Exchange) {
        if let own = exchange[RetryAttributes.keys.attempts] { attempts = own }
        if let own = exchange[RetryAttributes.keys.delay] { backoff.base = own }
        if let own = exchange[RetryAttributes.keys.delayLimit] { backoff.limit = own }
        if let own = exchange[RetryAttributes.keys.totalTime] { totalTime = own }
        if let own = exchange[RetryAttributes.keys.statuses] { statuses = RetryPolicy.statuses(own) }
        if let own = exchange[RetryAttributes.keys.failures] { failures = own }
        if let own = exchange[RetryAttributes.keys.methods] { methods = own }
        if let own = exchange[RetryAttributes.keys.respectRetryAfter] { respectsRetryAfter = own }
        if let own = exchange[RetryAttributes.keys.retryAfterLimit] { retryAfterLimit = own }
    }

    static func statuses(_ texts: [String]) -> Set<Int> {
        Set(texts.compactMap { Int($0) }.filter { (400...599).contains($0) })
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
