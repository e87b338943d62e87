import CPlugboardEpoll
import PlugboardSystem

/// The sockets of connections, and the transfers that send on them.
extension Poller {
    /// When the socket was last ready for reading, by the system's clock; nil for a socket that is not known.
    package func lastRead(_ socket: Int32) -> Int64? {
        socket >= 0 && Int(socket) < watches.count && watches[Int(socket)].isOwn ? watches[Int(socket)].lastRead : nil
    }

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

    /// Ends `beginSending`. Does nothing if the descriptor already belongs to another socket.
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
    /// not, and at each further one after watching has resumed, suspends watching for writing and returns true.
    package func noteWrite(_ socket: Int32, isVain: Bool) -> Bool {
        let index = Int(socket)
        guard index < watches.count, watches[index].isOwn else { return false }
        if !isVain {
            watches[index].vainWrites = 0
            return false
        }
        watches[index].vainWrites = min(watches[index].vainWrites + 1, 64)
        guard watches[index].vainWrites == 64, watches[index].wanted.contains(.write) else { return false }
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
}
