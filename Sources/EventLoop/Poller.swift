import CEpoll
import Messages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a socket is ready for, or is watched for, in epoll's own bits.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let read = Readiness(rawValue: cepoll_in)
    public static let write = Readiness(rawValue: cepoll_out)
    public static let broken = Readiness(rawValue: cepoll_error | cepoll_hang_up)
}

/// The sockets of a loop, over epoll. Touched on the loop's thread only.
///
/// Changes reach epoll lazily: a socket that nobody waits for stays registered until it is heard of against all wishes,
/// for the next exchange on its connection will most likely wait for the same.
package final class Poller {
    private struct Watch {
        /// Unowned: it forgets its sockets before it goes.
        var participant: Unmanaged<LoopParticipant>?
        var wanted: Readiness = []
        var registered: Readiness = []
        /// Whether the participant opened the socket and will say when it closes it.
        var isOwn = false
        /// Whether a registration may outlive the wish.
        var isLazy = false
        /// Whether a connection of HTTP/1 waits here for its next request: bytes that come now belong to no response.
        var isIdle = false
        /// Since when, by the system's clock, and to which host and port it leads.
        var idleSince: Int64 = 0
        var place = ""
        /// For whom the participant watched it last.
        var user: UInt = 0
        /// Tells the socket from a later one of the same number.
        var cookie: UInt64 = 0
        /// When it was last ready for reading, or adopted, by the system's clock.
        var lastRead: Int64 = 0
        /// How often it was ready for writing and nothing was written.
        var vainWrites: UInt8 = 0
        /// Whether the wish to write waits for a while.
        var isWritingHeld = false
        /// The connection that it is, once a request was sent on it.
        var connection: ConnectionKey?
        /// How many transfers have begun to send on it and are not over.
        var senders = 0
        /// The last transfer that has begun to send on it, or 0 when that one is over.
        var sender: UInt = 0
        /// Whether a response of HTTP/1 came on it: it takes one request at a time.
        var speaksHTTP1 = false
    }

    private static let batchSize = 256
    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Poller.batchSize)
    /// By descriptor: the kernel gives the smallest free number, so the table stays dense.
    // Nothing that changes it calls anybody meanwhile.
    @exclusivity(unchecked) private var watches: [Watch] = []
    private var socketsByConnection: [ConnectionKey: Int32] = [:]
    /// Whether more sockets may be ready than the last wait told of.
    private var isBatchFull = false
    /// Sockets that became idle since the last wait.
    private var newlyIdle: [Int32] = []
    /// Transfers that have begun to send and whose socket is not known.
    private var nameless = 0
    /// Idle sockets that were sent something while that was so.
    private var suspects: [Int32] = []

    /// `wait` also ends when the alarm rings.
    init(alarm: Int32) throws(PlugboardError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { throw .noDescriptor(errno) }
        // Edge-triggered, so that it need not be read.
        _ = cepoll_control(epoll, EPOLL_CTL_ADD, alarm, cepoll_in | cepoll_edge)
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    /// Waits for that many nanoseconds, or without limit below 0; returns what `dispatch` wants to know.
    func wait(_ nanoseconds: Int64) -> Int {
        newlyIdle.removeAll(keepingCapacity: true)
        let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
        return Int(epoll_wait(epoll, events, Int32(Poller.batchSize), Int32(milliseconds)))
    }

    func dispatch(_ count: Int, at now: Int64) {
        isBatchFull = count == Poller.batchSize
        guard count > 0 else { return }
        // First, so that no request of this turn is sent on a connection that cannot be used.
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

    /// Says that this socket's closing will be told with `forget`.
    package func adopt(_ socket: Int32, for participant: LoopParticipant, at now: Int64) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)] = Watch(
            participant: Unmanaged.passUnretained(participant), isOwn: true, cookie: cepoll_socket_cookie(socket),
            lastRead: now)
    }

    /// - Parameter user: For whom the participant waits; 0 where it does not say.
    package func watch(_ socket: Int32, _ wanted: Readiness, for participant: LoopParticipant, user: UInt = 0) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)].participant = Unmanaged.passUnretained(participant)
        watches[Int(socket)].wanted = wanted
        if user != 0 { watches[Int(socket)].user = user }
        watches[Int(socket)].isIdle = false
        watches[Int(socket)].isWritingHeld = false
        // Once it is connected and waits for an answer: libcurl closes a socket that is still connecting without a word.
        if wanted == .read, watches[Int(socket)].isOwn { watches[Int(socket)].isLazy = true }
        if !watches[Int(socket)].isLazy, wanted.isEmpty {
            if !watches[Int(socket)].registered.isEmpty { register(Int(socket), []) }
            // A connection that was named stays known until it is closed.
            if watches[Int(socket)].connection == nil { watches[Int(socket)] = Watch() }
            return
        }
        let registered = watches[Int(socket)].registered
        if !registered.isSuperset(of: wanted) || (!watches[Int(socket)].isLazy && registered != wanted) {
            register(Int(socket), wanted)
        }
    }

    /// The socket is about to be closed; epoll drops it by itself.
    package func forget(_ socket: Int32) {
        guard socket >= 0, Int(socket) < watches.count else { return }
        if let connection = watches[Int(socket)].connection { socketsByConnection[connection] = nil }
        watches[Int(socket)] = Watch()
    }

    /// Ends the connections of this participant that no transfer uses; they stay open until they are closed.
    package func shutDownIdle(of participant: LoopParticipant, but used: Set<Int32>) {
        let owner = Unmanaged.passUnretained(participant).toOpaque()
        for socket in watches.indices where watches[socket].isLazy && watches[socket].wanted.isEmpty {
            if used.contains(Int32(socket)) { continue }
            guard watches[socket].participant?.toOpaque() == owner else { continue }
            // Others of this process may have the number by now, if libcurl has closed a socket without a word.
            if cepoll_socket_cookie(Int32(socket)) == watches[socket].cookie {
                shutdown(Int32(socket), Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: - Connections that wait for their next request

    /// From now on, until it is watched again, what can be read from this socket belongs to no response; if its last user, a
    /// number of the participant's choice, is still this one.
    package func beginIdling(_ socket: Int32, after user: UInt, at place: String, since now: Int64) {
        guard socket >= 0, nameless == 0, Int(socket) < watches.count, watches[Int(socket)].user == user,
            watches[Int(socket)].isLazy, watches[Int(socket)].wanted.isEmpty
        else { return }
        watches[Int(socket)].isIdle = true
        watches[Int(socket)].idleSince = now
        watches[Int(socket)].place = place
        if !watches[Int(socket)].registered.contains(.read) { register(Int(socket), .read) }
        newlyIdle.append(socket)
    }

    /// Closes those connections that became idle since the last wait, or that it had no room to tell of, and were sent
    /// more than their response. Called before a request starts in the same turn; in later turns epoll tells first.
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

    /// RFC 9112 §9.2: a response that no request asked for makes the connection unusable. libcurl looks only whether there is
    /// something to read, and would take it for the next response; so that is taken away, and it finds the connection closed.
    ///
    /// While a transfer sends on a socket that is not known, no connection is known to be idle.
    private func closeIdle(_ socket: Int32) {
        if nameless > 0 {
            register(Int(socket), [])
            return suspects.append(socket)
        }
        watches[Int(socket)].isIdle = false
        register(Int(socket), [])
        guard cepoll_socket_cookie(socket) == watches[Int(socket)].cookie else { return }
        let isEnded = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            // A server that sends without end is not waited for: then the next write fails.
            for _ in 0..<64 {
                let count = recv(socket, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
                if count <= 0 { return count == 0 || errno == ECONNRESET }
            }
            return false
        }
        shutdown(socket, Int32(SHUT_RDWR))
        let watch = watches[Int(socket)]
        if isEnded { watch.participant?._withUnsafeGuaranteedRef { $0.idleEnded(watch.place, since: watch.idleSince) } }
    }

    /// A transfer begins to send on a connection whose socket is not known.
    package func beginNameless() { nameless += 1 }

    /// Its socket is known, or it has ended.
    package func endNameless() {
        nameless -= 1
        guard nameless == 0, !suspects.isEmpty else { return }
        let sockets = suspects
        suspects = []
        for socket in sockets where watches[Int(socket)].isIdle { closeIdle(socket) }
    }

    /// When something could last be read from it, by the system's clock; nil for a socket that is not known.
    package func lastRead(_ socket: Int32) -> Int64? {
        socket >= 0 && Int(socket) < watches.count && watches[Int(socket)].isOwn ? watches[Int(socket)].lastRead : nil
    }

    // MARK: - Whose connection a socket is

    /// Names a connection by its addresses: of one that is used again, a transfer knows nothing else.
    ///
    /// - Parameter socket: The one that it may be; -1 if that is not known.
    /// - Returns: The socket of the connection, or nil if it is not found.
    package func socket(of connection: ConnectionKey, perhaps socket: Int32) -> Int32? {
        if let known = socketsByConnection[connection], watches[Int(known)].connection == connection { return known }
        var found: Int32?
        if socket >= 0, cepoll_local_port(socket) == connection.localPort {
            found = socket
        } else {
            // Of several sockets that were tried at once, another one won.
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

    /// Whether transfers have sent on this connection of HTTP/1 and are not known to be over.
    package func isTaken(_ socket: Int32) -> Bool {
        watches[Int(socket)].speaksHTTP1 && watches[Int(socket)].senders > 0
    }

    /// The last transfer that has begun to send on it; 0 when that one is over.
    package func sender(on socket: Int32) -> UInt { watches[Int(socket)].sender }

    /// Counts a transfer that begins to send. Returns a number that tells the socket from later ones, for `endSending`.
    package func beginSending(_ socket: Int32, user: UInt) -> UInt64 {
        watches[Int(socket)].isIdle = false
        watches[Int(socket)].user = user
        watches[Int(socket)].senders += 1
        watches[Int(socket)].sender = user
        return watches[Int(socket)].cookie
    }

    package func endSending(_ socket: Int32, _ cookie: UInt64, user: UInt) {
        guard watches[Int(socket)].cookie == cookie, watches[Int(socket)].senders > 0 else { return }
        watches[Int(socket)].senders -= 1
        // Its memory may be given back now.
        if watches[Int(socket)].sender == user { watches[Int(socket)].sender = 0 }
    }

    /// A response of HTTP/1 comes on it. False if several transfers have sent on it: the response may be for any of
    /// them.
    package func noteHTTP1(_ socket: Int32) -> Bool {
        watches[Int(socket)].speaksHTTP1 = true
        return watches[Int(socket)].senders <= 1
    }

    /// Ends the connection; its users find it closed.
    package func shutDown(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: - Writing that comes to nothing

    /// Notes whether a socket that was ready for writing only was written to; true when it was not for the 64th time in a row.
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

    /// Waits for writing again.
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
        // The number may belong to another socket by now, which epoll has not heard of.
        if result != 0, operation == EPOLL_CTL_MOD {
            _ = cepoll_control(epoll, EPOLL_CTL_ADD, Int32(socket), wanted.rawValue)
        }
    }
}
