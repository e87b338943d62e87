/// The state of a call.
public enum CallState: Sendable, Hashable {
    /// It has not started yet.
    case waiting
    /// It is under way.
    case running
    /// It is suspended until `resume`.
    case suspended
    /// It has succeeded.
    case succeeded
    /// It has failed.
    case failed
    /// It was cancelled.
    case cancelled
    /// The judge or a plugin ended it as neither a success nor a failure.
    case ignored
    /// A plugin keeps the request and sends it later.
    case queued

    /// Whether the call has ended.
    public var isEnded: Bool {
        switch self {
        case .waiting, .running, .suspended: false
        case .succeeded, .failed, .cancelled, .ignored, .queued: true
        }
    }
}
