import PlugboardKit

/// The attributes of the plugin `queue`.
public struct QueueAttributes: AttributeTable {
    /// All keys.
    public static let keys = QueueAttributes()

    /// When the request is kept: off, onFailure, journal or later.
    public let mode = AttributeKey<QueueMode>(
        "queue", "mode", "When the request is kept: off, onFailure, journal or later.")
    /// The ticket, under which the outcome is found; without it, a random one.
    public let id = AttributeKey<String>(
        "queue", "id", "The ticket, under which the outcome is found; without it, a random one.")
    /// Requests of one category are sent one after the other, in their order.
    public let category = AttributeKey<String>(
        "queue", "category", "Requests of one category are sent one after the other, in their order.")
    /// A word by which requests are found and dropped.
    public let tag = AttributeKey<String>("queue", "tag", "A word by which requests are found and dropped.")
    /// A text of the program, which is returned with the outcome.
    public let context = AttributeKey<String>(
        "queue", "context", "A text of the program, which is returned with the outcome.")
    /// Requests with a greater number are sent first.
    public let priority = AttributeKey<Int>(
        "queue", "priority", "Requests with a greater number are sent first.", in: -1_000_000...1_000_000)
    /// Only the last of the waiting requests with the same key is kept.
    public let collapseKey = AttributeKey<String>(
        "queue", "collapseKey", "Only the last of the waiting requests with the same key is kept.")
    /// What a request does to the waiting one with its collapse key: replace or cancel.
    public let collapse = AttributeKey<QueueCollapse>(
        "queue", "collapse", "What a request does to the waiting one with its collapse key: replace or cancel.")
    /// Whether secret fields, such as Authorization, Cookie and X-Api-Key, are stored too.
    public let storeCredentials = AttributeKey<Bool>(
        "queue", "storeCredentials",
        "Whether secret fields, such as Authorization, Cookie and X-Api-Key, are stored too.")
}

extension Request {
    /// The attributes for the plugin `queue`; nil leaves a value to the plugin's settings.
    public var queue: RequestAttributes<QueueAttributes> {
        get { RequestAttributes<QueueAttributes>(self) }
        set { self = newValue.request }
    }
}

/// When a request is kept.
public enum QueueMode: String, WordOption {
    /// The request is never kept.
    case off
    /// The request is kept when it has failed without a network.
    case onFailure
    /// The request is kept before it is sent, until it has its outcome: one that is under way when the process ends is
    /// sent again.
    case journal
    /// The request is kept at once and sent later, and its sender does not wait for the network.
    case later
}

/// What a request does to the waiting request with the same collapse key.
public enum QueueCollapse: String, WordOption {
    /// The new request replaces the waiting one.
    case replace
    /// If their methods or URLs differ, both are dropped, as like and unlike; otherwise the new one replaces the other.
    /// A request that may have reached the server is replaced, because its effect may need to be undone.
    case cancel
}
