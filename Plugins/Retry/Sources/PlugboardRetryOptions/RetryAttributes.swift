import PlugboardKit

/// The attributes of the plugin `retry`.
public struct RetryAttributes: AttributeTable {
    /// All keys.
    public static let keys = RetryAttributes()

    /// The attempts in all, including the first; 1 never repeats.
    public let attempts = AttributeKey<Int>(
        "retry", "attempts", "The attempts in all, including the first; 1 never repeats.", in: 1...100)
    /// The longest delay before the first repetition; it doubles with each repetition.
    public let delay = AttributeKey<Duration>(
        "retry", "delay", "The longest delay before the first repetition; it doubles with each repetition.",
        in: .zero ... .seconds(86_400))
    /// The longest delay before any repetition.
    public let delayLimit = AttributeKey<Duration>(
        "retry", "delayLimit", "The longest delay before any repetition.", in: .zero ... .seconds(86_400))
    /// No repetition begins later than this after the start of the first attempt.
    public let totalTime = AttributeKey<Duration>(
        "retry", "totalTime", "No repetition begins later than this after the start of the first attempt.",
        in: .zero ... .seconds(365 * 86_400))
    /// The statuses after which a request is repeated, 400 to 599.
    public let statuses = AttributeKey<[String]>(
        "retry", "statuses", "The statuses after which a request is repeated, 400 to 599.")
    /// The codes of failures after which a request is repeated, some of `RetrySettings.transientFailures`.
    public let failures = AttributeKey<Set<PlugboardError.Code>>(
        "retry", "failures", "The codes of failures after which a request is repeated.")
    /// Methods that may be repeated in addition to those that RFC 9110 calls idempotent.
    public let methods = AttributeKey<Set<Method>>(
        "retry", "methods", "Methods that may be repeated in addition to those that RFC 9110 calls idempotent.")
    /// True adds an Idempotency-Key to a request that could not be repeated without one.
    public let idempotencyKey = AttributeKey<Bool>(
        "retry", "idempotencyKey", "True adds an Idempotency-Key to a request that could not be repeated without one.")
    /// False ignores Retry-After and RateLimit.
    public let respectRetryAfter = AttributeKey<Bool>(
        "retry", "respectRetryAfter", "False ignores Retry-After and RateLimit.")
    /// The longest wait that a server may ask for; after a longer one there is no repetition.
    public let retryAfterLimit = AttributeKey<Duration>(
        "retry", "retryAfterLimit",
        "The longest wait that a server may ask for; after a longer one there is no repetition.",
        in: .zero ... .seconds(86_400))
}

extension Request {
    /// The attributes for the plugin `retry`; nil leaves a value to the plugin's settings.
    public var retry: RequestAttributes<RetryAttributes> {
        get { RequestAttributes<RetryAttributes>(self) }
        set { self = newValue.request }
    }
}

extension RequestAttributes<RetryAttributes> {
    /// The statuses after which a request is repeated, 400 to 599; with others it fails with `configuration`.
    public var statuses: Set<Int>? {
        get { request[RetryAttributes.keys.statuses].map { Set($0.compactMap { Int($0) }) } }
        set { request[RetryAttributes.keys.statuses] = newValue?.sorted().map { "\($0)" } }
    }
}
