import PlugboardCore

/// How the requests of a batch are sent.
public struct BatchOptions: Sendable {
    /// Whether the first failure cancels the other requests; true by default.
    ///
    /// A request that was cancelled or ignored does not count as a failure.
    public var cancelsAtFailure: Bool
    /// The most requests that are under way at once; nil for only the kernel's limit.
    public var limit: Int?
    /// The most requests to one origin that are under way at once; nil for only the kernel's limit.
    public var limitPerHost: Int?
    /// Called when a request has ended and when bytes were sent or received; never concurrently, and on any thread.
    public var onProgress: (@Sendable (BatchProgress) -> Void)?

    /// Creates options.
    public init(
        cancelsAtFailure: Bool = true, limit: Int? = nil, limitPerHost: Int? = nil,
        onProgress: (@Sendable (BatchProgress) -> Void)? = nil
    ) {
        self.cancelsAtFailure = cancelsAtFailure
        self.limit = limit
        self.limitPerHost = limitPerHost
        self.onProgress = onProgress
    }
}

/// The progress of a batch.
public struct BatchProgress: Sendable, Equatable {
    /// The number of requests.
    public var count: Int
    /// The number of requests that have ended, with any outcome.
    public var ended = 0
    /// The number of requests that have failed.
    public var failed = 0
    /// The bytes of all requests together. A total is nil until the totals of all requests are known.
    public var bytes = TransferProgress()
}
