import CPlugboardEpoll
import PlugboardMessages
import PlugboardSystem

/// The sockets of a loop, watched with epoll. Used on the loop's thread only.
///
/// Changes reach epoll lazily: a socket that is no longer watched stays registered until epoll reports it, because
/// the next exchange on its connection will most likely watch for the same.
package final class Poller {
    /// What the loop knows of one descriptor.
    struct Watch {
        /// Unowned: the participant calls `forget` for its sockets before it is released.
        var participant: Unmanaged<LoopParticipant>?
        var wanted: Readiness = []
        var registered: Readiness = []
        /// Whether the participant opened the socket (`adopt`) and will call `forget` before it closes it.
        var isOwn = false
        /// Whether it is a Unix domain socket.
        var isLocal = false
        /// Whether the registration may stay when the socket is not watched.
        var isLazy = false
        /// Whether an HTTP/1 connection waits for its next request, so that received bytes belong to no response.
        var isIdle = false
        /// The start of its idle time by the system's clock, and the host and port that it leads to.
        var idleSince: Int64 = 0
        var hostAndPort = ""
        /// The participant's number for the user that watched the socket last.
        var user: UInt = 0
        /// Distinguishes the socket from a later one with the same descriptor.
        var cookie: UInt64 = 0
        /// When the socket was last ready for reading, or was adopted, by the system's clock.
        var lastRead: Int64 = 0
        /// When the socket was adopted, by the system's clock.
        var opened: Int64 = 0
        /// How many times in a row the socket was ready for writing and nothing was written.
        var vainWrites: UInt8 = 0
        /// Whether watching for writing is suspended.
        var isWritingHeld = false
        /// The connection; nil until a request was sent on it.
        var connection: ConnectionKey?
        /// The number of transfers that have begun to send on the socket and have not ended.
        var senders = 0
        /// The last transfer that has begun to send on the socket, or 0 if it has ended.
        var sender: UInt = 0
        /// Whether an HTTP/1 response was received on the socket, so that it takes one request at a time.
        var speaksHTTP1 = false
    }

    private static let batchSize = 256
    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Poller.batchSize)
    /// Indexed by descriptor: the system gives the smallest free number, so that the table is dense.
    // All unchecked, because the functions that change them call no other code meanwhile.
    @exclusivity(unchecked) var watches: [Watch] = []
    /// Called when an adopted socket is connected.
    package var connectionOpened: (() -> Void)?
    /// Called when such a socket is closed, with its age in nanoseconds.
    package var connectionClosed: ((Int64) -> Void)?
    @exclusivity(unchecked) var socketsByConnection: [ConnectionKey: Int32] = [:]
    /// Sockets that epoll does not watch, although they are wanted.
    @exclusivity(unchecked) private var refused: [Int32] = []
    /// Whether more sockets may be ready than the last wait reported.
    @exclusivity(unchecked) var isBatchFull = false
    /// Sockets that became idle since the last wait.
    @exclusivity(unchecked) var newlyIdle: [Int32] = []
    /// The number of transfers that have begun to send and whose socket is not known: of TCP, and of Unix domain
    /// sockets.
    @exclusivity(unchecked) var nameless = [0, 0]
    /// Idle sockets that received bytes while there were such transfers.
    var suspects: [Int32] = []

    /// - Parameter alarm: A descriptor that ends `wait` when it becomes readable.
    init(alarm: Int32) throws(PlugboardError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { throw .noDescriptor(errno) }
        // Edge-triggered, so that it does not have to be read.
        if cepoll_control(epoll, EPOLL_CTL_ADD, alarm, cepoll_in | cepoll_edge) != 0 { throw .noDescriptor(errno) }
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    /// Waits for sockets, for this many nanoseconds, or without limit if negative. Returns the number of events for
    /// `dispatch`.
    func wait(_ nanoseconds: Int64) -> Int {
        if !newlyIdle.isEmpty { newlyIdle.clear() }
        let nanoseconds = refused.isEmpty ? nanoseconds : 0
        let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
        return Int(epoll_wait(epoll, events, Int32(Poller.batchSize), Int32(milliseconds)))
    }

    func dispatch(_ count: Int, at now: Int64) {
        isBatchFull = count == Poller.batchSize
        if !refused.isEmpty { reportRefused() }
        guard count > 0 else { return }
        // Idle connections come first, so that no request of this turn is sent on one that cannot be used.
        for index in 0..<count {
            let socket = Int(cepoll_file(events + index))
            if socket < watches.count, watches[socket].isIdle { closeIdle(Int32(socket)) }
        }
        // A participant may start a request with any socket that it gets.
        if isBatchFull { checkNewlyIdle() }
        for index in 0..<count {
            let socket = Int(cepoll_file(events + index))
            guard socket < watches.count else { continue }
            let readiness = Readiness(rawValue: cepoll_events(events + index))
            let wanted = watches[socket].wanted
            if readiness.contains(.read) { watches[socket].lastRead = now }
            if let participant = watches[socket].participant, !wanted.isEmpty,
                !readiness.isDisjoint(with: wanted.union(.broken))
            {
                participant._withUnsafeGuaranteedRef { $0.socketIsReady(Int32(socket), readiness) }
            } else if watches[socket].registered != wanted {
                register(socket, wanted)
            }
        }
    }

    /// Reports sockets that cannot be watched as broken; otherwise their users would wait forever.
    private func reportRefused() {
        let sockets = refused
        refused = []
        for socket in sockets where !watches[Int(socket)].wanted.isEmpty {
            watches[Int(socket)].participant?._withUnsafeGuaranteedRef { $0.socketIsReady(socket, .broken) }
        }
    }

    /// Adds a socket that the participant has opened. It must call `forget` before it closes the socket.
    ///
    /// - Parameter isLocal: Whether it is a Unix domain socket.
    package func adopt(_ socket: Int32, isLocal: Bool, for participant: LoopParticipant, at now: Int64) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        noteEnd(of: Int(socket), at: now)
        watches[Int(socket)] = Watch(
            participant: Unmanaged.passUnretained(participant), isOwn: true, isLocal: isLocal,
            cookie: cepoll_socket_cookie(socket),
            lastRead: now, opened: now)
    }

    /// The socket is closed, or its descriptor belongs to another one by now.
    private func noteEnd(of socket: Int, at now: Int64) {
        if watches[socket].isLazy { connectionClosed?(max(now - watches[socket].opened, 0)) }
    }

    /// Reports readiness of a socket to a participant. No readiness at all ends watching.
    ///
    /// - Parameter user: A number for which the participant watches, such as the address of a transfer; 0 keeps the
    ///   last one.
    package func watch(_ socket: Int32, _ wanted: Readiness, for participant: LoopParticipant, user: UInt = 0) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)].participant = Unmanaged.passUnretained(participant)
        watches[Int(socket)].wanted = wanted
        if user != 0 { watches[Int(socket)].user = user }
        watches[Int(socket)].isIdle = false
        watches[Int(socket)].isWritingHeld = false
        // Only after it is connected: libcurl closes a socket that is still connecting without a call of `forget`.
        if wanted == .read, watches[Int(socket)].isOwn, !watches[Int(socket)].isLazy {
            watches[Int(socket)].isLazy = true
            connectionOpened?()
        }
        if !watches[Int(socket)].isLazy, wanted.isEmpty {
            if !watches[Int(socket)].registered.isEmpty { register(Int(socket), []) }
            // A connection that was identified stays known until it is closed.
            if watches[Int(socket)].connection == nil { watches[Int(socket)] = Watch() }
            return
        }
        let registered = watches[Int(socket)].registered
        if !registered.isSuperset(of: wanted) || (!watches[Int(socket)].isLazy && registered != wanted) {
            register(Int(socket), wanted)
        }
    }

    /// Removes a socket before it is closed; the system then removes it from epoll.
    package func forget(_ socket: Int32, at now: Int64) {
        guard socket >= 0, Int(socket) < watches.count else { return }
        noteEnd(of: Int(socket), at: now)
        if let connection = watches[Int(socket)].connection { socketsByConnection[connection] = nil }
        watches[Int(socket)] = Watch()
    }

    /// Shuts down the connections of a participant that no transfer uses. Their sockets stay open until libcurl closes
    /// them.
    package func shutDownIdle(of participant: LoopParticipant, but used: Set<Int32>) {
        let owner = Unmanaged.passUnretained(participant).toOpaque()
        for socket in watches.indices where watches[socket].isLazy && watches[socket].wanted.isEmpty {
            if used.contains(Int32(socket)) { continue }
            guard watches[socket].participant?.toOpaque() == owner else { continue }
            // The descriptor may belong to other code of the process, if libcurl has closed the socket without
            // `forget`.
            if cepoll_socket_cookie(Int32(socket)) == watches[socket].cookie {
                shutdown(Int32(socket), Int32(SHUT_RDWR))
            }
        }
    }

    private func makeRoom(_ socket: Int) {
        while socket >= watches.count { watches.append(Watch()) }
    }

    func register(_ socket: Int, _ wanted: Readiness) {
        let registered = watches[socket].registered
        watches[socket].registered = wanted
        let operation = wanted.isEmpty ? EPOLL_CTL_DEL : registered.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        var result = cepoll_control(epoll, operation, Int32(socket), wanted.rawValue)
        // The descriptor may already belong to another socket, which is not registered.
        if result != 0, operation == EPOLL_CTL_MOD {
            result = cepoll_control(epoll, EPOLL_CTL_ADD, Int32(socket), wanted.rawValue)
        }
        // There is no memory, or the user's limit of watches is reached: the connection would wait for events forever.
        if result != 0, !wanted.isEmpty {
            watches[socket].registered = []
            if watches[socket].isOwn { shutdown(Int32(socket), Int32(SHUT_RDWR)) }
            refused.append(Int32(socket))
        }
    }
}
