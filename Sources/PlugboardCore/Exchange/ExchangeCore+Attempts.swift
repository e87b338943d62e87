import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop
import PlugboardTransport

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
    func repeatAttempt(after error: inout PlugboardError) -> Bool {
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
