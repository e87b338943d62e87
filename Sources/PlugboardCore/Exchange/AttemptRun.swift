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
        let lost = PlugboardError(.transportReset, "The connection ended before a response came.")
        let error = error ?? (hasCompleted ? nil : lost)
        close(timings, error?.code)
        guard !hasCompleted, var error else { return }
        hasCompleted = true
        error.attempt = number
        report(.failure(error))
    }

    /// Called when the attempt is no longer needed. Without a response it is cancelled; a body is drained on release.
    func giveUp() {
        // A transfer that is drained would still send a body that the next attempt needs.
        let isUnwanted = !hasCompleted || body?.hasEnded == false
        // A response that is only not read on is no error.
        let code = exchange.failure?.code ?? (hasCompleted ? nil : .cancelled)
        hasCompleted = true
        if !isOver && isUnwanted { control?.cancel() }
        close(Timings(), code)
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

/// Carrying out attempts.
extension ExchangeCore: ConnectionUser {
    /// An exchange that waits for its sub-request keeps its connection.
    var mayWait: Bool { family.depth == 0 }
    var isAboutToEnd: Bool { isCancelWanted || isOverdue }

    var attemptUnderWay: (url: String, sharesConnection: Bool)? {
        guard let run = attempts.current, !run.isOver, let url = attempts.sentURL else { return nil }
        return (url, run.sharesConnection)
    }

    /// Called when the request has passed all plugins.
    func beginAttempt() {
        steering.phase = .awaiting
        attempts.beginSeries()
        awaitConnection()
    }

    private func awaitConnection() {
        attempts.asked = loop.now
        home.limits.admit(self, to: request.head.url, among: { home.underWay.all })
    }

    /// Called when there is a connection for the attempt.
    func beginOnFreeConnection() {
        guard steering.phase == .awaiting else { return home.limits.attemptEnded(self) }
        if isSuspended {
            suspension.afterwards { [self] in if steering.phase == .awaiting { awaitConnection() } }
            return home.limits.attemptEnded(self)
        }
        // The time is that of the turn, so that an attempt that began at once has waited for zero.
        let waited = loop.now - attempts.asked
        if waited > 0 { ConnectionMetrics.countWait(waited, on: home) }
        attempts.begin(request.head.url)
        emit(.attemptBegan, .attempt)
        let run = AttemptRun(self, attempts.count)
        attempts.current = run
        // Copies single parts, because a copy of the whole head costs more.
        let (options, identity) = core.options(request.head.storedOptions, for: request.head.url, on: home)
        let control = home.transport.perform(
            .sharing(
                options, method: request.head.method, url: request.head.url, fields: request.head.fields,
                body: request.body, optionsIdentity: identity, isWatched: isWatchedClosely,
                isTimed: wanted.contains(.attemptEnded) || !pipeline.watchers.listeners(.attemptEnded).slots.isEmpty,
                usesFreshConnection: attempts.needsFreshConnection),
            observer: run, loop: loop)
        if attempts.current === run && !run.isOver { run.control = control }
    }

    /// Sends the request again without asking a plugin, on a new connection. False if it must not be sent again; the
    /// error then also says whether that is because of its body.
    fileprivate func repeatAttempt(after error: inout PlugboardError) -> Bool {
        let isIdempotent = request.head.method.isIdempotent
        guard attempts.mayRepeat(after: error.code, isIdempotent: isIdempotent, limit: core.settings.attemptLimit)
        else { return false }
        if let body = request.body, body.hasBegun, !body.beginAgain() {
            error.reason +=
                " It was not repeated, because a part of its body was read and the body cannot be read again. Send the "
                + "body as bytes or as a file."
            return false
        }
        attempts.countRepeat()
        awaitConnection()
        return true
    }

    /// Runs a job when no attempt is under way any more, so that the attempt's last event comes before the exchange's.
    func afterAttempt(_ job: @escaping () -> Void) {
        guard let attempt = attempts.current else { return job() }
        attempt.afterEnd { [self] in
            if steering.phase == .flowing { job() }
        }
    }

    /// The exchange no longer needs its attempt.
    func endAttempt() {
        attempts.current?.giveUp()
        attempts.current = nil
    }
}
