import PlugboardEventLoop
import PlugboardMessages

/// Performs single attempts.
///
/// A transport never follows redirects, retries, stores cookies, decodes bodies or treats a status as an error: those
/// are plugins. The kernel has a transport over libcurl; tests use a mock; a program may use its own.
///
/// A transport that a program gives to a kernel serves all of its loops: if `KernelSettings.loops` is more than one,
/// `perform` is called on several loops at once, while everything about one attempt stays on the loop that it was
/// given.
public protocol Transport: AnyObject, Sendable {
    /// Starts an attempt and returns at once; its progress is reported to the observer.
    ///
    /// Called on `loop`, where the reports are made too, after `perform` has returned. There is exactly one
    /// `attemptEnded` for each call of `perform`, and no report after it. The attempt is handed over; an implementation
    /// may leave `consuming` out.
    func perform(_ attempt: consuming AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt

    /// Closes idle connections, and forgets all information about servers. Called on a loop:
    /// the first, if there are several.
    func forget()

    /// Closes all connections; attempts in progress end with `shutDown`. The last call, once, when the exchanges of all
    /// loops have ended; on the same loop as `forget`.
    func shutDown()
}

/// The request of one attempt, and how it is sent.
public struct AttemptRequest: Sendable {
    /// The method.
    public var method: Method
    /// An absolute http or https URL. It is not checked yet.
    public var url: String
    /// All header fields. A transport adds those that frame the message.
    public var fields: Fields
    /// The body, which is pulled while it is sent. The transport does not release it: the next attempt may need it.
    public var body: (any BodySource)?
    /// The request's options, completed with the kernel's.
    public var options: RequestOptions {
        get { storedOptions.options }
        set { storedOptions = StoredOptions(newValue) }
    }
    /// A number that is the same for equal options, so that a transport does not compare them; 0 for the kernel's own.
    public var optionsIdentity: UInt64
    /// Whether `attemptProgressed` and `attemptReached` are to be reported.
    public var isWatched: Bool
    /// Whether the timings of `attemptEnded` are used; if not, they may be zero.
    public var isTimed: Bool
    /// Whether the attempt must open a new connection. The kernel demands it after `.transportStale`.
    public var usesFreshConnection: Bool
    /// `options` in a shared object.
    package var storedOptions: StoredOptions
}

extension AttemptRequest {
    /// The request of an attempt, for tests of transports. In programs the kernel makes it.
    public init(
        method: Method, url: String, fields: Fields, body: (any BodySource)? = nil, options: RequestOptions,
        optionsIdentity: UInt64 = 0, isWatched: Bool = false
    ) {
        self.init(
            method: method, url: url, fields: fields, body: body, optionsIdentity: optionsIdentity,
            isWatched: isWatched, isTimed: true, usesFreshConnection: false, storedOptions: StoredOptions(options))
    }

    /// The request of an attempt, whose options are shared with the request's.
    // Not an initializer: in one, the compiler would copy the whole attempt.
    package static func sharing(
        _ storedOptions: consuming StoredOptions, method: consuming Method, url: consuming String,
        fields: consuming Fields, body: consuming (any BodySource)?, optionsIdentity: UInt64, isWatched: Bool,
        isTimed: Bool, usesFreshConnection: Bool
    ) -> AttemptRequest {
        AttemptRequest(
            method: method, url: url, fields: fields, body: body, optionsIdentity: optionsIdentity,
            isWatched: isWatched, isTimed: isTimed, usesFreshConnection: usesFreshConnection,
            storedOptions: storedOptions)
    }
}

/// An attempt in progress. All functions are called on the loop.
public protocol Attempt: AnyObject, Sendable {
    /// Ends the attempt. Only `attemptEnded` is still reported.
    func cancel()

    /// Stops sending and receiving until `resume`. A request whose connection is being opened may still be sent;
    /// nothing of its response is reported until `resume`. The time until then does not count for `idleTimeout`.
    func suspend()
    /// Ends `suspend`.
    func resume()

    /// What the attempt does now, for the errors of timeouts; nil if the transport does not know.
    var phase: AttemptPhase? { get }

    /// Whether other attempts can use its connection at the same time (RFC 9113 §5). Asked from the head of the
    /// response to the end of the attempt. If it does, `kernel.connectionsPerHost` does not limit the attempts at
    /// that host.
    var sharesConnection: Bool { get }

    /// The timings so far, for an attempt that is given up before its end; all zero if the transport does not know
    /// them.
    var timings: Timings { get }
}

extension Attempt {
    /// Nil.
    public var phase: AttemptPhase? { nil }
    /// False.
    public var sharesConnection: Bool { false }
    /// All zero.
    public var timings: Timings { Timings() }
}

/// What an attempt does at a time, in the usual order.
public enum AttemptPhase: Sendable, CaseIterable {
    /// It waits for a connection that it may use or share.
    case waitingForConnection
    /// The name of the host, or of the proxy, is looked up.
    case resolving
    /// The connection is opened.
    case connecting
    /// The TLS handshake is under way, or a proxy opens a tunnel for it.
    case securing
    /// The request is sent.
    case sending
    /// The request is sent, and the head of the response is not complete.
    case waitingForResponse
    /// The response's body is received.
    case receiving
    /// Received bytes of the response's body wait for their reader, and the connection waits with them.
    case waitingForReader

    /// A clause for an error, about the moment at which a timeout ended the attempt.
    package var clause: String {
        switch self {
        case .waitingForConnection: "it waited for a connection"
        case .resolving: "the host's name was being looked up"
        case .connecting: "the connection was being opened"
        case .securing: "the TLS handshake was not complete"
        case .sending: "the request was being sent"
        case .waitingForResponse: "the request was sent, and the response had not begun"
        case .receiving: "the response's body was being received"
        case .waitingForReader: "received bytes of the response's body had not been read"
        }
    }
}

/// Receives the reports of an attempt. All functions are called on the loop.
public protocol AttemptObserver: AnyObject, Sendable {
    /// The attempt has reached a milestone: in order, each at most once, and only if the attempt is watched.
    func attemptReached(_ milestone: Milestone)

    /// An interim response was received (1xx except 101).
    func attemptReceived(interim: ResponseHead)

    /// The head of the final response was received. The body is nil for responses without one: to HEAD, 204 and 304
    /// (RFC 9112 §6.3).
    ///
    /// The observer must release the body. If it does so before the end, up to 64 KiB are still read, so that the
    /// connection can be used again; a longer body is aborted. Its reader gets no further report.
    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?)

    /// Bytes were sent or received: at most ten times in a second, and once at the end, and only if the attempt is
    /// watched.
    func attemptProgressed(_ progress: TransferProgress)

    /// The attempt has ended, with an error if it has failed. One after the head is of the body, which reports it too.
    ///
    /// A transport never sends a request twice. It reports two cases in which the kernel may do so:
    /// `.transportUnprocessed` if the server certainly did not process the request, `.transportStale` if a connection
    /// kept from an earlier request was closed before the response.
    func attemptEnded(_ error: PlugboardError?, _ timings: Timings)
}

/// A step of an attempt.
public enum Milestone: Sendable {
    /// The host's name was resolved.
    case resolved
    /// The connection is open.
    case connected
    /// The TLS handshake is complete.
    case secured
    /// The request was sent, with its body.
    case sent
    /// The first byte of the response was received.
    case firstByte
}
