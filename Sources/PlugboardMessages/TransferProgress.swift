/// How many bytes of a request's and a response's body, of a download or of an upload were transferred.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes of the request's body that were sent; of an upload, its bytes that were sent, those of earlier runs
    /// included.
    public var sent: Int
    /// The length of the request's body or of the upload's content; nil if it is not known.
    public var toSend: Int?
    /// Bytes of the response's body that were received; of a download, the bytes of the file that are there.
    public var received: Int
    /// The length of the response's body or of the downloaded file; nil if it is not known.
    public var toReceive: Int?
    /// The bytes of a download or upload that were there when this run began. `received` or `sent` includes them.
    public var resumed: Int

    /// Numbers of bytes.
    public init(sent: Int = 0, toSend: Int? = nil, received: Int = 0, toReceive: Int? = nil, resumed: Int = 0) {
        self.sent = sent
        self.toSend = toSend
        self.received = received
        self.toReceive = toReceive
        self.resumed = resumed
    }

    /// Reads the details of an event.
    ///
    /// - Parameter detail: Returns the detail of that name; nil if there is none.
    public init(details detail: (String) -> Int?) {
        self.init(
            sent: detail("sent") ?? 0, toSend: detail("toSend"), received: detail("received") ?? 0,
            toReceive: detail("toReceive"))
    }
}

/// Decides when progress is reported: at most ten times a second.
package struct ProgressPace: Sendable {
    private var last: ContinuousClock.Instant?

    package init() {}

    /// Whether progress must be reported now; true the first time.
    package mutating func isDue(now: ContinuousClock.Instant = .now) -> Bool {
        if let last, now - last < .milliseconds(100) { return false }
        last = now
        return true
    }
}
