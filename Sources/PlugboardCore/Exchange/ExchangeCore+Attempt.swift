import EventLoop
import PlugboardKit
import Transporting

/// One trip through the transport, as the exchange follows it.
///
/// Sendable because everything happens on the loop.
final class AttemptRun: AttemptObserver, @unchecked Sendable {
    private let exchange: ExchangeCore
    let number: Int
    private let body: BodyNode?
    var control: (any Attempt)?
    private var hasCompleted = false
    private(set) var isOver = false
    private var whenOver: (() -> Void)?

    init(_ exchange: ExchangeCore, _ number: Int) {
        self.exchange = exchange
        self.number = number
        body = exchange.requestBody
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
        if !isOver { exchange.emit(.interim, about: interim) }
    }

    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?) {
        guard !isOver, !hasCompleted else { body?.release(); return }
        hasCompleted = true
        exchange.emit(.headReceived, about: head)
        let answer = OutwardResponse(head: head, body: body.map { BodyNode($0, core: exchange.core) })
        report(.success(answer))
    }

    func attemptProgressed(_ progress: TransferProgress) {
        guard !isOver else { return }
        exchange.emit(.progress) {
            var details: [(String, EventDetail)] = [
                ("sent", .integer(Int64(progress.sent))), ("received", .integer(Int64(progress.received))),
            ]
            if let total = progress.toSend { details.append(("toSend", .integer(Int64(total)))) }
            if let total = progress.toReceive { details.append(("toReceive", .integer(Int64(total)))) }
            return details
        }
    }

    func attemptEnded(_ error: PlugboardError?, _ timings: Timings) {
        close(timings)
        guard !hasCompleted else { return }
        hasCompleted = true
        var error = error ?? PlugboardError(.reset, "The connection ended before an answer came.")
        error.attempt = number
        report(.failure(error))
    }

    /// The exchange needs the attempt no more. One that has not answered is cut off; a body is drained by its release.
    func giveUp() {
        // A transfer that drains would go on with a body that the next attempt wants.
        let isUnwanted = !hasCompleted || body?.hasEnded == false
        hasCompleted = true
        if !isOver && isUnwanted { control?.cancel() }
        close(Timings())
    }

    /// Runs a job when the attempt is over: at once, if it is.
    func afterEnd(_ job: @escaping () -> Void) {
        if isOver { job() } else { whenOver = job }
    }

    /// The event comes once, with the timings if they are known by then.
    private func close(_ timings: Timings) {
        guard !isOver else { return }
        isOver = true
        control = nil
        exchange.core.admission.attemptEnded(isFromOutside: exchange.phase == .ended)
        exchange.emit(.attemptEnded) {
            [
                ("attempt", .integer(Int64(self.number))),
                ("nameLookup", .integer(timings.nameLookup.nanoseconds)),
                ("connect", .integer(timings.connect.nanoseconds)), ("tls", .integer(timings.tls.nanoseconds)),
                ("firstByte", .integer(timings.firstByte.nanoseconds)), ("total", .integer(timings.total.nanoseconds)),
            ]
        }
        let job = whenOver
        whenOver = nil
        job?()
    }

    private func report(_ outcome: Result<OutwardResponse, PlugboardError>) {
        // A transport that answers within `perform` would find the exchange half way.
        guard control != nil || isOver else {
            exchange.loop.enqueue { self.arrive(outcome) }
            return
        }
        arrive(outcome)
    }

    private func arrive(_ outcome: Result<OutwardResponse, PlugboardError>) {
        if exchange.isSuspended { return exchange.whenResumed.append { self.arrive(outcome) } }
        guard exchange.attempt === self, exchange.phase == .awaiting else {
            if case .success(let answer) = outcome { answer.body?.release() }
            return
        }
        if case .failure(let error) = outcome, exchange.repeats(after: error) { return }
        exchange.phase = .steering
        exchange.answered(outcome)
    }
}

extension ExchangeCore {
    /// How often in a row a request is sent again without asking a plugin.
    private static let repeatLimit = 3

    func beginAttempt() {
        phase = .awaiting
        repeats = 0
        core.admission.admit(self)
    }

    /// The attempt's turn has come.
    func performAttempt() {
        guard phase == .awaiting else { return core.admission.attemptEnded() }
        if isSuspended {
            whenResumed.append { [self] in if phase == .awaiting { core.admission.admit(self) } }
            return core.admission.attemptEnded()
        }
        attempts += 1
        sentURL = request.url
        emit(.attemptBegan) {
            [("attempt", .integer(Int64(self.attempts))), ("reason", .text(self.attemptReason))]
        }
        let run = AttemptRun(self, attempts)
        attempt = run
        let (options, identity) = core.options(request.storedOptions, for: request.url)
        var wanted = AttemptRequest(
            method: request.method, url: request.url, fields: request.fields, body: requestBody,
            storedOptions: options, optionsIdentity: identity, isWatched: isWatchedClosely)
        wanted.usesFreshConnection = repeats > 0
        let control = core.transport.perform(wanted, observer: run, loop: loop)
        if attempt === run && !run.isOver { run.control = control }
    }

    private var attemptReason: String { repeats > 0 ? "repeat" : attempts == 1 ? "first" : "resend" }

    /// Sends the request again, on a new connection, if that cannot do anything twice: the server has not acted on it, or
    /// it is idempotent and met a connection that was just being closed (RFC 9110 §9.2.2, RFC 9113 §8.7). False if it may not be.
    fileprivate func repeats(after error: PlugboardError) -> Bool {
        guard error.code == .unprocessed || error.code == .stale && request.method.isIdempotent,
            repeats < ExchangeCore.repeatLimit, attempts < core.settings.attemptLimit
        else { return false }
        if let body = requestBody, body.hasBegun, !body.canRewind || !body.rewind() { return false }
        repeats += 1
        core.admission.admit(self)
        return true
    }

    /// Runs a job when no attempt is under way any more, so that its event comes before the exchange's.
    func afterAttempt(_ job: @escaping () -> Void) {
        guard let attempt else { return job() }
        attempt.afterEnd { [self] in
            if phase == .flowing { job() }
        }
    }

    func endAttempt() {
        attempt?.giveUp()
        attempt = nil
    }

    private var isWatchedClosely: Bool { watch != nil || pipeline.watchers.isWatchedClosely }
}
