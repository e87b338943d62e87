import EventLoop
import PlugboardKit
import Transporting

/// A transport without a network: a test says how each attempt is answered.
///
///     let transport = ScriptedTransport { sent, number in
///         number == 1 ? .fail(PlugboardError(.reset, "reset")) : .respond(200, body: .text("hello"))
///     }
///
/// It does what every transport does, and no more: it never follows, retries, stores or judges.
public final class ScriptedTransport: Transport {
    /// One attempt, as it would have gone over the wire.
    public struct Sent: Sendable {
        public let method: Method
        public let url: String
        public let fields: Fields
        /// The whole body; nil if the request has none.
        public let body: Bytes?
        /// Complete: the request's over the kernel's.
        public let options: RequestOptions

        /// The first field of this name.
        public subscript(name: FieldName) -> String? { fields[name] }
    }

    /// What comes of an attempt.
    public enum Outcome: Sendable {
        /// A head and a body; where there can be none (HEAD, 204, 304), the body is left out.
        case respond(ResponseHead, Body?)
        case fail(PlugboardError)
        /// Nothing, until the attempt is cancelled.
        case silence

        public static func respond(_ status: Int, _ fields: Fields = Fields(), body: Body = .empty) -> Outcome {
            .respond(ResponseHead(status: status, fields: fields), body)
        }
    }

    /// Asked once an attempt, off the loop, with the attempt's number, counted from 1. It may wait as long as it likes.
    public typealias Script = @Sendable (Sent, Int) async -> Outcome

    /// Gets an attempt with its number, on the loop, and a function to answer it with, once, from any thread. Returns what is
    /// to be done when the attempt is over.
    typealias Asking = @Sendable (Sent, Int, @escaping @Sendable (Outcome) -> Void) -> @Sendable () -> Void

    private let ask: Asking
    private let sent = Recording<Sent>()

    public convenience init(_ script: @escaping Script) {
        self.init { sent, number, answer in
            let asking = Task { answer(await script(sent, number)) }
            return { asking.cancel() }
        }
    }

    init(asking ask: @escaping Asking) { self.ask = ask }

    /// Answers everything with 200 and `ok`.
    public convenience init() { self.init { _, _ in .respond(200, body: .text("ok")) } }

    /// The attempts so far whose request has come whole.
    public var requests: [Sent] { sent.elements }

    /// The attempts, as soon as there are so many; before that if the task is cancelled.
    public func requests(atLeast count: Int) async -> [Sent] { await sent.elements { $0.count >= count } }

    public func perform(
        _ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop
    ) -> any Attempt {
        let attempt = ScriptedAttempt(attempt, observer: observer, loop: loop) { [sent, ask] request, answer in
            ask(request, sent.add(request), answer)
        }
        // Nothing is reported before the kernel has the attempt.
        loop.enqueue { attempt.begin() }
        return attempt
    }

    public func forget() {}
    public func shutDown() {}
}

/// Reads the request's body, asks the script, and reports its answer.
///
/// Sendable because its state is touched on the loop only.
private final class ScriptedAttempt: Attempt, PullReceiver, @unchecked Sendable {
    typealias Ask =
        @Sendable (ScriptedTransport.Sent, @escaping @Sendable (ScriptedTransport.Outcome) -> Void)
        -> @Sendable () -> Void

    private let request: AttemptRequest
    private let observer: any AttemptObserver
    private let loop: EventLoop
    private let ask: Ask
    private var pieces: [Bytes] = []
    private var stopAsking: (@Sendable () -> Void)?
    private var isOver = false

    init(
        _ request: AttemptRequest, observer: any AttemptObserver, loop: EventLoop,
        ask: @escaping Ask
    ) {
        self.request = request
        self.observer = observer
        self.loop = loop
        self.ask = ask
    }

    func begin() {
        guard !isOver else { return }
        if let body = request.body { body.pull(Pull(self)) } else { finishSending() }
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool { loop.enqueue { self.take(piece) } }

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
        let stop = ask(sent) { [loop] answer in loop.enqueue { self.carryOut(answer) } }
        if isOver { stop() } else { stopAsking = stop }
    }

    private func carryOut(_ answer: ScriptedTransport.Outcome) {
        guard !isOver else { return }
        switch answer {
        case .respond(let head, let body):
            // RFC 9110 §9.3.2, §15.3.5, §15.4.5.
            let hasBody = request.method != .head && head.status != 204 && head.status != 304
            observer.attemptReceived(head, body: hasBody ? body?.source : nil)
            end(nil)
        case .fail(let error): end(error)
        case .silence: break
        }
    }

    func cancel() {
        stopAsking?()
        end(PlugboardError(.cancelled, "The attempt was cancelled."))
    }

    func suspend() {}
    func resume() {}

    private func end(_ error: PlugboardError?) {
        guard !isOver else { return }
        isOver = true
        stopAsking = nil
        observer.attemptEnded(error, Timings())
    }
}
