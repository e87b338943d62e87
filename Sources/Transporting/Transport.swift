import EventLoop
import Messages

/// Performs one attempt, and nothing else.
///
/// A transport never follows redirects, retries, stores cookies, decodes or judges; a status is never an error. The kernel
/// brings one over libcurl; tests use a mock; a program may bring its own.
public protocol Transport: AnyObject, Sendable {
    /// Begins an attempt and returns at once; what happens is reported to the observer.
    ///
    /// Called on the loop; reports are made on the loop too. There is exactly one `attemptEnded` for each call of
    /// `perform`, and nothing after it.
    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt

    /// Drops connections that are kept for later, and all that is remembered of servers. Called on the loop.
    func forget()

    /// Closes all connections; attempts that are under way end with `shutDown`. Called on the loop, once, last.
    func shutDown()
}

/// What one attempt is to send, and how.
public struct AttemptRequest: Sendable {
    public var method: Method
    public var url: String
    public var fields: Fields
    /// Pulled while it is sent; the transport does not release it, for the next attempt may want it.
    public var body: (any BodySource)?
    /// Complete: the request's options over the kernel's.
    public var options: RequestOptions {
        get { storedOptions.options }
        set { storedOptions = StoredOptions(newValue) }
    }
    /// Identifies equal options, so that a transport need not compare them: 0 for the kernel's own.
    public var optionsIdentity: UInt64
    /// Whether anybody wants `attemptProgressed` and `attemptReached`.
    public var isWatched: Bool
    /// Whether it must not use a connection that exists: the kernel asks for it after `.stale`.
    public var usesFreshConnection = false
    package private(set) var storedOptions: StoredOptions

    public init(
        method: Method, url: String, fields: Fields, body: (any BodySource)? = nil, options: RequestOptions,
        optionsIdentity: UInt64 = 0, isWatched: Bool = false
    ) {
        self.init(
            method: method, url: url, fields: fields, body: body, storedOptions: StoredOptions(options),
            optionsIdentity: optionsIdentity, isWatched: isWatched)
    }

    package init(
        method: Method, url: String, fields: Fields, body: (any BodySource)?, storedOptions: StoredOptions,
        optionsIdentity: UInt64, isWatched: Bool
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.storedOptions = storedOptions
        self.optionsIdentity = optionsIdentity
        self.isWatched = isWatched
    }
}

/// An attempt that is under way. Everything is called on the loop.
public protocol Attempt: AnyObject, Sendable {
    /// Ends it now; nothing is reported any more but `attemptEnded`.
    func cancel()

    /// Stops sending and receiving until `resume`; idle time does not count meanwhile.
    func suspend()
    func resume()
}

/// Hears of an attempt; everything is called on the loop.
public protocol AttemptObserver: AnyObject, Sendable {
    /// Milestones, in order, each at most once; only if the attempt is watched.
    func attemptReached(_ milestone: Milestone)

    /// An interim answer (1xx but 101).
    func attemptReceived(interim: ResponseHead)

    /// The final answer's head. The body is nil where there can be none: HEAD, 204, 304 (RFC 9112 §6.3).
    ///
    /// The observer releases the body. A body that is released before its end is drained up to 64 KiB, so that the connection can be used
    /// again, and else aborted; in either case without a further report to its reader.
    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?)

    /// Bytes so far, and in all where known; at most ten times a second, and once at the end; only if the attempt is watched.
    func attemptProgressed(_ progress: TransferProgress)

    /// The attempt is over: with an error if no head was received. What breaks a body is the body's own affair.
    ///
    /// A transport never sends a request twice. It tells two cases in which the kernel does: `.unprocessed` if the server is
    /// known not to have acted on the request, `.stale` if a kept connection was closed instead of a response.
    func attemptEnded(_ error: PlugboardError?, _ timings: Timings)
}

/// What an attempt goes through.
public enum Milestone: Sendable { case resolved, connected, secured, sent, firstByte }

/// Bytes of bodies, as they travel.
public struct TransferProgress: Sendable, Equatable {
    public var sent = 0
    public var toSend: Int?
    public var received = 0
    public var toReceive: Int?

    public init() {}
}
