import CCurl
import Transporting

/// libcurl's multi handle on a loop: its connections, its names, its TLS sessions, and the transfers that use them.
///
/// Touched on the loop's thread only.
final class MultiHandle: LoopParticipant {
    /// Turns of settling that may follow one another before sockets are looked at again.
    private static let settleLimit = 8
    /// Handles that wait for their next transfer, about 13 KB each.
    private static let idleHandleLimit = 256
    /// Nanoseconds within which the end of an idle connection is abrupt; keep-alive time-outs are seconds.
    private static let haste: Int64 = 200_000_000
    /// How long a socket that is ready for writing in vain is left alone.
    private static let writingPause: Int64 = 10_000_000

    let loop: EventLoop
    let settings: CurlTransportSettings
    let usesProxyEnvironment: Bool
    let abilities = CurlAbilities.current
    let touched: UnsafeMutablePointer<TouchedList>
    /// TLS sessions, which libcurl would else remember for each easy handle alone.
    let share: UnsafeMutableRawPointer?
    private let multi: UnsafeMutableRawPointer?
    // What changes these never comes back to them: handles that go call libcurl, and that no more than the poller.
    @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
    @exclusivity(unchecked) private var transfers: [Transfer] = []
    private var connectionRoom: Int
    // What changes it calls nobody meanwhile.
    @exclusivity(unchecked) var gate = ConnectionGate()
    /// Hosts that close kept connections right after a response, without saying so in it: a request that is just being
    /// sent then may be lost. One that must not go out twice gets a new connection there (RFC 9110 §9.2.2, RFC 9112
    /// §9.6).
    private(set) var abruptHosts = RecentHosts()
    /// Hosts that did not take a request by a new connection of HTTP/2; they may demand HTTP/1.1 (RFC 9113 §7).
    private(set) var refusingHosts = RecentHosts()
    /// Sockets whose wish to write waits.
    private var heldSockets: [Int32] = []
    /// When they may write again: of the system's clock, for it paces the network and is no time that a program sets.
    private var writingDeadline = Int64.max
    private var curlDeadline = Int64.max
    /// No new transfers: whoever uses it drops it when the last has ended.
    private(set) var isRetired = false
    private var onEmpty: (() -> Void)?

    init(loop: EventLoop, settings: CurlTransportSettings, usesProxyEnvironment: Bool) {
        self.loop = loop
        self.settings = settings
        self.usesProxyEnvironment = usesProxyEnvironment
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
        // The server's own limit counts; libcurl's is 100.
        ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionRoom)
        ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(settings.connections, 0))
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(settings.connectionsPerHost, 0))
    }

    // MARK: - Transfers

    var isEmpty: Bool { transfers.isEmpty }

    func handle() -> EasyHandle? { idleHandles.popLast() ?? EasyHandle(multi: self) }

    /// Begins, now or when a connection is there to choose from.
    func start(_ transfer: Transfer) {
        if gate.admits(transfer) { add(transfer) }
    }

    /// Hands the transfer to libcurl.
    private func add(_ transfer: Transfer) {
        guard let handle = transfer.handle else { return }
        transfer.isStarted = true
        if curl_multi_add_handle(multi, handle.easy) != CURLM_OK {
            transfer.end(PlugboardError(.connect, "libcurl refuses another attempt."))
        }
    }

    /// Ends, whether it is over or not; the connection is kept only if it is.
    func stop(_ transfer: Transfer, _ handle: EasyHandle) {
        if transfer.isStarted { curl_multi_remove_handle(multi, handle.easy) }
        gate.remove(transfer)
    }

    /// Lets those go on that waited for this transfer's connection.
    func openGate() { for transfer in gate.takeAdmitted() { add(transfer) } }

    /// Other transfers that use the connection.
    func transfers(on socket: Int32, besides other: Transfer) -> [Transfer] {
        transfers.filter { $0 !== other && $0.state?.pointee.socket == socket }
    }

    func enroll(_ transfer: Transfer) {
        transfer.place = transfers.count
        transfers.append(transfer)
        // libcurl would close connections that the next requests could use.
        if transfers.count > connectionRoom {
            connectionRoom = 2 * transfers.count
            ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionRoom)
        }
    }

    func dismiss(_ transfer: Transfer, handle: EasyHandle, isClean: Bool) {
        handle.idle(isClean: isClean)
        if !isRetired, handle.isReusable, idleHandles.count < MultiHandle.idleHandleLimit { idleHandles.append(handle) }
        guard let last = transfers.popLast(), last !== transfer else { return emptied() }
        transfers[transfer.place] = last
        last.place = transfer.place
    }

    /// Takes no new transfers, and calls back when there are none left; in the same moment if there are none now.
    func retire(_ onEmpty: @escaping () -> Void) {
        isRetired = true
        idleHandles = []
        self.onEmpty = onEmpty
        // libcurl closes them with the last transfer only. The socket of a transfer that is paused, or slowed, looks
        // idle.
        let sending = transfers.compactMap { $0.state }.filter { $0.pointee.sendings > 0 }
        let sockets = Set(sending.map { $0.pointee.socket })
        if !sockets.contains(-1) { loop.poller.shutDownIdle(of: self, but: sockets) }
        emptied()
    }

    /// Ends those that have sent on one connection of HTTP/1 at the same time.
    func endCrossed(_ socket: Int32) {
        for transfer in transfers where transfer.state?.pointee.sendingSocket == socket {
            transfer.end(
                PlugboardError(
                    .stale,
                    "\(transfer.url?.place ?? "") was sent several requests on one connection of HTTP/1.1. They may have been "
                        + "carried out."))
        }
    }

    /// Ends all transfers at once.
    func endAll(_ error: PlugboardError) {
        for transfer in transfers { transfer.end(error) }
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
        act(socket, events)
        // libcurl waits for writing also while an HTTP/2 window is closed, and would be called without end.
        if readiness == .write, loop.poller.noteWrite(socket, isVain: touched.pointee.isEmpty) { holdWriting(socket) }
    }

    /// libcurl wanted to send a request again that went out on a new connection.
    func noteRefusal(by place: String) { refusingHosts.note(place, at: loop.systemNow) }

    override func idleEnded(_ place: String, since: Int64) {
        if loop.systemNow - since < MultiHandle.haste { abruptHosts.note(place, at: loop.systemNow) }
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
        for _ in 0..<MultiHandle.settleLimit where deadline <= loop.systemNow {
            resumeWriting()
            if curlDeadline <= loop.systemNow {
                curlDeadline = .max
                loop.poller.checkNewlyIdle()
                act(CURL_SOCKET_TIMEOUT, 0)
            }
            while let state = touched.pointee.pop() { state.pointee.transfer?.takeUnretainedValue().settle() }
            if gate.hasAdmitted { openGate() }
        }
    }

    private func act(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        // At once: what libcurl has finished, it announces nowhere else, and the loop may go to sleep.
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let state = context?.assumingMemoryBound(to: TransferState.self) else { continue }
            let result = ccurl_result(message)
            state.endSending()
            // Here, and not when the transfer settles: a suspended one settles when others may use the connection.
            if result == CURLE_OK, state.pointee.head.version != .http2 {
                loop.poller.beginIdling(
                    state.pointee.socket, after: UInt(bitPattern: state), at: state.pointee.place,
                    since: loop.systemNow)
            }
            state.pointee.transfer?._withUnsafeGuaranteedRef { $0.complete(result) }
            touched.pointee.add(state)
        }
    }
}
