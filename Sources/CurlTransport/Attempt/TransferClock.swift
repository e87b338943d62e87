import CCurl
import Transporting

/// The times of a transfer that are not libcurl's affair: of the whole attempt, of silence, and of draining.
struct TransferClock {
    let began: Int64
    /// By the system's clock, whatever the loop goes by.
    let systemBegan: Int64
    fileprivate let attemptTimeout: Duration?
    fileprivate let idleTimeout: Duration?
    fileprivate let connectTimeout: Duration?
    /// When a callback was last called, or a pause ended.
    var lastActivity: Int64
    fileprivate var drainDeadline: Int64?
    /// When the body goes out though the server has not said that it wants it.
    fileprivate var continueDeadline: Int64?
    /// When an upload that does not go on is given up, because the response is whole, and how far it had come.
    fileprivate var uploadDeadline: Int64?
    fileprivate var uploadProgress = -1
    /// Bytes that the system still had to send when it was last looked at.
    fileprivate var unsent: Int32 = 0

    init(_ loop: EventLoop, _ options: RequestOptions) {
        began = loop.now
        systemBegan = loop.systemNow
        attemptTimeout = options.attemptTimeout
        idleTimeout = options.idleTimeout
        connectTimeout = options.connectTimeout
        lastActivity = loop.now
    }
}

extension Transfer {
    /// Nanoseconds for which a connection must have been silent before that says something about it.
    private static var patience: Int64 { 1_000_000_000 }
    private static var continueTime: Duration { .seconds(1) }
    private static var uploadTime: Duration { .seconds(1) }

    /// Sets the timer for what may come first. Silence is measured when the timer fires, not at every byte.
    func armClock() {
        var deadline = min(clock.drainDeadline ?? .max, clock.continueDeadline ?? .max, clock.uploadDeadline ?? .max)
        if let attempt = clock.attemptTimeout { deadline = min(deadline, later(clock.began, attempt)) }
        if let idle = clock.idleTimeout { deadline = min(deadline, later(clock.lastActivity, idle)) }
        if !isStarted, let connect = clock.connectTimeout { deadline = min(deadline, later(clock.began, connect)) }
        if deadline < .max { handle?.setAlarm(at: deadline) }
    }

    /// Gives the rest of a body that nobody wants some time to come.
    func limitDraining() {
        clock.drainDeadline = later(multi.loop.now, multi.settings.drainTime)
        armClock()
    }

    /// Gives a server some time to say that it wants the request's body (RFC 9110 §10.1.1).
    func limitExpecting() {
        if clock.continueDeadline != nil { return }
        clock.continueDeadline = later(multi.loop.now, Transfer.continueTime)
        armClock()
    }

    /// Gives an upload some time to go on when the response is whole: the server may have all that it wants of it (RFC
    /// 9113 §8.1), and the response is not held back for the rest.
    func limitUpload(_ progress: Int) {
        if progress == clock.uploadProgress { return }
        clock.uploadProgress = progress
        clock.uploadDeadline = later(multi.loop.now, Transfer.uploadTime)
        armClock()
    }

    /// What is due is done. The alarm may also be early, or meant for an earlier transfer of the handle.
    func checkClock() {
        let (now, place) = (multi.loop.now, url?.place ?? "")
        if let deadline = clock.drainDeadline, deadline <= now { return end(.abandoned) }
        if let deadline = clock.uploadDeadline, deadline <= now, !isSuspended { return end(.abandoned) }
        if let deadline = clock.continueDeadline, deadline <= now {
            clock.continueDeadline = .max
            state?.pointee.upload.waitsForContinue = false
            touch()
        }
        if let limit = clock.attemptTimeout, later(clock.began, limit) <= now {
            return end(
                PlugboardError(
                    .attemptTimeout, "The attempt at \(place) took longer than \(limit.configured) (attemptTimeout)."))
        }
        // libcurl measures it once it has the transfer.
        if !isStarted, let limit = clock.connectTimeout, later(clock.began, limit) <= now {
            return end(
                PlugboardError(
                    .connectTimeout, "No connection to \(place) was free within \(limit.configured) (connectTimeout)."))
        }
        // Asked once: each look at what the system still has to send is compared with the one before.
        let isSilent = isSilent()
        if !isSilent { clock.lastActivity = now }
        if let limit = clock.idleTimeout, later(clock.lastActivity, limit) <= now {
            return end(
                PlugboardError(
                    .idleTimeout, "No byte went to or came from \(place) for \(limit.configured) (idleTimeout)."))
        }
        armClock()
    }

    /// Whether it is the network's fault that nothing happens: not while a reader, a writer or the caller makes us wait,
    /// nor before there is a connection.
    private func isSilent() -> Bool {
        guard let state else { return false }
        if isSuspended || state.pointee.isReceivingPaused || state.pointee.upload.isWaiting { return false }
        if state.pointee.sendings == 0 { return false }
        // A large buffer of the system may take long to go out over a slow line.
        let socket = state.pointee.socket
        let unsent = upload == nil || socket < 0 ? 0 : ccurl_unsent(socket)
        defer { clock.unsent = unsent }
        return unsent <= 0 || unsent == clock.unsent
    }

    /// Lets no later request use an HTTP/2 connection that was silent since this attempt began, so that one dead connection
    /// does not fail request after request.
    ///
    /// Other transfers on it may wait for slow responses; then it goes only when it was silent for the idle timeouts of
    /// all.
    func closeSilentConnection() {
        let systemNow = multi.loop.systemNow
        // An early end closes a connection of HTTP/1 by itself.
        guard let state, let place = url?.place, mayMultiplex, !multi.isRetired,
            !multi.gate.speaksHTTP1(place), state.pointee.sendings > 0,
            systemNow - clock.systemBegan >= Transfer.patience
        else { return }
        let poller = multi.loop.poller
        let socket = state.pointee.socket
        guard let lastRead = poller.lastRead(socket), lastRead <= clock.systemBegan else { return }
        let others = multi.transfers(on: socket, besides: self).map { $0.clock.idleTimeout?.nanoseconds ?? 0 }
        if let longest = others.max() {
            if systemNow - lastRead < max(clock.idleTimeout?.nanoseconds ?? .max, longest) { return }
        }
        poller.shutDown(socket)
    }

    private func later(_ time: Int64, _ duration: Duration) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(max(duration.nanoseconds, 0))
        return overflow ? .max : sum
    }
}
