/// What a hook decides. A verdict carries its payload, so "I answered" and "go on" cannot both be said.
///
/// The phase says what is allowed: a request can be held but not resent, a failure resent but not held.
public struct Verdict<Phase>: Sendable {
    /// Work off the loop that ends in a decision on it.
    public typealias Work = @Sendable () async throws -> Decision
    public typealias Decision = @Sendable (borrowing Exchange) throws -> Verdict<Phase>

    @usableFromInline let payload: VerdictPayload

    init(payload: VerdictPayload) { self.payload = payload }

    /// Lets the head pass, and opens a turn.
    public static var next: Self { Self(payload: .next) }

    /// Answers in place of what lies further in. Nil is no body, as with 204 or 304.
    public static func respond(_ head: ResponseHead, _ body: Body? = nil) -> Self {
        Self(payload: .respond(head, body))
    }

    /// Answers with the answer of a sub-request, head and body. One that failed fails the exchange.
    public static func respond(with answer: SubResponse) -> Self { Self(payload: .respondWith(answer)) }

    /// Parks the exchange until the ticket is woken or its deadline has come; then the hook runs again.
    public static func wait(_ ticket: Ticket) -> Self { Self(payload: .wait(ticket)) }

    /// Parks the exchange while the work runs off the loop. The closure that the work returns then decides on the loop.
    ///
    /// The work is cancelled when the exchange ends or `within` has passed; after that the hook runs again, told `deadline`. An
    /// error that it throws is a fault of the plugin.
    public static func wait(within: Duration? = nil, _ work: @escaping Work) -> Self {
        Self(
            payload: .work(within: within) {
                let decide = try await work()
                return { exchange in try decide(exchange).payload }
            })
    }

    /// Ends the exchange, or the failure so far, with an error.
    public static func fail(_ error: PlugboardError) -> Self { Self(payload: .fail(error)) }
}

/// What a verdict says, whatever its phase.
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

public enum RequestPhase: HoldingPhase {}
public enum ResponsePhase: HoldingPhase, ResendingPhase {}
public enum FailurePhase: ResendingPhase {}

/// Phases that have a body which can be held.
public protocol HoldingPhase {}
/// Phases in which the request can be sent again.
public protocol ResendingPhase {}

public typealias RequestVerdict = Verdict<RequestPhase>
public typealias ResponseVerdict = Verdict<ResponsePhase>
public typealias FailureVerdict = Verdict<FailurePhase>

extension Verdict where Phase: HoldingPhase {
    /// Asks for the whole body: the hook runs again with it, or is told `overLimit`.
    public static func hold(upTo limit: ByteCount) -> Self { Self(payload: .hold(limit)) }
}

extension Verdict where Phase: ResendingPhase {
    /// Sends the request again from just inside this plugin, with the edits that this hook made to it.
    public static func resend(after delay: Duration = .zero) -> Self { Self(payload: .resend(delay)) }
}

/// Why a hook runs: the first time, or again.
public enum Visit: UInt32, Sendable { case first, woken, deadline, held, overLimit }

/// How a turn closed.
public enum Outcome: UInt32, Sendable { case ended, replaced, resent, failed, cancelled }
