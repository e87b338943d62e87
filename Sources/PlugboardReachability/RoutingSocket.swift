import CPlugboardNetlink
import PlugboardMessages
import PlugboardSystem

/// A netlink socket, and the reader of what it receives.
///
/// It belongs to the network namespace of the thread that opens it.
final class RoutingSocket {
    private static let bufferSize = 64 << 10

    /// -1 when it is closed.
    private(set) var descriptor: Int32
    private(set) var reader: RoutingReader
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: RoutingSocket.bufferSize, alignment: 8)

    /// - Parameter isNotified: Whether the system tells it of changes.
    init(isNotified: Bool) throws(PlugboardError) {
        descriptor = cnetlink_open(isNotified ? cnetlink_groups : 0)
        let cause = errno
        reader = RoutingReader(port: descriptor < 0 ? 0 : cnetlink_port(descriptor))
        guard descriptor >= 0 else { throw RoutingSocket.error(cause) }
    }

    deinit {
        end()
        buffer.deallocate()
    }

    /// Closes the socket.
    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// The state according to the last complete dump.
    var state: NetworkState {
        reader.table.state { name in
            // sysfs is in memory. The name is the system's, which allows no slash; the check costs nothing.
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name != "..", name != "." else { return false }
            return access("/sys/class/net/\(name)/phy80211", F_OK) == 0
                || access("/sys/class/net/\(name)/wireless", F_OK) == 0
        }
    }

    /// Begins a dump.
    func begin() throws(PlugboardError) { try perform(reader.begin()) }

    /// The result of receiving.
    enum Received: Equatable {
        /// Nothing is left to receive now.
        case nothing
        /// A datagram was received.
        case datagram
        /// A dump is complete.
        case dump
    }

    /// Receives one datagram, and sends the next request of a dump.
    func receive() throws(PlugboardError) -> Received {
        var count = 0
        switch cnetlink_receive(descriptor, buffer.baseAddress, buffer.count, &count) {
        case 0: break
        case EAGAIN: return .nothing
        case EINTR: return .datagram
        case ENOBUFS, EMSGSIZE:
            reader.lose()
            return .datagram
        case let cause: throw RoutingSocket.error(cause)
        }
        let step = reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if step == .complete { return .dump }
        try perform(step)
        return .datagram
    }

    private func perform(_ step: RoutingReader.Step) throws(PlugboardError) {
        switch step {
        case .receive, .complete: break
        case .request(let type, let sequence):
            let cause = cnetlink_request(descriptor, type, sequence)
            // A socket without room for its request reads what it has first, and then dumps again.
            if cause == ENOBUFS || cause == EAGAIN || cause == EINTR { return reader.lose() }
            if cause != 0 { throw RoutingSocket.error(cause) }
        case .refused(let cause):
            if cause == EBUSY || cause == EINTR || cause == EAGAIN { return reader.lose() }
            throw RoutingSocket.error(cause)
        }
    }

    /// Dumps the table, and blocks until it is complete: some milliseconds, more where there are many routes.
    func readNow() throws(PlugboardError) {
        try begin()
        var emptyWaits = 0
        for _ in 0..<RoutingSocket.waitLimit {
            switch try receive() {
            case .dump: return
            case .datagram:
                emptyWaits = 0
                if !reader.isReading { try begin() }
            case .nothing:
                // Some sandboxes take requests and never reply.
                emptyWaits += 1
                if emptyWaits > 5 { throw RoutingSocket.error(ETIMEDOUT) }
                cnetlink_wait(descriptor, 1000)
            }
        }
        throw RoutingSocket.error(ETIMEDOUT)
    }

    /// The most datagrams of a dump: 32 KiB each, so that millions of routes are read.
    private static let waitLimit = 100_000

    private static func error(_ cause: Int32) -> PlugboardError {
        let text = systemText(cause)
        if [EMFILE, ENFILE, ENOMEM].contains(cause) {
            return PlugboardError(
                .resources, "No file descriptor is left for the routing table. Raise the limit (ulimit -n).",
                underlying: text)
        }
        return PlugboardError(
            .networkUnreadable,
            "The system does not let the program read its routing table over netlink. Allow sockets of the family "
                + "AF_NETLINK in its sandbox.", underlying: text)
    }
}
