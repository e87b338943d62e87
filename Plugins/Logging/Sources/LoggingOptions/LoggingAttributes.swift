import PlugboardKit

/// What a request can say to the plugin `logging`.
public enum LoggingAttributes {
    public static let label = AttributeKey<String>(
        "logging", "label", "A word that stands before the request's lines.")
}

extension Request {
    /// What the request says to the plugin `logging`.
    public var logging: LoggingRequest {
        get { LoggingRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `logging` sees it: `request.logging.label = "feed"`.
public struct LoggingRequest: Sendable {
    fileprivate var request: Request

    /// A word that stands before the request's lines.
    public var label: String? {
        get { request[LoggingAttributes.label] }
        set { request[LoggingAttributes.label] = newValue }
    }
}
