import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport

/// A transport without a network: a test gives the outcome of each attempt.
///
///     let transport = ScriptedTransport { sent, number in
///         number == 1 ? .fail(PlugboardError(.transportReset, "reset")) : .respond(200, body: .text("hello"))
///     }
///
/// Like every transport, it does not follow redirects, retry or store anything.
public final class ScriptedTransport: Transport {
    /// An attempt, as it would have been sent.
    public struct Sent: Sendable {
        /// The method.
        public let method: Method
        /// The absolute URL.
        public let url: String
        /// The header fields, with those that plugins added.
        public let fields: Fields
        /// The whole body; nil if the request has none.
        public let body: Bytes?
        /// The options of the request, completed by those of the kernel.
        public let options: RequestOptions

        /// The first field of this name.
        public subscript(name: FieldName) -> String? { fields[name] }
    }

    /// The outcome of an attempt.
    public enum Outcome: Sendable {
        /// A response: its head and its body. The body is left out where HTTP allows none (HEAD, 204, 304).
        case respond(ResponseHead, Body?)
        /// A failure of the attempt.
        case fail(PlugboardError)
        /// No outcome, until the attempt is cancelled.
        case silence

        /// A response with this status.
        public static func respond(_ status: Int, _ fields: Fields = Fields(), body: Body = .empty) -> Outcome {
            .respond(ResponseHead(status: status, fields: fields), body)
        }
    }

    /// Returns the outcome of an attempt. Called once for each attempt with its number, counted from 1, off the loop.
    /// It may wait.
    public typealias Script = @Sendable (Sent, Int) async -> Outcome

    /// Called on the loop with an attempt, its number, and a function that must complete it once, from any
    /// thread. Returns a closure to call when the attempt is over.
    typealias Asking = @Sendable (Sent, Int, @escaping @Sendable (Outcome) -> Void) -> @Sendable () -> Void

    private let ask: Asking
    private let sent = Recording<Sent>()

    /// Creates a transport whose attempts have the outcomes that the script returns.
    public convenience init(_ script: @escaping Script) {
        self.init { sent, number, complete in
            let asking = Task { complete(await script(sent, number)) }
            return { asking.cancel() }
        }
    }

    init(asking ask: @escaping Asking) { self.ask = ask }

    /// Creates a transport whose attempts all get a response with the status 200 and the body `ok`.
    public convenience init() { self.init { _, _ in .respond(200, body: .text("ok")) } }

    /// The attempts so far, once their request bodies are complete.
    public var requests: [Sent] { sent.elements }

    /// Waits until there are at least `count` attempts or the task is cancelled, and returns the attempts.
    public func requests(atLeast count: Int) async -> [Sent] { await sent.elements { $0.count >= count } }

    /// Begins an attempt, for the kernel.
    public func perform(
        _ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop
    ) -> any Attempt {
        let attempt = ScriptedAttempt(attempt, observer: observer, loop: loop) { [sent, ask] request, complete in
            ask(request, sent.add(request), complete)
        }
        // Nothing is reported before the kernel has the attempt.
        loop.enqueue { attempt.begin() }
        return attempt
    }

    /// Does nothing, because there is nothing to forget.
    public func forget() {}
    /// Does nothing, because there are no connections.
    public func shutDown() {}
}

/// Reads the request's body, calls the script for the outcome, and reports it.
///
/// Sendable because its state is used on the loop only.
package final class ScriptedAttempt: Attempt, PullReceiver, @unchecked Sendable {
    package typealias Ask =
        @Sendable (ScriptedTransport.Sent, @escaping @Sendable (ScriptedTransport.Outcome) -> Void)
        -> @Sendable () -> Void

    private let request: AttemptRequest
    private let observer: any AttemptObserver
    private let loop: EventLoop
    private let isDetailed: Bool
    private let ask: Ask
    private var pieces: [Bytes] = []
    private var stopAsking: (@Sendable () -> Void)?
    private var isOver = false
    private var isSuspended = false
    /// The outcome that came while it was suspended.
    private var held: ScriptedTransport.Outcome?

    /// - Parameter isDetailed: Whether it reports milestones, an interim response and progress as well, and reports
    ///   nothing while it is suspended.
    package init(
        _ request: AttemptRequest, observer: any AttemptObserver, loop: EventLoop, isDetailed: Bool = false,
        ask: @escaping Ask
    ) {
        self.request = request
        self.observer = observer
        self.loop = loop
        self.isDetailed = isDetailed
        self.ask = ask
    }

    private var isWatched: Bool { isDetailed && request.isWatched }

    package func begin() {
        guard !isOver else { return }
        for milestone: Milestone in [.resolved, .connected] where isWatched { observer.attemptReached(milestone) }
        if let body = request.body { body.pull(Pull(self)) } else { finishSending() }
    }

    package func receive(_ piece: Piece, serial: UInt64) -> Bool { loop.enqueue { self.take(piece) } }

    private func take(_ piece: Piece) {
        guard !isOver else { return }
        switch piece {
        case .bytes(let bytes):
            pieces.append(bytes)
            request.body?.pull(Pull(self))
        case .end: finishSending()
        case .broken(let error): end(error)
        }
    }

    private func finishSending() {
        let sent = ScriptedTransport.Sent(
            method: request.method, url: request.url, fields: request.fields,
            body: request.body == nil ? nil : Bytes.joined(pieces), options: request.options)
        pieces = []
        let stop = ask(sent) { [loop] outcome in loop.enqueue { self.report(outcome) } }
        if isOver { stop() } else { stopAsking = stop }
    }

    private func report(_ outcome: ScriptedTransport.Outcome) {
        guard !isOver else { return }
        if isSuspended {
            held = outcome
            return
        }
        if isWatched { observer.attemptReached(.firstByte) }
        switch outcome {
        case .respond(let head, let body):
            if isDetailed {
                observer.attemptReceived(interim: ResponseHead(status: 103, fields: ["link": "</style.css>"]))
                guard !isOver else { return }
            }
            // RFC 9110 §9.3.2, §15.3.5, §15.4.5.
            let hasBody = request.method != .head && head.status != 204 && head.status != 304
            observer.attemptReceived(head, body: hasBody ? body?.source : nil)
            if isWatched && !isOver { observer.attemptProgressed(TransferProgress(received: body?.length ?? 0)) }
            end(nil)
        case .fail(let error): end(error)
        case .silence: break
        }
    }

    package func cancel() {
        stopAsking?()
        end(PlugboardError(.cancelled, "The attempt was cancelled."))
    }

    package func suspend() { isSuspended = isDetailed }

    package func resume() {
        isSuspended = false
        guard let outcome = held.take() else { return }
        // In a later turn, because the kernel's call to resume has not ended.
        loop.enqueue { self.report(outcome) }
    }

    private func end(_ error: PlugboardError?) {
        guard !isOver else { return }
        isOver = true
        stopAsking = nil
        observer.attemptEnded(error, Timings())
    }
}
