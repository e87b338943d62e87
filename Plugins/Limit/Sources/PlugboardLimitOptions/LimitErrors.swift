import PlugboardKit

extension PlugboardError.Code {
    /// A limit has no room for the request, or not within the time that it may wait; nothing was sent.
    public static let limitExceeded: Self = "limit.exceeded"
}
