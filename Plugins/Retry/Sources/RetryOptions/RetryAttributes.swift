import PlugboardKit

/// What a request can say to the plugin `retry`.
public enum RetryAttributes {
    public static let attempts = AttributeKey<Int>(
        "retry", "attempts", "Attempts in all, the first included; 1 repeats nothing.", in: 1...100)
    public static let delay = AttributeKey<Duration>(
        "retry", "delay", "The most that is waited before the first repetition; doubled with each one.",
        in: .zero ... .seconds(86_400))
    public static let delayLimit = AttributeKey<Duration>(
        "retry", "delayLimit", "The most that is waited before any repetition.", in: .zero ... .seconds(86_400))
    public static let totalTime = AttributeKey<Duration>(
        "retry", "totalTime", "No repetition begins later than this after the first attempt.",
        in: .zero ... .seconds(365 * 86_400))
    public static let statuses = AttributeKey<[String]>(
        "retry", "statuses", "Statuses after which a request is repeated, 400 to 599.")
    public static let failures = AttributeKey<[String]>(
        "retry", "failures", "Codes of failures after which a request is repeated.")
    public static let methods = AttributeKey<[String]>(
        "retry", "methods", "Methods that may be repeated beside those that RFC 9110 calls idempotent.")
    public static let idempotencyKey = AttributeKey<Bool>(
        "retry", "idempotencyKey", "True adds an Idempotency-Key to a request that could not be repeated without.")
    public static let respectRetryAfter = AttributeKey<Bool>(
        "retry", "respectRetryAfter", "False does not wait as Retry-After and RateLimit ask.")
    public static let retryAfterLimit = AttributeKey<Duration>(
        "retry", "retryAfterLimit", "A server that asks for a longer wait is not asked again.",
        in: .zero ... .seconds(86_400))

    /// All of them, as the plugin lists them.
    package static let definitions = [
        attempts.definition, delay.definition, delayLimit.definition, totalTime.definition, statuses.definition,
        failures.definition, methods.definition, idempotencyKey.definition, respectRetryAfter.definition,
        retryAfterLimit.definition,
    ]
}

extension Request {
    /// What the request says to the plugin `retry`; nil leaves it to the plugin's settings.
    public var retry: RetryRequest {
        get { RetryRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `retry` sees it: `request.retry.attempts = 5`.
public struct RetryRequest: Sendable {
    fileprivate var request: Request

    /// Attempts in all, the first included; 1 repeats nothing.
    public var attempts: Int? {
        get { request[RetryAttributes.attempts] }
        set { request[RetryAttributes.attempts] = newValue }
    }

    /// The most that is waited before the first repetition; doubled with each one.
    public var delay: Duration? {
        get { request[RetryAttributes.delay] }
        set { request[RetryAttributes.delay] = newValue }
    }

    /// The most that is waited before any repetition.
    public var delayLimit: Duration? {
        get { request[RetryAttributes.delayLimit] }
        set { request[RetryAttributes.delayLimit] = newValue }
    }

    /// No repetition begins later than this after the first attempt.
    public var totalTime: Duration? {
        get { request[RetryAttributes.totalTime] }
        set { request[RetryAttributes.totalTime] = newValue }
    }

    /// Statuses after which a request is repeated, 400 to 599; others are left out.
    public var statuses: Set<Int>? {
        get { request[RetryAttributes.statuses].map { Set($0.compactMap { Int($0) }) } }
        set { request[RetryAttributes.statuses] = newValue?.sorted().map { "\($0)" } }
    }

    /// Codes of failures after which a request is repeated, of those that the plugin's README lists.
    public var failures: Set<PlugboardError.Code>? {
        get { request[RetryAttributes.failures].map { Set($0.map { PlugboardError.Code($0) }) } }
        set { request[RetryAttributes.failures] = newValue?.map(\.name).sorted() }
    }

    /// Methods that may be repeated beside those that RFC 9110 §9.2.2 calls idempotent.
    public var methods: Set<Method>? {
        get { request[RetryAttributes.methods].map { Set($0.map { Method($0) }) } }
        set { request[RetryAttributes.methods] = newValue?.map(\.name).sorted() }
    }

    /// True adds an `Idempotency-Key` to a request that could not be repeated without.
    public var idempotencyKey: Bool? {
        get { request[RetryAttributes.idempotencyKey] }
        set { request[RetryAttributes.idempotencyKey] = newValue }
    }

    /// False does not wait as `Retry-After` and `RateLimit` ask.
    public var respectRetryAfter: Bool? {
        get { request[RetryAttributes.respectRetryAfter] }
        set { request[RetryAttributes.respectRetryAfter] = newValue }
    }

    /// A server that asks for a longer wait is not asked again.
    public var retryAfterLimit: Duration? {
        get { request[RetryAttributes.retryAfterLimit] }
        set { request[RetryAttributes.retryAfterLimit] = newValue }
    }
}
