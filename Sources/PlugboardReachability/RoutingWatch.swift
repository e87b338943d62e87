import PlugboardEventLoop
import PlugboardMessages

/// Watches the routing table on a loop, and reports changes of its state.
///
/// Changes come in bursts: an interface goes up, gets addresses, gets routes. The table is read again when no change
/// came for `quietTime`, at the latest `burstLimit` after the first.
///
/// Used on the loop's thread only, except by `init`.
final class RoutingWatch: LoopParticipant {
    /// The quiet time, in nanoseconds.
    private static let quietTime: Int64 = 50_000_000
    private static let burstLimit: Int64 = 500_000_000
    /// The most datagrams that are read in one turn of the loop.
    private static let turnLimit = 16

    private unowned let loop: EventLoop
    private let socket: RoutingSocket
    private lazy var alarm = SystemAlarm(loop: loop) { [weak self] in self?.readAgain() }
    /// When the first unread change came; 0 if there is none.
    private var outdatedSince: Int64 = 0
    private(set) var state: NetworkState
    private var changed: ((Result<NetworkState, PlugboardError>) -> Void)?

    /// Opens the socket in the calling thread's network namespace, and reads the table, which blocks for some
    /// milliseconds.
    init(loop: EventLoop) throws(PlugboardError) {
        self.loop = loop
        socket = try RoutingSocket(isNotified: true)
        try socket.readNow()
        state = socket.state
    }

    /// Begins to watch.
    ///
    /// - Parameter changed: Called with each state that differs from the last one, and with the error that ends the
    ///   watch.
    func begin(_ changed: @escaping (Result<NetworkState, PlugboardError>) -> Void) {
        self.changed = changed
        loop.poller.watch(socket.descriptor, .read, for: self)
        noteChange()
    }

    /// Ends the watch.
    func end() {
        guard changed != nil else { return }
        changed = nil
        alarm.clear()
        loop.poller.watch(socket.descriptor, [], for: self)
        loop.poller.forget(socket.descriptor, at: loop.systemNow)
        socket.end()
    }

    override func socketIsReady(_ socket: Int32, _ readiness: Readiness) {
        do {
            // The rest, if any, makes the socket ready again in the next turn.
            for _ in 0..<RoutingWatch.turnLimit {
                switch try self.socket.receive() {
                case .nothing: return noteChange()
                case .datagram: break
                case .dump: completeDump()
                }
            }
            noteChange()
        } catch {
            fail(error)
        }
    }

    /// Sets the time of the next dump, if the table may have changed.
    private func noteChange() {
        guard changed != nil, socket.reader.isOutdated, !socket.reader.isReading else { return }
        if outdatedSince == 0 { outdatedSince = alarm.now }
        alarm.set(min(alarm.now + RoutingWatch.quietTime, outdatedSince + RoutingWatch.burstLimit))
    }

    private func readAgain() {
        guard changed != nil else { return }
        do { try socket.begin() } catch { fail(error) }
    }

    private func completeDump() {
        // What changed meanwhile is read soon, unless changes never end.
        if socket.reader.isOutdated, alarm.now - outdatedSince < RoutingWatch.burstLimit { return }
        outdatedSince = 0
        let new = socket.state
        guard new != state else { return }
        state = new
        changed?(.success(new))
    }

    private func fail(_ error: PlugboardError) {
        let changed = changed
        end()
        changed?(.failure(error))
    }
}
