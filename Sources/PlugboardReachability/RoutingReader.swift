import CPlugboardNetlink

/// Decides which requests to send and what the datagrams mean; it does not send or receive itself.
///
/// A dump is two requests, for interfaces and then for routes: the system takes one at a time. Notifications that come
/// during a dump may mean that it is outdated.
struct RoutingReader {
    /// What to do after a datagram.
    enum Step: Equatable {
        /// Receive further datagrams.
        case receive
        /// Send this request.
        case request(type: UInt16, sequence: UInt32)
        /// The dump is complete.
        case complete
        /// The system has refused the request with this errno; the dump is over.
        case refused(Int32)
    }

    /// The table of the last complete dump.
    private(set) var table = RoutingTable()
    /// Whether the system's table may have changed since the last dump began.
    private(set) var isOutdated = false
    /// Whether a dump is in progress.
    var isReading: Bool { phase != nil }

    private enum Phase { case interfaces, routes }

    private var phase: Phase?
    private var incoming = RoutingTable()
    private var sequence: UInt32 = 0
    /// The socket's own number: replies to it carry this number, notifications that of another sender.
    private let port: UInt32

    init(port: UInt32) { self.port = port }

    /// Begins a dump. A dump in progress is given up.
    mutating func begin() -> Step {
        isOutdated = false
        incoming = RoutingTable()
        return ask(.interfaces)
    }

    /// Notes that datagrams were lost, because the socket's buffer was full or one was too large.
    mutating func lose() {
        isOutdated = true
        // The end of the dump may be among what was lost.
        phase = nil
    }

    /// Reads a datagram.
    mutating func read(_ datagram: UnsafeRawBufferPointer) -> Step {
        var step = Step.receive
        let isWhole = NetlinkMessage.forEach(in: datagram) { message in
            let next = read(message)
            if next != .receive { step = next }
        }
        if !isWhole { lose() }
        return step
    }

    private mutating func read(_ message: NetlinkMessage) -> Step {
        guard let phase, message.header.nlmsg_pid == port, message.header.nlmsg_seq == sequence else {
            if !isOutdated, message.header.nlmsg_pid != port, table.isChanged(by: message) { isOutdated = true }
            return .receive
        }
        // The table changed while the system dumped it.
        if Int32(message.header.nlmsg_flags) & NLM_F_DUMP_INTR != 0 { isOutdated = true }
        switch Int32(message.type) {
        case NLMSG_DONE:
            if phase == .interfaces { return ask(.routes) }
            self.phase = nil
            table = incoming
            incoming = RoutingTable()
            return .complete
        case NLMSG_ERROR:
            self.phase = nil
            let code = message.fixed(Int32.self) ?? 0
            return .refused(code == .min ? 0 : -code)
        default:
            incoming.add(message)
            return .receive
        }
    }

    private mutating func ask(_ phase: Phase) -> Step {
        self.phase = phase
        // 0 is the number of some notifications.
        sequence = max(sequence &+ 1, 1)
        return .request(type: UInt16(phase == .interfaces ? RTM_GETLINK : RTM_GETROUTE), sequence: sequence)
    }
}
