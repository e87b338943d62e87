import CPlugboardCurl
import PlugboardTransport

/// The reports that the observer of a watched transfer has received.
struct TransferWatch {
    fileprivate var isConnectionTold = false
    fileprivate var isSentTold = false
    /// When the first byte of the response was seen, after the start.
    fileprivate var firstByte: Duration?
    fileprivate var lastProgress = TransferProgress()
    fileprivate var nextProgress: Int64 = 0
}

extension Transfer {
    /// Nanoseconds between two reports of progress.
    private static var progressInterval: Int64 { 100_000_000 }

    func reportMilestones(_ state: TransferState.Pointer) {
        guard let handle else { return }
        if state.pointee.sendings > 0, !watch.isConnectionTold {
            watch.isConnectionTold = true
            if handle.newConnections > 0 {
                observer.attemptReached(.resolved)
                observer.attemptReached(.connected)
                if url?.isSecure == true { observer.attemptReached(.secured) }
            }
        }
        let hasStarted = state.pointee.head.isFinal || state.pointee.head.hasBegun || !state.pointee.interims.isEmpty
        // Without a body, libcurl writes the whole request right after `prerequest`.
        let isSent = upload == nil ? watch.isConnectionTold : state.pointee.upload.isSent
        if isSent, !watch.isSentTold {
            watch.isSentTold = true
            observer.attemptReached(.sent)
        }
        if hasStarted, watch.firstByte == nil {
            watch.firstByte = .nanoseconds(multi.loop.systemNow - clock.systemBegan)
            // A response may arrive before the whole request is sent; then `sent` is not reported.
            watch.isSentTold = true
            observer.attemptReached(.firstByte)
        }
    }

    var phase: AttemptPhase? {
        guard let state else { return nil }
        if state.pointee.isReceivingPaused { return .waitingForReader }
        if state.pointee.head.isFinal { return .receiving }
        if state.pointee.sendings == 0 {
            let opening = state.pointee.opening
            return opening == .securing && url?.isSecure != true ? .connecting : opening
        }
        return upload == nil || state.pointee.upload.isSent ? .waitingForResponse : .sending
    }

    var timings: Timings {
        guard isTimed, let handle else { return Timings() }
        var timings = Timings(of: handle.easy)
        if isWatched { timings.connection = Timings.Connection(of: handle.easy) }
        // With a request's body, 7.88 tells when it began to send that.
        if upload != nil, let firstByte = watch.firstByte {
            timings.firstByte = max(timings.firstByte, min(firstByte, timings.total))
        }
        return timings
    }

    func reportProgress(_ state: TransferState.Pointer, isLast: Bool) {
        let progress = TransferProgress(
            sent: state.pointee.upload.sent, toSend: upload == nil ? 0 : state.pointee.upload.length,
            received: state.pointee.receivedCount,
            toReceive: isLast
                ? state.pointee.receivedCount : state.pointee.expected.map { $0 + state.pointee.receivedCount })
        if !isLast {
            guard progress.sent != watch.lastProgress.sent || progress.received != watch.lastProgress.received,
                multi.loop.now >= watch.nextProgress
            else { return }
        }
        watch.nextProgress = multi.loop.now + Transfer.progressInterval
        watch.lastProgress = progress
        observer.attemptProgressed(progress)
    }
}

extension Timings {
    /// The times that libcurl has measured. A reused connection needs no time to open.
    init(of easy: UnsafeMutableRawPointer) {
        self.init()
        func microseconds(_ info: CURLINFO) -> Duration {
            var count: Int64 = 0
            ccurl_get_offset(easy, info, &count)
            return .microseconds(count)
        }
        var newConnections = 0
        ccurl_get_long(easy, CURLINFO_NUM_CONNECTS, &newConnections)
        if newConnections > 0 {
            nameLookup = microseconds(CURLINFO_NAMELOOKUP_TIME_T)
            connect = microseconds(CURLINFO_CONNECT_TIME_T)
            tls = microseconds(CURLINFO_APPCONNECT_TIME_T)
        }
        firstByte = microseconds(CURLINFO_STARTTRANSFER_TIME_T)
        total = microseconds(CURLINFO_TOTAL_TIME_T)
    }
}

extension Timings.Connection {
    /// What libcurl tells of the transfer's connection; nil without a connection, and for a Unix domain socket.
    convenience init?(of easy: UnsafeMutableRawPointer) {
        func text(_ info: CURLINFO) -> String { ccurl_get_text(easy, info).map { String(cString: $0) } ?? "" }
        func number(_ info: CURLINFO) -> Int {
            var number = 0
            ccurl_get_long(easy, info, &number)
            return number
        }
        var facts = ConnectionFacts()
        (facts.remote, facts.remotePort) = (text(CURLINFO_PRIMARY_IP), number(CURLINFO_PRIMARY_PORT))
        (facts.local, facts.localPort) = (text(CURLINFO_LOCAL_IP), number(CURLINFO_LOCAL_PORT))
        facts.requestSize = number(CURLINFO_REQUEST_SIZE)
        facts.connectStatus = number(CURLINFO_HTTP_CONNECTCODE)
        // 7.88 tells the path of a Unix domain socket as an address, with the port of the URL.
        let hasAddress = !facts.remote.isEmpty && facts.remotePort > 0 && facts.localPort > 0
        // Newer versions forget the addresses of a connection whose tunnel a proxy refused.
        guard hasAddress || facts.connectStatus > 0 else { return nil }
        facts.verifyResult = number(CURLINFO_SSL_VERIFYRESULT)
        self.init(facts)
    }
}
