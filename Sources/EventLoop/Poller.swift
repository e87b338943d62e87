import CEpoll
import Messages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The operations that a socket is ready for, or that it is watched for, in the bits of epoll.
public struct Readiness: OptionSet, Sendable {
    /// The bits of `epoll_event.events`.
    public let rawValue: UInt32

    /// The bits of `epoll_event.events`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading does not block.
    public static let read = Readiness(rawValue: cepoll_in)
    /// Writing does not block.
    public static let write = Readiness(rawValue: cepoll_out)
    /// The connection has an error, or the peer has closed it. It is always reported.
    public static let broken = Readiness(rawValue: cepoll_error | cepoll_hang_up)
}

/// The sockets of a loop, watched with epoll. Used on the loop's thread only.
///
/// Changes reach epoll lazily: a socket that is not watched any more stays registered until epoll reports it, because
/// the next exchange on its connection will most likely watch for the same.
package final class Poller {
    private struct Watch {
        /// Unowned: the participant calls `forget` for its sockets before it is released.
        var participant: Unmanaged<LoopParticipant>?
        var wanted: Readiness = []
        var registered: Readiness = []
        /// Whether the participant opened the socket (`adopt`) and will call `forget` before it closes it.
        var isOwn = false
        /// Whether the registration may stay when the socket is not watched.
        var isLazy = false
        /// Whether an HTTP/1 connection waits for its next request, so that received bytes belong to no response.
        var isIdle = false
        /// Since when it is idle, by the system's clock, and the host and port that it leads to.
        var idleSince: Int64 = 0
        var hostAndPort = ""
        /// The participant's number for the user that watched the socket last.
        var user: UInt = 0
        /// Distinguishes the socket from a later one with the same descriptor.
        var cookie: UInt64 = 0
        /// When the socket was last ready for reading, or was adopted, by the system's clock.
        var lastRead: Int64 = 0
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
    // Unchecked, because the functions that change it call no other code meanwhile.
    @exclusivity(unchecked) private var watches: [Watch] = []
    private var socketsByConnection: [ConnectionKey: Int32] = [:]
    /// Whether more sockets may be ready than the last wait reported.
    private var isBatchFull = false
    /// Sockets that became idle since the last wait.
    private var newlyIdle: [Int32] = []
    /// The number of transfers that have begun to send and whose socket is not known.
    private var nameless = 0
    /// Idle sockets that received bytes while there were such transfers.
    private var suspects: [Int32] = []

    /// - Parameter alarm: A descriptor that ends `wait` when it becomes readable.
    init(alarm: Int32) throws(PlugboardError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { throw .noDescriptor(errno) }
        // Edge-triggered, so that it does not have to be read.
        _ = cepoll_control(epoll, EPOLL_CTL_ADD, alarm, cepoll_in | cepoll_edge)
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    /// Waits for sockets, for so many nanoseconds, or without limit if negative. Returns the number of events for
    /// `dispatch`.
    func wait(_ nanoseconds: Int64) -> Int {
        newlyIdle.removeAll(keepingCapacity: true)
        let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
        return Int(epoll_wait(epoll, events, Int32(Poller.batchSize), Int32(milliseconds)))
    }

    func dispatch(_ count: Int, at now: Int64) {
        isBatchFull = count == Poller.batchSize
        guard count > 0 else { return }
        // Before all others, so that no request of this turn is sent on a connection that cannot be used.
        for index in 0..<count {
            let socket = Int(cepoll_file(events + index))
            if socket < watches.count, watches[socket].isIdle { closeIdle(Int32(socket)) }
        }
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

    /// Adds a socket that the participant has opened. It must call `forget` before it closes the socket.
    package func adopt(_ socket: Int32, for participant: LoopParticipant, at now: Int64) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)] = Watch(
            participant: Unmanaged.passUnretained(participant), isOwn: true, cookie: cepoll_socket_cookie(socket),
            lastRead: now)
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
        if wanted == .read, watches[Int(socket)].isOwn { watches[Int(socket)].isLazy = true }
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
    package func forget(_ socket: Int32) {
        guard socket >= 0, Int(socket) < watches.count else { return }
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

    // MARK: - Connections that wait for their next request

    /// Notes that the connection is idle until it is watched again: bytes that are received until then belong to no
    /// response. Does nothing unless the socket was last watched for this user.
    package func beginIdling(_ socket: Int32, after user: UInt, at hostAndPort: String, since now: Int64) {
        guard socket >= 0, nameless == 0, Int(socket) < watches.count, watches[Int(socket)].user == user,
            watches[Int(socket)].isLazy, watches[Int(socket)].wanted.isEmpty
        else { return }
        watches[Int(socket)].isIdle = true
        watches[Int(socket)].idleSince = now
        watches[Int(socket)].hostAndPort = hostAndPort
        if !watches[Int(socket)].registered.contains(.read) { register(Int(socket), .read) }
        newlyIdle.append(socket)
    }

    /// Closes connections that received more than their response and that epoll has not reported yet: those that became
    /// idle since the last wait, and all if that wait was full. Called before a request starts in the same turn.
    package func checkNewlyIdle() {
        if isBatchFull {
            newlyIdle = watches.indices.filter { watches[$0].isIdle }.map { Int32($0) }
            isBatchFull = false
        }
        if newlyIdle.isEmpty { return }
        for socket in newlyIdle where watches[Int(socket)].isIdle {
            var byte: UInt8 = 0
            if recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 { closeIdle(socket) }
        }
        newlyIdle.removeAll(keepingCapacity: true)
    }

    /// Closes an idle connection that received bytes: a response without a request makes it unusable (RFC 9112 §9.2).
    /// libcurl would read the bytes as the next response; so they are read here, and libcurl finds the connection
    /// closed.
    ///
    /// While a transfer sends on a socket that is not known, this one may be it; so the decision waits.
    private func closeIdle(_ socket: Int32) {
        if nameless > 0 {
            register(Int(socket), [])
            return suspects.append(socket)
        }
        watches[Int(socket)].isIdle = false
        register(Int(socket), [])
        guard cepoll_socket_cookie(socket) == watches[Int(socket)].cookie else { return }
        let isEnded = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            // After so many reads, the rest is left: the shutdown makes the next write fail.
            for _ in 0..<64 {
                let count = recv(socket, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
                if count <= 0 { return count == 0 || errno == ECONNRESET }
            }
            return false
        }
        shutdown(socket, Int32(SHUT_RDWR))
        let watch = watches[Int(socket)]
        if isEnded {
            watch.participant?._withUnsafeGuaranteedRef { $0.idleEnded(watch.hostAndPort, since: watch.idleSince) }
        }
    }

    /// Notes that a transfer begins to send on a connection whose socket is not known.
    package func beginNameless() { nameless += 1 }

    /// Notes that the socket of such a transfer is known, or that the transfer has ended.
    package func endNameless() {
        nameless -= 1
        guard nameless == 0, !suspects.isEmpty else { return }
        let sockets = suspects
        suspects = []
        for socket in sockets where watches[Int(socket)].isIdle { closeIdle(socket) }
    }

    /// When the socket was last ready for reading, by the system's clock; nil for a socket that is not known.
    package func lastRead(_ socket: Int32) -> Int64? {
        socket >= 0 && Int(socket) < watches.count && watches[Int(socket)].isOwn ? watches[Int(socket)].lastRead : nil
    }

    // MARK: - The sockets of connections

    /// The socket of a connection, or nil if it is not found. A transfer that uses a connection again knows its
    /// addresses only.
    ///
    /// - Parameter socket: The socket that it probably is; -1 if there is none.
    package func socket(of connection: ConnectionKey, perhaps socket: Int32) -> Int32? {
        if let known = socketsByConnection[connection], watches[Int(known)].connection == connection { return known }
        var found: Int32?
        if socket >= 0, cepoll_local_port(socket) == connection.localPort {
            found = socket
        } else {
            // Several sockets were connecting at once, and another one won.
            found = watches.indices.first { index in
                watches[index].isOwn && watches[index].connection == nil
                    && cepoll_local_port(Int32(index)) == connection.localPort
            }.map { Int32($0) }
        }
        guard let found, Int(found) < watches.count else { return nil }
        watches[Int(found)].connection = connection
        socketsByConnection[connection] = found
        return found
    }

    // MARK: - Connections that take one request at a time

    /// Whether transfers have sent on this HTTP/1 connection and are not known to have ended.
    package func isTaken(_ socket: Int32) -> Bool {
        watches[Int(socket)].speaksHTTP1 && watches[Int(socket)].senders > 0
    }

    /// The last transfer that has begun to send on the socket; 0 if it has ended.
    package func sender(on socket: Int32) -> UInt { watches[Int(socket)].sender }

    /// Counts a transfer that begins to send. Returns a number that identifies the socket, for `endSending`.
    package func beginSending(_ socket: Int32, user: UInt) -> UInt64 {
        watches[Int(socket)].isIdle = false
        watches[Int(socket)].user = user
        watches[Int(socket)].senders += 1
        watches[Int(socket)].sender = user
        return watches[Int(socket)].cookie
    }

    /// Ends `beginSending`. Does nothing if the descriptor belongs to another socket by now.
    package func endSending(_ socket: Int32, _ cookie: UInt64, user: UInt) {
        guard watches[Int(socket)].cookie == cookie, watches[Int(socket)].senders > 0 else { return }
        watches[Int(socket)].senders -= 1
        // The memory of the transfer may be released now.
        if watches[Int(socket)].sender == user { watches[Int(socket)].sender = 0 }
    }

    /// Notes that an HTTP/1 response is received on the socket. Returns false if several transfers have sent on it, so
    /// that the response may belong to any of them.
    package func noteHTTP1(_ socket: Int32) -> Bool {
        watches[Int(socket)].speaksHTTP1 = true
        return watches[Int(socket)].senders <= 1
    }

    /// Shuts down the connection; its users find it closed.
    package func shutDown(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: - Readiness for writing that is not used

    /// Notes whether a socket that was ready for writing only was written to. After the 64th time in a row that it was
    /// not, suspends watching for writing and returns true.
    package func noteWrite(_ socket: Int32, isVain: Bool) -> Bool {
        let index = Int(socket)
        guard index < watches.count, watches[index].isOwn else { return false }
        if !isVain {
            watches[index].vainWrites = 0
            return false
        }
        watches[index].vainWrites &+= 1
        guard watches[index].vainWrites >= 64, watches[index].wanted.contains(.write) else { return false }
        watches[index].vainWrites = 0
        watches[index].isWritingHeld = true
        register(index, watches[index].wanted.subtracting(.write))
        return true
    }

    /// Ends the suspension of watching for writing.
    package func resumeWriting(_ socket: Int32) {
        let index = Int(socket)
        guard index < watches.count, watches[index].isWritingHeld else { return }
        watches[index].isWritingHeld = false
        register(index, watches[index].wanted)
    }

    private func makeRoom(_ socket: Int) {
        if socket >= watches.count {
            watches.append(contentsOf: repeatElement(Watch(), count: socket + 1 - watches.count))
        }
    }

    private func register(_ socket: Int, _ wanted: Readiness) {
        let registered = watches[socket].registered
        watches[socket].registered = wanted
        let operation = wanted.isEmpty ? EPOLL_CTL_DEL : registered.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        let result = cepoll_control(epoll, operation, Int32(socket), wanted.rawValue)
        // The descriptor may belong to another socket by now, which is not registered.
        if result != 0, operation == EPOLL_CTL_MOD {
            _ = cepoll_control(epoll, EPOLL_CTL_ADD, Int32(socket), wanted.rawValue)
        }
    }
}
