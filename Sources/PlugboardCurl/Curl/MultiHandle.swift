import CPlugboardCurl
import PlugboardTransport

/// libcurl's multi handle on a loop: its connections, resolved names and TLS sessions, and the transfers that use them.
///
/// Used on the loop's thread only.
final class MultiHandle: LoopParticipant {
    /// How many times transfers settle in a turn before the loop looks at sockets again.
    private static let settleLimit = 8
    /// The most handles that are kept for later transfers, about 13 KB each.
    private static let idleHandleLimit = 256
    /// Nanoseconds. A server that closes an idle connection earlier does so abruptly, because keep-alive timeouts are
    /// counted in seconds.
    private static let haste: Int64 = 200_000_000
    /// How many transfers are aborted in one turn: libcurl compares the connection of each with all others.
    private static let stopLimit = 32
    /// Nanoseconds for which watching for writing is suspended.
    private static let writingPause: Int64 = 10_000_000

    let loop: EventLoop
    let settings: CurlTransportSettings
    let usesProxyEnvironment: Bool
    /// The hosts that bypass the proxy if the options do not say.
    let environmentBypass: ProxyBypass?
    let abilities = CurlAbilities.current
    var wireLog: WireLog? { settings.wireLog }
    let touched: UnsafeMutablePointer<TouchedList>
    /// Shares TLS sessions, which libcurl otherwise keeps for each easy handle separately.
    let share: UnsafeMutableRawPointer?
    private let multi: UnsafeMutableRawPointer?
    // Unchecked, because code that changes them is not re-entered: handles that are released call libcurl, and libcurl
    // calls only the poller.
    @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
    @exclusivity(unchecked) private var transfers: [Transfer] = []
    private var connectionRoom: Int
    // Unchecked, because the functions that change it call no other code meanwhile.
    @exclusivity(unchecked) var gate = ConnectionGate()
    /// Hosts that close kept connections right after a response that does not announce it: a request that is being sent
    /// then may be lost. A request that must not be sent twice gets a new connection to them (RFC 9110 §9.2.2, RFC 9112
    /// §9.6).
    @exclusivity(unchecked) private(set) var abruptHosts = RecentHosts()
    /// Hosts that refused a request on a new HTTP/2 connection; they may demand HTTP/1.1 (RFC 9113 §7).
    @exclusivity(unchecked) private(set) var refusingHosts = RecentHosts()
    /// Sockets for which watching for writing is suspended.
    private var heldSockets: [Int32] = []
    /// When watching for writing resumes, by the system's clock, because it depends on the network and not on timers.
    @exclusivity(unchecked) private var writingDeadline = Int64.max
    @exclusivity(unchecked) private var curlDeadline = Int64.max
    /// Whether it takes no new transfers, and is released when the last one has ended.
    private(set) var isRetired = false
    private var onEmpty: (() -> Void)?
    /// The table of the latest `connectTo`, because almost all requests have the one of the kernel's settings.
    private var connectTo: ConnectToTable?
    /// How many transfers were aborted in this turn.
    private var stops = 0

    init(
        loop: EventLoop, settings: CurlTransportSettings, usesProxyEnvironment: Bool,
        environmentBypass: ProxyBypass? = nil
    ) {
        self.loop = loop
        self.settings = settings
        self.usesProxyEnvironment = usesProxyEnvironment
        self.environmentBypass = environmentBypass
        touched = .allocate(capacity: 1)
        touched.initialize(to: TouchedList())
        connectionRoom = max(settings.idleConnections, 1)
        multi = curl_multi_init()
        share = curl_share_init()
        ccurl_share(share, Int32(CURL_LOCK_DATA_SSL_SESSION.rawValue))
        super.init()
        configure()
        loop.join(self)
    }

    deinit {
        idleHandles = []
        curl_multi_cleanup(multi)
        curl_share_cleanup(share)
        touched.deallocate()
    }

    private func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_socket(multi, Callbacks.watchSocket)
        ccurl_multi_set_timer(multi, Callbacks.setTimer)
        ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        // Only the server's limit counts; libcurl's default is 100.
        ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionRoom)
    }

    // MARK: - Transfers

    var isEmpty: Bool { transfers.isEmpty }

    func handle() -> EasyHandle? { idleHandles.popLast() ?? EasyHandle(multi: self) }

    func connectToTable(_ option: [String: String]) throws(PlugboardError) -> ConnectToTable {
        // This comparison is fast for the same object.
        if let connectTo, connectTo.option == option { return connectTo }
        guard let table = ConnectToTable(option) else {
            throw PlugboardError(
                .requestOption, "The request's option connectTo must have host:port for host:port in each entry.")
        }
        connectTo = table
        return table
    }

    /// Starts the transfer, now or when the gate admits it.
    func start(_ transfer: Transfer) {
        if gate.admits(transfer) { add(transfer) }
    }

    /// Hands the transfer to libcurl.
    private func add(_ transfer: Transfer) {
        guard let handle = transfer.handle else { return }
        transfer.isStarted = true
        if curl_multi_add_handle(multi, handle.easy) != CURLM_OK {
            transfer.end(PlugboardError(.transportConnect, "libcurl does not accept another attempt."))
        }
    }

    /// Ends the transfer. Its connection is kept only if the transfer was complete.
    func stop(_ transfer: Transfer, _ handle: EasyHandle, isComplete: Bool) {
        if !isComplete { stops += 1 }
        if transfer.isStarted { curl_multi_remove_handle(multi, handle.easy) }
        gate.remove(transfer)
    }

    /// Starts the transfers that the gate has admitted.
    func openGate() { for transfer in gate.takeAdmitted() { add(transfer) } }

    /// Other transfers that use the connection.
    func transfers(on socket: Int32, besides other: Transfer) -> [Transfer] {
        transfers.filter { $0 !== other && $0.state?.pointee.socket == socket }
    }

    func enroll(_ transfer: Transfer) {
        transfer.index = transfers.count
        transfers.append(transfer)
        // Otherwise libcurl closes connections that the next requests could use.
        if transfers.count > connectionRoom {
            connectionRoom = 2 * transfers.count
            ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionRoom)
        }
    }

    func dismiss(_ transfer: Transfer, handle: EasyHandle, isClean: Bool) {
        handle.idle(isClean: isClean)
        if !isRetired, handle.isReusable, idleHandles.count < MultiHandle.idleHandleLimit { idleHandles.append(handle) }
        guard let last = transfers.popLast(), last !== transfer else { return emptied() }
        transfers[transfer.index] = last
        last.index = transfer.index
    }

    /// Takes no new transfers from now on. Calls `onEmpty` after the last transfer, or at once if there is none.
    func retire(_ onEmpty: @escaping () -> Void) {
        isRetired = true
        idleHandles = []
        self.onEmpty = onEmpty
        // libcurl closes idle connections only after the last transfer. The socket of a paused or slowed transfer looks
        // idle, because libcurl does not watch it, and must be excluded.
        let sending = transfers.compactMap { $0.state }.filter { $0.pointee.sendings > 0 }
        let sockets = Set(sending.map { $0.pointee.socket })
        if !sockets.contains(-1) { loop.poller.shutDownIdle(of: self, but: sockets) }
        emptied()
    }

    /// Ends the transfers that have sent on one HTTP/1 connection at the same time.
    func endCrossed(_ socket: Int32) {
        for transfer in transfers where transfer.state?.pointee.sendingSocket == socket {
            transfer.end(
                PlugboardError(
                    .transportStale,
                    "Several requests to \(transfer.url?.hostAndPort ?? "") were sent on one HTTP/1.1 connection at the same "
                        + "time. The server may have processed them."))
        }
    }

    /// Ends all transfers before it returns.
    func endAll(_ error: PlugboardError) {
        for transfer in transfers { transfer.end(error) }
        while let state = touched.pointee.pop() { state.pointee.transfer?.takeUnretainedValue().settle() }
    }

    private func emptied() {
        guard isRetired, transfers.isEmpty, let onEmpty else { return }
        self.onEmpty = nil
        loop.leave(self)
        onEmpty()
    }

    // MARK: - Turns

    override var deadline: Int64 { touched.pointee.isEmpty ? min(curlDeadline, writingDeadline) : 0 }

    func setTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : loop.systemNow + Int64(milliseconds) * 1_000_000
    }

    override func socketIsReady(_ socket: Int32, _ readiness: Readiness) {
        var events: Int32 = 0
        if readiness.contains(.read) { events |= CURL_CSELECT_IN }
        if readiness.contains(.write) { events |= CURL_CSELECT_OUT }
        if !readiness.isDisjoint(with: .broken) { events |= CURL_CSELECT_ERR }
        let before = touched.pointee.additions
        act(socket, events)
        // libcurl also watches for writing while an HTTP/2 window is closed, and would be called again and again.
        if readiness == .write, loop.poller.noteWrite(socket, isVain: touched.pointee.additions == before) {
            holdWriting(socket)
        }
    }

    /// Notes that libcurl wanted to resend a request that was sent on a new connection.
    func noteRefusal(by hostAndPort: String) { refusingHosts.note(hostAndPort, at: loop.systemNow) }

    override func idleEnded(_ hostAndPort: String, since: Int64) {
        if loop.systemNow - since < MultiHandle.haste { abruptHosts.note(hostAndPort, at: loop.systemNow) }
    }

    private func holdWriting(_ socket: Int32) {
        heldSockets.append(socket)
        if writingDeadline == .max { writingDeadline = loop.systemNow + MultiHandle.writingPause }
    }

    private func resumeWriting() {
        guard writingDeadline <= loop.systemNow else { return }
        writingDeadline = .max
        for socket in heldSockets { loop.poller.resumeWriting(socket) }
        heldSockets.removeAll()
    }

    override func settle() {
        stops = 0
        for _ in 0..<MultiHandle.settleLimit where deadline <= loop.systemNow {
            resumeWriting()
            if curlDeadline <= loop.systemNow {
                curlDeadline = .max
                loop.poller.checkNewlyIdle()
                act(CURL_SOCKET_TIMEOUT, 0)
            }
            while stops < MultiHandle.stopLimit, let state = touched.pointee.pop() {
                state.pointee.transfer?.takeUnretainedValue().settle()
            }
            if gate.hasAdmitted { openGate() }
        }
    }

    private func act(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        // Done at once, because libcurl announces the end of transfers only here, and the loop may sleep next.
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let state = context?.assumingMemoryBound(to: TransferState.self) else { continue }
            let result = ccurl_result(message)
            state.endSending()
            // Done here, not in `settle`: other transfers may use the connection before a suspended transfer settles.
            if result == CURLE_OK, state.pointee.head.version != .http2 {
                loop.poller.beginIdling(
                    state.pointee.socket, after: UInt(bitPattern: state), at: state.pointee.hostAndPort,
                    since: loop.systemNow)
            }
            state.pointee.transfer?._withUnsafeGuaranteedRef { $0.complete(result) }
            touched.pointee.add(state)
        }
    }
}
