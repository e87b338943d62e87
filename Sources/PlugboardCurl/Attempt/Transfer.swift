import CPlugboardCurl
import PlugboardTransport

/// One attempt with libcurl.
///
/// Callbacks only note events in `TransferState`; `settle` reports them, once in a turn, when libcurl is not on the
/// stack. So an observer may call any function in a report, and gets everything that was received in one turn together.
///
/// Sendable because it is used on the loop's thread only.
final class Transfer: Attempt, @unchecked Sendable {
    let multi: MultiHandle
    let observer: any AttemptObserver
    let isWatched: Bool
    let isTimed: Bool
    let isHead: Bool
    /// The index among the transfers of its multi handle.
    var index = 0
    /// Nil before the attempt started and after it ended.
    private(set) var handle: EasyHandle?
    let url: URLHandle?
    /// The path of the Unix domain socket that the attempt uses instead of TCP.
    let unixSocket: String?
    /// Whether the speed of the download is limited.
    let isDownloadLimited: Bool
    /// Host and port, and the Unix domain socket: attempts with the same destination may share connections.
    let destination: String
    private(set) var upload: (any BodySource)?
    var isUploadPulled = false
    var uploadSerial: UInt64 = 0
    private(set) var body: ResponseBody?
    private(set) var isHeadReported = false
    /// Whether libcurl performs the attempt. Before that, it waits for connections that other attempts are opening.
    var isStarted = false
    /// Whether it may share a connection with others.
    let mayMultiplex: Bool
    var gateStage = ConnectionGate.Stage.free
    private var result: CURLcode?
    /// Why the attempt ends, if libcurl's result is not the reason.
    private(set) var ending: Ending?
    private(set) var isSuspended = false
    var watch = TransferWatch()
    var clock: TransferClock

    enum Ending {
        case failed(PlugboardError)
        /// The rest of the response's body, or of the request's body, is not needed.
        case abandoned
    }

    init(
        multi: MultiHandle, attempt: borrowing AttemptRequest, url: URLHandle?, handle: EasyHandle?,
        observer: any AttemptObserver
    ) {
        isWatched = attempt.isWatched
        isTimed = attempt.isTimed
        isHead = attempt.method == .head
        upload = attempt.body
        mayMultiplex = handle?.mayMultiplex ?? false
        let stored = attempt.storedOptions
        unixSocket = stored.options.unixSocket
        isDownloadLimited = stored.options.speed.download?.bytes ?? 0 > 0
        let hostAndPort = url?.hostAndPort ?? ""
        destination = unixSocket.map { "\(hostAndPort) \($0)" } ?? hostAndPort
        clock = TransferClock(multi.loop, stored)
        // Last, because a value is moved only at its last use.
        self.multi = multi
        self.observer = observer
        self.url = url
        self.handle = handle
    }

    /// The state that the callbacks use; nil without a handle.
    var state: TransferState.Pointer? { handle?.state }

    // MARK: - Called by the kernel

    var sharesConnection: Bool {
        let version = state?.pointee.head.version
        return version == .http2 || version == .http3
    }

    func cancel() { end(PlugboardError(.cancelled, "The attempt was cancelled.")) }

    func suspend() {
        isSuspended = true
        touch()
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        clock.lastActivity = multi.loop.now
        touch()
    }

    // MARK: - The end

    /// Notes that libcurl has ended the transfer with this result.
    func complete(_ code: CURLcode) { result = code }

    /// Ends the attempt in this turn, independently of libcurl. The first reason counts.
    func end(_ error: PlugboardError) { end(.failed(error)) }

    func end(_ ending: Ending) {
        if self.ending == nil { self.ending = ending }
        touch()
    }

    /// Makes sure that `settle` is called in this turn or in the next, which follows at once.
    func touch() { if let state { multi.touched.pointee.add(state) } }

    // MARK: - Settling

    func settle() {
        guard let state else { return }
        clock.lastActivity = multi.loop.now
        clock.lastSettled = multi.loop.systemNow
        if gateStage != .free { tellGate(state) }
        if ending != nil { return finish(state) }
        if isSuspended { return applyPauses(state) }
        report(state)
        // The observer may have ended or suspended the attempt.
        if ending != nil { return finish(state) }
        if isSuspended { return applyPauses(state) }
        body?.settle()
        if result != nil || ending != nil || state.pointee.failure != nil { return finish(state) }
        pullUpload(state)
        if upload != nil { watchUpload(state) }
        applyPauses(state)
    }

    /// Tells the gate about the connection, even while the attempt is suspended, because other attempts wait for it.
    private func tellGate(_ state: TransferState.Pointer) {
        if state.pointee.sendings > 0 { multi.gate.noteConnection(of: self) }
        if state.pointee.head.isFinal, state.pointee.head.version != .http2 { multi.gate.noteHTTP1(of: self) }
    }

    private func report(_ state: TransferState.Pointer) {
        if isWatched { reportMilestones(state) }
        if !state.pointee.interims.isEmpty {
            let interims = state.pointee.interims
            state.pointee.interims = []
            for interim in interims where ending == nil { observer.attemptReceived(interim: interim) }
        }
        if state.pointee.head.isFinal, !isHeadReported, ending == nil, !isSuspended { reportHead(state) }
        if isWatched, ending == nil { reportProgress(state, isLast: false) }
    }

    private func reportHead(_ state: TransferState.Pointer) {
        isHeadReported = true
        let head = state.pointee.head.takeHead()
        if !isHead, head.status != 204, head.status != 304 {
            let length = state.pointee.head.hasTransferEncoding ? nil : state.pointee.head.contentLength
            body = ResponseBody(transfer: self, length: length, loop: multi.loop)
        }
        observer.attemptReceived(head, body: body)
    }

    private func finish(_ state: TransferState.Pointer) {
        guard let handle else { return }
        if result != CURLE_OK { state.pointee.readLoggedTrailers() }
        let error = failure(state)
        multi.wireLog?.tellCertificates(of: handle.easy)
        let timings = timings
        if isWatched, error == nil { reportProgress(state, isLast: true) }
        let isClean = ending == nil && result == CURLE_OK && state.pointee.sendings == 1
        if result == nil {
            if !multi.abilities.freesHeldBytes { handle.dropHeldBytes() }
            closeSilentConnection()
        }
        multi.stop(self, handle, isComplete: result != nil)
        // The body's end may end the exchange; the attempt's end with its timings must be reported before.
        if isHeadReported { observer.attemptEnded(error, timings) }
        body?.finish(error, &state.pointee)
        body = nil
        uploadSerial += 1
        // Breaks a reference cycle: the source may hold a pull, which holds this transfer.
        upload = nil
        self.handle = nil
        multi.dismiss(self, handle: handle, isClean: isClean)
        if !isHeadReported { observer.attemptEnded(error, timings) }
    }

    private func failure(_ state: TransferState.Pointer) -> PlugboardError? {
        let isWhole = isHeadReported && (isHead || state.pointee.isResponseWhole)
        switch ending {
        case .failed(let error):
            // The response is complete: only the rest of the request took too long.
            return isWhole && [.timeoutAttempt, .timeoutIdle].contains(error.code) ? nil : error
        case .abandoned: return nil
        case nil: break
        }
        if var error = state.pointee.failure {
            if let url { error.reason += " It was sent by \(url.hostAndPort)." }
            if let result, result != CURLE_OK { error.transportResult = Int(result.rawValue) }
            return error
        }
        if result == CURLE_OK, let session = state.pointee.takeAwaitedEnd(), !TLSLibrary.takeEnd(session) {
            return PlugboardError(
                .bodyCut,
                "The body of the response from \(url?.hostAndPort ?? "") ended with its TLS connection, but without "
                    + "close_notify, so that it may have been cut (RFC 9112 §9.8). For a server that never sends it, set "
                    + "kernel.tls.closeNotify to false in the configuration.")
        }
        // A server may end the connection or the stream after the whole response (RFC 9112 §9.6, RFC 9113 §8.1).
        guard let result, result != CURLE_OK, !isWhole, let handle else { return nil }
        if state.pointee.isCrossed {
            return PlugboardError(
                .transportUnprocessed,
                "A connection to \(url?.hostAndPort ?? "") was in use. The request was not sent.")
        }
        if state.pointee.sendings > 0 {
            switch SecondSending(result, state, handle, isHeadReported: isHeadReported) {
            case .notWanted: break
            case .failed(let code, let reason):
                // Only a downgrade counts: a server that refuses a stream still speaks HTTP/2.
                if let url, state.pointee.streamLog.isDowngraded { multi.noteRefusal(by: url.hostAndPort) }
                return PlugboardError(code, "\(url?.hostAndPort ?? "") \(reason)")
            }
        }
        var tunnelStatus = 0
        ccurl_get_long(handle.easy, CURLINFO_HTTP_CONNECTCODE, &tunnelStatus)
        // libcurl reports a proxy that refuses a tunnel as a lost connection.
        let code = tunnelStatus == 0 || 200..<300 ~= tunnelStatus ? result : CURLE_PROXY
        if let unixSocket, code == CURLE_COULDNT_CONNECT, state.pointee.socketError == 0 {
            return PlugboardError(unixSocket: unixSocket, hostAndPort: url?.hostAndPort ?? "", of: handle.easy)
        }
        // The TLS that failed is the proxy's, unless the proxy has opened a tunnel to the origin.
        let isOfProxy =
            [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR].contains(code) && tunnelStatus == 0
            && !handle.isBypassing && clock.stored.options.hasSecureProxy(isTLS: url?.isSecure == true)
        var error = PlugboardError(
            curl: code, message: handle.errorMessage,
            hostAndPort: (isOfProxy ? "the proxy for " : "") + (url?.hostAndPort ?? ""), isHeadThere: isHeadReported,
            isUnsent: state.pointee.sendings == 0, isHeadSent: handle.hasSentHead,
            isHTTP2: state.pointee.isHTTP2, socketError: state.pointee.socketError, activity: activity)
        error.transportResult = Int(result.rawValue)
        if handle.isDowngraded, [.transportTLS, .transportProtocol, .transportReset].contains(error.code) {
            error.reason += " \(multi.abilities.reasonForHTTP1)"
        }
        return error
    }

    // MARK: - Pausing

    /// Lets libcurl read the request's body again after it was told to wait.
    func sendOn(_ state: TransferState.Pointer) {
        guard state.pointee.upload.isWaiting else { return }
        state.pointee.upload.isWaiting = false
        state.pointee.pausedParts |= CURLPAUSE_SEND
    }

    private func applyPauses(_ state: TransferState.Pointer) {
        guard let handle, isStarted, result == nil else { return }
        if state.pointee.received.count <= multi.settings.bodyQueueLimit.bytes / 2 {
            state.pointee.isReceivingPaused = false
        }
        var parts = CURLPAUSE_CONT
        // Receiving is not paused before the head is complete: libcurl joins head lines that arrive during a pause.
        let isHeld = state.pointee.isReceivingPaused || isSuspended
        if isHeld, state.pointee.head.isFinal { parts |= CURLPAUSE_RECV }
        if state.pointee.upload.isWaiting || isSuspended { parts |= CURLPAUSE_SEND }
        if parts == state.pointee.pausedParts { return }
        state.pointee.pausedParts = parts
        curl_easy_pause(handle.easy, parts)
    }
}
