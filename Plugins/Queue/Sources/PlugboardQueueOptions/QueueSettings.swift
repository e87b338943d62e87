import PlugboardKit

/// The settings of the plugin `queue`, for configurations and for programs in code.
///
///     .queue { $0.probe = "https://api.example.com/ready" }
public struct QueueSettings: PluginSettings {
    /// The file; a relative path starts at the configuration's folder. Without it, queue.sqlite in the data directory.
    @Setting(
        "The file; a relative path starts at the configuration's folder. Without it, queue.sqlite in the data directory."
    )
    public var path: String? = nil
    /// A database instead of the file, which machines can share: `postgresql://user@host/database`.
    @Setting(
        "A database instead of the file, which machines can share: `postgresql://user@host/database`.", isSecret: true)
    public var store: String? = nil
    /// The schema of the queue in the database of `store`.
    @Setting("The schema of the queue in the database of `store`.", count: 1...60)
    public var schema = "plugboard_queue"
    /// When requests of the listed methods are kept: off, onFailure, journal or later.
    @Setting("When requests of the listed methods are kept: off, onFailure, journal or later.")
    public var mode = QueueMode.onFailure
    /// The methods of the requests that are kept without an attribute.
    @Setting("The methods of the requests that are kept without an attribute.")
    public var methods: Set<Method> = [.post, .put, .patch, .delete]
    /// The codes of failures that mean that there is no network.
    @Setting("The codes of failures that mean that there is no network.")
    public var failures: Set<PlugboardError.Code> = [
        .timeoutAttempt, .timeoutConnect, .timeoutIdle, .transportConnect, .transportDNS, .transportProxy,
        .transportReset, .transportStale, .transportUnprocessed,
    ]
    /// Adds an Idempotency-Key to requests that may be kept.
    @Setting("Adds an Idempotency-Key to requests that may be kept.")
    public var idempotencyKey = true
    /// Whether secret fields, such as Authorization, Cookie and X-Api-Key, are stored too.
    @Setting("Whether secret fields, such as Authorization, Cookie and X-Api-Key, are stored too.")
    public var storeCredentials = false
    /// Also sends requests through another Unix socket or connectTo than they were queued for.
    @Setting("Also sends requests through another Unix socket or connectTo than they were queued for.")
    public var acrossRoutes = false
    /// Whether requests are sent again automatically, or only by the command replay.
    @Setting("Whether requests are sent again automatically, or only by the command replay.")
    public var automatic = true
    /// A URL that must respond with a status of 2xx before requests are sent again.
    @Setting("A URL that must respond with a status of 2xx before requests are sent again.")
    public var probe: String? = nil
    /// The most requests that are sent again at once.
    @Setting("The most requests that are sent again at once.", in: 1...1000)
    public var concurrency = 4
    /// The longest wait before requests are sent after the network has come back.
    @Setting(
        "The longest wait before requests are sent after the network has come back.", in: .zero ... .seconds(3600))
    public var spread = Duration.seconds(1)
    /// The longest wait after the first failure; it doubles with each failure.
    @Setting(
        "The longest wait after the first failure; it doubles with each failure.",
        in: .milliseconds(1) ... .seconds(86_400))
    public var delay = Duration.seconds(1)
    /// The longest wait after any failure.
    @Setting("The longest wait after any failure.", in: .milliseconds(1) ... .seconds(86_400))
    public var delayLimit = Duration.seconds(300)
    /// The responses of 3xx, 5xx, 408, 425 and 429 after which a request is dead.
    @Setting("The responses of 3xx, 5xx, 408, 425 and 429 after which a request is dead.", in: 1...1_000_000)
    public var attempts = 20
    /// The other responses of 4xx after which a request is dead.
    @Setting("The other responses of 4xx after which a request is dead.", in: 1...1_000_000)
    public var rejections = 3
    /// How long a new request waits for the waiting ones of its category.
    @Setting("How long a new request waits for the waiting ones of its category.", in: .zero ... .seconds(86_400))
    public var categoryWait = Duration.seconds(30)
    /// How long a process holds a request that it sends, without a renewal.
    @Setting(
        "How long a process holds a request that it sends, without a renewal.", in: .seconds(1) ... .seconds(86_400)
    )
    public var lease = Duration.seconds(30)
    /// The most requests without an outcome, and the most outcomes.
    @Setting("The most requests without an outcome, and the most outcomes.", in: 1...100_000_000)
    public var limit = 100_000
    /// The most bytes of requests and outcomes in the file.
    @Setting("The most bytes of requests and outcomes in the file.")
    public var bytes = ByteCount.mebibytes(256)
    /// What happens to a new request beyond the limits: refuse or dropOldest.
    @Setting("What happens to a new request beyond the limits: refuse or dropOldest.")
    public var whenFull = QueueOverflow.refuse
    /// The most bytes of a request's body.
    @Setting("The most bytes of a request's body.")
    public var bodyLimit = ByteCount.mebibytes(16)
    /// The most bytes of a response's body that are stored with the outcome.
    @Setting("The most bytes of a response's body that are stored with the outcome.")
    public var resultLimit = ByteCount.kibibytes(64)
    /// The age at which a waiting request is dead. Time without a process counts up to half of it, but at the start of
    /// a process a request is dead that is older than twice this age by the wall clock.
    @Setting("The age at which a waiting request is dead.", in: .seconds(1) ... .seconds(315_360_000))
    public var age = Duration.seconds(30 * 86_400)
    /// The age at which outcomes are removed, even if they were not acknowledged.
    @Setting(
        "The age at which outcomes are removed, even if they were not acknowledged.",
        in: .seconds(1) ... .seconds(315_360_000))
    public var resultAge = Duration.seconds(30 * 86_400)

    /// All settings at their defaults.
    public init() {}
}

/// What happens to a new request beyond the limits.
public enum QueueOverflow: String, WordOption {
    /// It is not kept, and its own failure is the outcome; one that is to be sent later fails with `queue.full`.
    case refuse
    /// The oldest waiting requests are removed.
    case dropOldest
}
