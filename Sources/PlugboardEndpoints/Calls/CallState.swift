/// How far a call is.
public enum CallState: Sendable, Hashable {
    /// It was not started yet.
    case waiting
    /// It is under way.
    case running
    /// It was suspended, and goes on after `resume`.
    case suspended
    /// It has succeeded.
    case succeeded
    /// It has failed.
    case failed
    /// It was cancelled.
    case cancelled
    /// The judge or a plugin ended it without success and without failure.
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

/// How many bytes of the bodies were sent and received.
public struct CallProgress: Sendable, Equatable {
    /// Bytes of the request's body that were sent.
    public var sent: Int
    /// The length of the request's body; nil if it is not known.
    public var toSend: Int?
    /// Bytes of the response's body that were received; of a download to a file, its bytes that are there.
    public var received: Int
    /// The length of the response's body, or of the file; nil if it is not known.
    public var toReceive: Int?

    /// Numbers of bytes.
    public init(sent: Int = 0, toSend: Int? = nil, received: Int = 0, toReceive: Int? = nil) {
        self.sent = sent
        self.toSend = toSend
        self.received = received
        self.toReceive = toReceive
    }
}
