import CPlugboardCurl
import PlugboardTransport

/// A transfer on its connection, which other transfers use before and after it.
extension TransferState.Pointer {
    /// Called before libcurl sends on a connection, which may be a reused one. Returns false if it must not send.
    func noteSending(_ connection: ConnectionKey?) -> Bool {
        pointee.multi._withUnsafeGuaranteedRef { multi in
            let poller = multi.loop.poller
            guard let socket = connection.flatMap({ poller.socket(of: $0, perhaps: pointee.socket) }) else {
                if pointee.socket < 0 { pointee.beginNameless() }
                return true
            }
            if poller.isTaken(socket), !takeOver(socket, poller) {
                pointee.isCrossed = true
                return false
            }
            pointee.nameSocket(socket)
            endSending()
            pointee.sendingSocket = socket
            pointee.sendingCookie = poller.beginSending(socket, user: UInt(bitPattern: self))
            return true
        }
    }

    /// Whether the transfer that has sent on the socket has ended, even if libcurl has not announced it yet.
    private func takeOver(_ socket: Int32, _ poller: Poller) -> Bool {
        guard let other = TransferState.Pointer(bitPattern: poller.sender(on: socket)) else { return false }
        // Cheaper than asking libcurl: nothing of that transfer is still to come.
        if !other.pointee.hasUpload, other.pointee.head.version != .http2, other.pointee.isResponseWhole {
            other.endSending()
            return !poller.isTaken(socket)
        }
        // libcurl returns the socket of a transfer only after it has ended.
        var named: curl_socket_t = -1
        ccurl_get_socket(other.pointee.easy, CURLINFO_ACTIVESOCKET, &named)
        if named < 0 { return false }
        other.endSending()
        return !poller.isTaken(socket)
    }

    /// Lets other transfers use the connection from now on.
    func endSending() {
        let socket = pointee.sendingSocket
        guard socket >= 0 else { return }
        pointee.sendingSocket = -1
        pointee.multi._withUnsafeGuaranteedRef {
            $0.loop.poller.endSending(socket, pointee.sendingCookie, user: UInt(bitPattern: self))
        }
    }

    /// Called after the whole body. If the server has sent more bytes, the connection takes no other request.
    func endSharingIfSurplus() {
        guard pointee.head.version != .http2, TLSLibrary.hasRest(pointee.easy) else { return }
        endSharing()
    }

    /// Reads a line of libcurl's log, and ends the sharing if libcurl has read bytes after the response.
    func readLog(_ line: UnsafeRawBufferPointer) {
        guard pointee.head.isFinal, pointee.head.version != .http2 else { return pointee.streamLog.read(line) }
        if StreamLog.begins(line, "Excess found") || StreamLog.begins(line, "Leftovers after chunking"),
            mayHideSurplus
        {
            endSharing()
        }
    }

    /// Shuts the connection down, so that libcurl does not use it again: the server has sent more than the response,
    /// and what follows cannot be assigned to any request (RFC 9112 §9.2).
    private func endSharing() {
        let socket = pointee.sendingSocket >= 0 ? pointee.sendingSocket : pointee.socket
        if socket >= 0 { pointee.multi._withUnsafeGuaranteedRef { $0.loop.poller.shutDown(socket) } }
    }

    /// Called after a final head in HTTP/1. Returns false if another transfer has sent on the connection, too: the
    /// response may belong to either, so that both fail.
    func noteHTTP1() -> Bool {
        let socket = pointee.sendingSocket
        guard socket >= 0 else { return true }
        return pointee.multi._withUnsafeGuaranteedRef { multi in
            if multi.loop.poller.noteHTTP1(socket) { return true }
            multi.endCrossed(socket)
            return false
        }
    }

    /// Called after the final head. Switches libcurl's log on if only the log shows the end of the response, or bytes
    /// after it.
    func listenIfNeeded() {
        if needsRawBytes || mayHideSurplus { listen() }
    }

    // Not properties of the state itself, which would be copied with its references for each call.
    /// Whether the response may end before its request, and only its raw bytes show its end.
    private var needsRawBytes: Bool {
        pointee.hasUpload && !pointee.upload.isSent && pointee.head.isFinal && pointee.head.isChunked
            && pointee.head.version != .http2
    }

    /// Whether libcurl may read bytes after the response together with its end, drop them, and use the connection
    /// again: only its log shows that.
    private var mayHideSurplus: Bool {
        guard pointee.head.isFinal, pointee.head.version != .http2 else { return false }
        return pointee.isHead || pointee.head.isChunked || pointee.head.status == 204 || pointee.head.status == 304
            || pointee.head.contentLength == 0
    }

    /// Called when libcurl opens a socket. For a second sending, switches the log on, because only that shows why.
    func listenIfSentAgain() {
        if pointee.sendings > 0 { listen() }
    }

    private func listen() {
        if pointee.isListening { return }
        pointee.isListening = true
        ccurl_set_long(pointee.easy, CURLOPT_VERBOSE, 1)
    }

    /// Pauses libcurl at once when the queue is full, because it reads as long as there are bytes. The bytes of this
    /// callback are kept; libcurl would deliver refused bytes again.
    func pauseIfFull() {
        guard pointee.received.count > pointee.queueLimit, !pointee.isReceivingPaused, !pointee.isDiscarding else {
            return
        }
        pointee.isReceivingPaused = true
        pointee.pausedParts |= CURLPAUSE_RECV
        // libcurl may call back in this call, so that no access to the state may be open.
        curl_easy_pause(pointee.easy, pointee.pausedParts)
    }
}
