import CCurl
import PlugboardKit

/// The times of a transfer that are not libcurl's affair: of the whole attempt, of silence, and of draining.
struct TransferClock {
    let began: Int64
    fileprivate let attemptTimeout: Duration?
    fileprivate let idleTimeout: Duration?
    /// When a callback was last called, or a pause ended.
    var lastActivity: Int64
    fileprivate var drainDeadline: Int64?
    /// Bytes that the system still had to send when it was last looked at.
    fileprivate var unsent: Int32 = 0

    init(began: Int64, _ options: RequestOptions) {
        self.began = began
        attemptTimeout = options.attemptTimeout
        idleTimeout = options.idleTimeout
        lastActivity = began
    }
}

extension Transfer {
    /// Sets the timer for what may come first. Silence is measured when the timer fires, not at every byte.
    func armClock() {
        var deadline = clock.drainDeadline ?? .max
        if let attempt = clock.attemptTimeout { deadline = min(deadline, later(clock.began, attempt)) }
        if let idle = clock.idleTimeout { deadline = min(deadline, later(clock.lastActivity, idle)) }
        if deadline < .max { handle?.setAlarm(at: deadline) }
    }

    /// Gives the rest of a body that nobody wants some time to come.
    func limitDraining() {
        clock.drainDeadline = later(multi.loop.now, multi.settings.drainTime)
        armClock()
    }

    /// What is due is done. The alarm may also be early, or meant for an earlier transfer of the handle.
    func checkClock() {
        let (now, place) = (multi.loop.now, url?.place ?? "")
        if let deadline = clock.drainDeadline, deadline <= now { return end(.abandoned) }
        if let limit = clock.attemptTimeout, later(clock.began, limit) <= now {
            return end(PlugboardError(.attemptTimeout, "The attempt at \(place) took longer than \(limit.configured)."))
        }
        if let limit = clock.idleTimeout, !isSilent(now) || later(clock.lastActivity, limit) <= now {
            if isSilent(now) {
                return end(PlugboardError(.idleTimeout, "\(place) has sent nothing for \(limit.configured)."))
            }
            clock.lastActivity = now
        }
        armClock()
    }

    /// Whether it is the network's fault that nothing happens: not while a reader, a writer or the caller makes us wait,
    /// nor before there is a connection.
    private func isSilent(_ now: Int64) -> Bool {
        guard let handle, let state else { return false }
        if isSuspended || state.pointee.isReceivingPaused || state.pointee.upload.isWaiting { return false }
        var connected: Int64 = 0
        ccurl_get_offset(handle.easy, CURLINFO_PRETRANSFER_TIME_T, &connected)
        if connected == 0 { return false }
        // A large buffer of the system may take long to go out over a slow line.
        let socket = state.pointee.sendingSocket
        let unsent = socket < 0 ? 0 : ccurl_unsent(socket)
        defer { clock.unsent = unsent }
        return unsent <= 0 || unsent == clock.unsent
    }

    private func later(_ time: Int64, _ duration: Duration) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(max(duration.nanoseconds, 0))
        return overflow ? .max : sum
    }
}
