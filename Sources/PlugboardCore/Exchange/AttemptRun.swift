import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop
import PlugboardTransport

/// One attempt in the transport, as the exchange observes it.
///
/// Sendable because everything happens on the loop.
final class AttemptRun: AttemptObserver, @unchecked Sendable {
    private let exchange: ExchangeCore
    let number: Int
    private let body: BodyNode?
    var control: (any Attempt)?
    private var hasCompleted = false
    private(set) var isOver = false
    /// Whether other attempts can use the same connection at the same time.
    var sharesConnection: Bool { hasCompleted && control?.sharesConnection == true }
    private var whenOver: (() -> Void)?

    init(_ exchange: ExchangeCore, _ number: Int) {
        self.exchange = exchange
        self.number = number
        body = exchange.request.body
    }

    func attemptReached(_ milestone: Milestone) {
        guard !isOver else { return }
        switch milestone {
        case .resolved: exchange.emit(.resolved)
        case .connected: exchange.emit(.connected)
        case .secured: exchange.emit(.secured)
        case .sent: exchange.emit(.sent)
        case .firstByte: exchange.emit(.firstByte)
        }
    }

    func attemptReceived(interim: ResponseHead) {
        if isOver { return }
        var interim = interim
        exchange.core.markSecrets(in: &interim.fields)
        exchange.emit(.interim, about: interim)
    }

    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?) {
        guard !isOver, !hasCompleted else { body?.release(); return }
        hasCompleted = true
        var head = head
        exchange.core.markSecrets(in: &head.fields)
        if exchange.place != nil { exchange.home.limits.headReceived(exchange, isShared: sharesConnection) }
        exchange.emit(.headReceived, about: head)
        report(.success(OutwardResponse(head: head, body: body.map { BodyNode($0, home: exchange.home) })))
    }

    func attemptProgressed(_ progress: TransferProgress) {
        if !isOver { exchange.report(progress) }
    }

    func attemptEnded(_ error: PlugboardError?, _ timings: Timings) {
        let error = error ?? (hasCompleted ? nil : AttemptRun.lost)
        close(timings, error?.code)
        guard !hasCompleted, var error else { return }
        hasCompleted = true
        error.attempt = number
        report(.failure(error))
    }

    private static let lost = PlugboardError(.transportReset, "The connection ended before a response came.")

    /// Called when the attempt is no longer needed. Without a response it is cancelled; a body is drained on release.
    func giveUp() {
        if isOver { return hasCompleted = true }
        // A transfer that is drained would still send a body that the next attempt needs.
        let isUnwanted = !hasCompleted || body?.hasEnded == false
        // A response that is only not read on is no error.
        let code = exchange.failure?.code ?? (hasCompleted ? nil : .cancelled)
        hasCompleted = true
        let timings = control?.timings ?? Timings()
        if isUnwanted { control?.cancel() }
        close(timings, code)
    }

    /// Runs a job when the attempt is over; now, if it is already over.
    func afterEnd(_ job: @escaping () -> Void) {
        if isOver { job() } else { whenOver = job }
    }

    /// The event `attemptEnded` comes once, with the timings if they are known by then.
    private func close(_ timings: Timings, _ code: PlugboardError.Code?) {
        guard !isOver else { return }
        isOver = true
        control = nil
        exchange.home.limits.attemptEnded(exchange, isFromOutside: exchange.steering.phase == .ended)
        exchange.emit(ended: EventFacts.EndedAttempt(timings: timings, number: number, code: code))
        let job = whenOver
        whenOver = nil
        job?()
    }

    private func report(_ outcome: consuming Result<OutwardResponse, PlugboardError>) {
        // A transport that reports within `perform` would find the exchange in the middle of it.
        guard control != nil || isOver else { return arriveLater(outcome) }
        arrive(outcome)
    }

    private func arriveLater(_ outcome: Result<OutwardResponse, PlugboardError>) {
        exchange.loop.enqueue { self.arrive(outcome) }
    }

    private func arrive(_ outcome: consuming Result<OutwardResponse, PlugboardError>) {
        if exchange.isSuspended { return arriveAfterSuspension(outcome) }
        let isWanted = exchange.attempts.current === self && exchange.steering.phase == .awaiting
        switch consume outcome {
        case .success(let response):
            guard isWanted else { response.body?.release(); return }
            exchange.steering.phase = .deciding
            exchange.turnAround(with: response)
        case .failure(var error):
            guard isWanted, !exchange.repeatAttempt(after: &error) else { return }
            exchange.steering.phase = .deciding
            exchange.turnAround(failing: error)
        }
    }

    private func arriveAfterSuspension(_ outcome: Result<OutwardResponse, PlugboardError>) {
        exchange.suspension.afterwards { self.arrive(outcome) }
    }
}
