import CPlugboardEpoll
import PlugboardSystem

/// Connections that wait for their next request.
extension Poller {
    /// Notes that the connection is idle until it is watched again: bytes that are received until then belong to no
    /// response. Does nothing unless the socket was last watched for this user.
    package func beginIdling(_ socket: Int32, after user: UInt, at hostAndPort: String, since now: Int64) {
        guard socket >= 0, Int(socket) < watches.count, watches[Int(socket)].user == user,
            watches[Int(socket)].isOwn, watches[Int(socket)].wanted.isEmpty, !mayBeNameless(socket)
        else { return }
        // A response that came at once was read without watching for it.
        watches[Int(socket)].isLazy = true
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
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: newlyIdle.count) { polled in
            for (index, socket) in newlyIdle.enumerated() {
                // The system skips negative descriptors.
                let file = watches[Int(socket)].isIdle ? socket : -1
                polled.initializeElement(at: index, to: pollfd(fd: file, events: Int16(POLLIN), revents: 0))
            }
            // One call for all first, because hardly any has received something. It fails if there are too many.
            let count = poll(polled.baseAddress, nfds_t(polled.count), 0)
            if count == 0 { return }
            for entry in polled where entry.fd >= 0 && (entry.revents != 0 || count < 0) {
                var byte: UInt8 = 0
                let isEmpty = recv(entry.fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
                if !isEmpty, watches[Int(entry.fd)].isIdle { closeIdle(entry.fd) }
            }
        }
        newlyIdle.removeAll(keepingCapacity: true)
    }

    /// Closes an idle connection that received bytes: a response without a request makes it unusable (RFC 9112 §9.2).
    /// libcurl would read the bytes as the next response; so they are read here, and libcurl finds the connection
    /// closed.
    ///
    /// While a transfer sends on a socket that is not known, this one may be it; so the decision waits.
    func closeIdle(_ socket: Int32) {
        if mayBeNameless(socket) {
            register(Int(socket), [])
            return suspects.append(socket)
        }
        watches[Int(socket)].isIdle = false
        register(Int(socket), [])
        guard cepoll_socket_cookie(socket) == watches[Int(socket)].cookie else { return }
        let isEnded = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            // After 64 reads, the rest is left, because the shutdown makes the next write fail.
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
    ///
    /// - Parameter isLocal: Whether it is a Unix domain socket, which has no addresses to find it by.
    package func beginNameless(isLocal: Bool) { nameless[isLocal ? 1 : 0] += 1 }

    /// Notes that the socket of such a transfer is known, or that the transfer has ended.
    package func endNameless(isLocal: Bool) {
        nameless[isLocal ? 1 : 0] -= 1
        guard nameless[isLocal ? 1 : 0] == 0, !suspects.isEmpty else { return }
        let sockets = suspects
        suspects = []
        for socket in sockets where watches[Int(socket)].isIdle { closeIdle(socket) }
    }

    /// Whether a transfer may be sending on this socket without the loop's knowledge.
    private func mayBeNameless(_ socket: Int32) -> Bool { nameless[watches[Int(socket)].isLocal ? 1 : 0] > 0 }
}
