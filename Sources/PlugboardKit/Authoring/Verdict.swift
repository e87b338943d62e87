/// What a hook decides. A verdict carries its payload, so a hook cannot both respond and continue.
///
/// The phase decides what is allowed: a request can be held but not resent, a failure resent but not held.
public struct Verdict<Phase>: Sendable {
    /// Work that does not run on the loop, and returns the decision.
    public typealias Work = @Sendable () async throws -> Decision
    /// Decides on the loop, with the exchange.
    public typealias Decision = @Sendable (borrowing Exchange) throws -> Verdict<Phase>

    @usableFromInline let payload: VerdictPayload

    @inlinable
    init(payload: VerdictPayload) { self.payload = payload }

    /// The verdict as an object; nil for `.next`, which then needs no release.
    @inlinable
    consuming func boxed() -> BoxedVerdict? {
        switch (consume self).payload {
        case .next: nil
        case let payload: BoxedVerdict(payload)
        }
    }

    /// Lets the head pass, and opens a turn.
    @inlinable public static var next: Self { Self(payload: .next) }

    /// Responds instead of the network and the plugins further in. A nil body means no body, as with 204 or 304.
    public static func respond(_ head: ResponseHead, _ body: Body? = nil) -> Self {
        Self(payload: .respond(head, body))
    }

    /// Responds with the response of a sub-request, head and body.
    public static func respond(with subResponse: SubResponse) -> Self { Self(payload: .respondWith(subResponse)) }

    /// Parks the exchange until the ticket is woken or its deadline has passed; then the hook runs again.
    public static func wait(_ ticket: Ticket) -> Self { Self(payload: .wait(ticket)) }

    /// Parks the exchange while the work runs outside of the loop. The closure that the work returns then decides on
    /// the loop.
    ///
    /// The work is cancelled when the exchange ends or `within` has passed; in the second case the hook runs again with
    /// the visit `deadline`. An error that the work throws is a fault of the plugin.
    public static func wait(within: Duration? = nil, _ work: @escaping Work) -> Self {
        Self(
            payload: .work(within: within) {
                let decide = try await work()
                return { exchange in try decide(exchange).payload }
            })
    }

    /// Ends the exchange with an error. In `onFailure`, it replaces the current failure.
    public static func fail(_ error: PlugboardError) -> Self { Self(payload: .fail(error)) }
}

/// The payload of a verdict of any phase.
@usableFromInline
enum VerdictPayload: Sendable {
    case next
    case respond(ResponseHead, Body?)
    case respondWith(SubResponse)
    case resend(Duration)
    case hold(ByteCount)
    case wait(Ticket)
    case work(within: Duration?, PendingWork.Work)
    case fail(PlugboardError)
}

/// A verdict other than `.next`, as an object: most hooks return `.next`, which then is one word instead of eleven.
@usableFromInline
final class BoxedVerdict {
    let payload: VerdictPayload

    @usableFromInline
    init(_ payload: VerdictPayload) { self.payload = payload }
}

/// The phase of `Plugin.onRequest`.
public enum RequestPhase: HoldingPhase {}
/// The phase of `Plugin.onResponse`.
public enum ResponsePhase: HoldingPhase, ResendingPhase {}
/// The phase of `Plugin.onFailure`.
public enum FailurePhase: ResendingPhase {}

/// Phases that have a body which can be held.
public protocol HoldingPhase {}
/// Phases in which the request can be sent again.
public protocol ResendingPhase {}

/// What `Plugin.onRequest` returns.
public typealias RequestVerdict = Verdict<RequestPhase>
/// What `Plugin.onResponse` returns.
public typealias ResponseVerdict = Verdict<ResponsePhase>
/// What `Plugin.onFailure` returns.
public typealias FailureVerdict = Verdict<FailurePhase>

extension Verdict where Phase: HoldingPhase {
    /// Asks for the whole body: the hook runs again with the visit `held` or `overLimit`.
    public static func hold(upTo limit: ByteCount) -> Self { Self(payload: .hold(limit)) }
}

extension Verdict where Phase: ResendingPhase {
    /// Sends the request again from just inside this plugin, with the edits that this hook made to it.
    public static func resend(after delay: Duration = .zero) -> Self { Self(payload: .resend(delay)) }
}
