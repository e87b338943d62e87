import CPlugboardCurl
import PlugboardTransport

/// The deadlines of a transfer that libcurl does not measure: whole attempt, silence (no byte), draining, uploading.
struct TransferClock {
    let began: Int64
    /// The start by the system's clock, even if the loop has a manual clock.
    let systemBegan: Int64
    let stored: StoredOptions
    /// When a callback was last called, or a pause ended.
    var lastActivity: Int64
    /// When a callback was last called, by the system's clock.
    var lastSettled: Int64
    fileprivate var drainDeadline: Int64?
    /// When the body is sent even without a 100 (Continue) from the server.
    fileprivate var continueDeadline: Int64?
    /// When an upload without progress is abandoned after the whole response, and its progress so far.
    fileprivate var uploadDeadline: Int64?
    fileprivate var uploadProgress = -1
    fileprivate var unsentUpload: Int32 = -1
    /// How long a running upload may show no progress: libcurl takes up to 64 KiB at a time.
    fileprivate var uploadTime: Duration {
        let speed = stored.options.speed.upload?.bytes ?? 0
        return speed > 0 ? .seconds(1) + .milliseconds(65_536_000 / speed) : .seconds(1)
    }
    /// The bytes in the system's send buffer when they were last counted.
    fileprivate var unsent: Int32 = 0
    /// The bytes that an HTTP/2 connection had received when they were last counted; nil before.
    fileprivate var receivedBytes: Int64?

    init(_ loop: EventLoop, _ stored: StoredOptions) {
        began = loop.now
        systemBegan = loop.systemNow
        self.stored = stored
        lastActivity = loop.now
        lastSettled = loop.systemNow
    }
}

extension Transfer {
    /// Nanoseconds without a byte after which a connection may be dead.
    private static var patience: Int64 { 1_000_000_000 }
    private static var continueTime: Duration { .seconds(1) }

    /// Sets the timer for the first deadline. Time without a byte is measured when the timer fires, not at each byte.
    func armClock() {
        var deadline = min(clock.drainDeadline ?? .max, clock.continueDeadline ?? .max, clock.uploadDeadline ?? .max)
        deadline = min(deadline, later(clock.began, clock.stored.attemptTimeout))
        deadline = min(deadline, later(clock.lastActivity, clock.stored.idleTimeout))
        if !isStarted { deadline = min(deadline, later(clock.began, clock.stored.connectTimeout)) }
        if deadline < .max { handle?.setAlarm(at: deadline) }
    }

    /// Limits the time in which the rest of a released body is read.
    func limitDraining() {
        clock.drainDeadline = later(multi.loop.now, multi.settings.drainTime)
        armClock()
    }

    /// Limits the time in which the server may respond with 100 (Continue) before the body is sent (RFC 9110 §10.1.1).
    func limitExpecting() {
        if clock.continueDeadline != nil { return }
        clock.continueDeadline = later(multi.loop.now, Transfer.continueTime)
        armClock()
    }

    /// Limits the time for an upload to progress after the response is complete: the server may not need the rest (RFC
    /// 9113 §8.1), and the response must not wait for it.
    func limitUpload(_ progress: Int) {
        if progress == clock.uploadProgress { return }
        clock.uploadProgress = progress
        clock.uploadDeadline = later(multi.loop.now, clock.uploadTime)
        armClock()
    }

    /// Ends the attempt if a deadline has passed. The alarm may be early, or set for an earlier transfer of the handle.
    func checkClock() {
        let (now, hostAndPort) = (multi.loop.now, url?.hostAndPort ?? "")
        if let deadline = clock.drainDeadline, deadline <= now { return end(.abandoned) }
        if let deadline = clock.uploadDeadline, deadline <= now {
            if !isSuspended, state?.pointee.isResponseWhole == true, !isSendBufferMoving() { return end(.abandoned) }
            clock.uploadDeadline = later(now, clock.uploadTime)
        }
        if let deadline = clock.continueDeadline, deadline <= now {
            clock.continueDeadline = .max
            state?.pointee.upload.waitsForContinue = false
            touch()
        }
        if let limit = clock.stored.options.attemptTimeout, later(clock.began, limit) <= now {
            return end(
                PlugboardError(
                    .timeoutAttempt,
                    "The attempt at \(hostAndPort) took longer than \(DurationText(limit)) (attemptTimeout)\(activity)."
                ))
        }
        // After the start, libcurl measures the connect timeout.
        if !isStarted, let limit = clock.stored.options.connectTimeout, later(clock.began, limit) <= now {
            return end(
                PlugboardError(
                    .timeoutConnect,
                    "No connection to \(hostAndPort) was free within \(DurationText(limit)) (connectTimeout)."))
        }
        // Called once, because each call compares the system's send buffer with the previous call.
        let isSilent = isSilent()
        if !isSilent {
            clock.lastActivity = now
        } else if let elapsed = timeSinceBytes() {
            clock.lastActivity = max(clock.lastActivity, now - elapsed)
        }
        if let limit = clock.stored.options.idleTimeout, later(clock.lastActivity, limit) <= now {
            return end(
                PlugboardError(
                    .timeoutIdle,
                    "No byte went to or came from \(hostAndPort) for \(DurationText(limit)) (idleTimeout)\(activity)."))
        }
        armClock()
    }

    /// What the attempt did, as the end of a sentence about a timeout.
    var activity: String { phase.map { ": \($0.clause)" } ?? "" }

    /// Whether the system is still sending upload bytes that libcurl gave it.
    private func isSendBufferMoving() -> Bool {
        guard let socket = state?.pointee.socket, socket >= 0 else { return false }
        let unsent = ccurl_unsent(socket)
        defer { clock.unsentUpload = unsent }
        return unsent > 0 && unsent != clock.unsentUpload
    }

    /// Whether the attempt waits for the network: not for a reader, a writer or the caller, and not for a connection.
    private func isSilent() -> Bool {
        guard let state else { return false }
        if isSuspended || state.pointee.isReceivingPaused || state.pointee.upload.isWaiting { return false }
        if state.pointee.sendings == 0 { return false }
        // The system's send buffer may take long to empty over a slow line.
        let socket = state.pointee.socket
        let unsent = upload == nil || socket < 0 ? 0 : ccurl_unsent(socket)
        defer { clock.unsent = unsent }
        return unsent <= 0 || unsent == clock.unsent
    }

    /// The time since the last bytes for which libcurl has not called back yet, or nil if there are none.
    /// libcurl calls back for a whole line, TLS record or frame, which a slow network delivers in pieces.
    private func timeSinceBytes() -> Int64? {
        guard let state, state.pointee.sendings > 0, let lastRead = multi.loop.poller.lastRead(state.pointee.socket),
            lastRead > clock.lastSettled
        else { return nil }
        if mayMultiplex, !multi.gate.speaksHTTP1(destination) {
            let socket = state.pointee.socket
            let received = ccurl_received(socket)
            defer { clock.receivedBytes = received }
            // The bytes may belong to another transfer, and small frames such as PING are not part of a response.
            let others = multi.transfers(on: socket, besides: self)
            guard others.allSatisfy({ $0.clock.lastActivity <= clock.lastActivity }) else { return nil }
            if let before = clock.receivedBytes, received - before <= Transfer.smallFrames { return nil }
        }
        return max(multi.loop.systemNow - lastRead, 0)
    }

    /// The most bytes of frames without content that a server sends in one idle timeout.
    private static var smallFrames: Int64 { 256 }

    /// Closes an HTTP/2 connection on which nothing was received since this attempt began, so that one dead connection
    /// does not fail request after request.
    ///
    /// Other transfers on it may wait for slow responses; then it is closed only after the idle timeouts of all.
    func closeSilentConnection() {
        let systemNow = multi.loop.systemNow
        // libcurl closes an HTTP/1 connection whose transfer ends early.
        guard let state, mayMultiplex, !multi.isRetired,
            !multi.gate.speaksHTTP1(destination), state.pointee.sendings > 0,
            systemNow - clock.systemBegan >= Transfer.patience
        else { return }
        let poller = multi.loop.poller
        let socket = state.pointee.socket
        guard let lastRead = poller.lastRead(socket), lastRead <= clock.systemBegan else { return }
        let others = multi.transfers(on: socket, besides: self).map(\.clock.stored.idleTimeout)
        if let longest = others.max() {
            if systemNow - lastRead < max(clock.stored.idleTimeout, longest) { return }
        }
        poller.shutDown(socket)
    }

    private func later(_ time: Int64, _ duration: Duration) -> Int64 { later(time, max(duration.nanoseconds, 0)) }

    private func later(_ time: Int64, _ nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }
}
