import PlugboardCore

/// How the requests of a batch are sent.
public struct BatchOptions: Sendable {
    /// Whether the first failure cancels the other requests; true by default.
    ///
    /// A request that was cancelled or ignored is no failure.
    public var cancelsAtFailure: Bool
    /// The most requests that are under way at once; nil for no limit but the kernel's.
    public var limit: Int?
    /// The most of them that go to one origin; nil for no limit but the kernel's.
    public var limitPerHost: Int?
    /// Called when a request has ended and when bytes were sent or received, one call after the other, on any thread.
    public var onProgress: (@Sendable (BatchProgress) -> Void)?

    /// Options.
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

/// How far a batch is.
public struct BatchProgress: Sendable, Equatable {
    /// How many requests there are.
    public var count: Int
    /// How many of them have ended in any way.
    public var ended = 0
    /// How many of these have failed.
    public var failed = 0
    /// The bytes of all requests together. A total is nil until that of each request is known.
    public var bytes = TransferProgress()
}
