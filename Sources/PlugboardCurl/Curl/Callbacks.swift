import CPlugboardCurl
import PlugboardSystem
import PlugboardTransport

/// The functions that libcurl calls. They call no observer: reports wait for `settle`, when libcurl is not on the
/// stack.
enum Callbacks {
    static let header: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return 0 }
        state.pointee.touched.pointee.add(state)
        let wasFinal = state.pointee.head.isFinal
        guard state.pointee.readLines(UnsafeRawBufferPointer(start: bytes, count: size * count)) else { return 0 }
        if !wasFinal, state.pointee.head.isFinal {
            if state.pointee.head.version != .http2, !state.noteHTTP1() { return 0 }
            state.listenIfNeeded()
            state.pointee.awaitEndIfNeeded()
        }
        return size * count
    }

    static let body: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return 0 }
        state.pointee.touched.pointee.add(state)
        state.pointee.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        if state.pointee.isSecure, state.pointee.expected == 0 { state.endSharingIfSurplus() }
        state.pauseIfFull()
        return size * count
    }

    static let upload: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return Int(CURL_READFUNC_ABORT) }
        state.pointee.touched.pointee.add(state)
        return state.pointee.upload.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    static let trailer: ccurl_trailer = { list, context in
        guard let state = Callbacks.state(context), let list else { return Int32(CURL_TRAILERFUNC_ABORT) }
        for field in state.pointee.upload.trailers {
            guard let longer = curl_slist_append(list.pointee, "\(field.name): \(field.value)") else {
                return Int32(CURL_TRAILERFUNC_ABORT)
            }
            list.pointee = longer
        }
        return Int32(CURL_TRAILERFUNC_OK)
    }

    /// Called before libcurl sends the request. A second sending is refused: the kernel decides whether a request that
    /// may have been processed is sent again (RFC 9110 §9.2.2), and counts the attempts.
    static let prerequest: ccurl_prerequest = { context, remoteAddress, _, remotePort, localPort in
        guard let state = Callbacks.state(context) else { return Int32(CURL_PREREQFUNC_ABORT) }
        state.pointee.sendings += 1
        state.pointee.touched.pointee.add(state)
        // Without TLS, only prior knowledge counts, and the connection is HTTP/2.
        if state.pointee.mayBeHTTP2 {
            state.pointee.isHTTP2 = TLSLibrary.hasAgreedOnHTTP2(state.pointee.easy) ?? !state.pointee.isSecure
        }
        let connection = ConnectionKey(
            remoteAddress: remoteAddress, remotePort: remotePort, localPort: localPort)
        // At a second sending, the connection may already be the transfer's own.
        let mayBeSent = state.pointee.sendings == 1 && state.noteSending(connection)
        return Int32(mayBeSent ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    }

    /// Reads libcurl's log and the raw bytes of the response: there is no other sign that a stream was refused before
    /// it was processed, that a response has ended before its request, or that bytes followed it.
    static let debug: ccurl_debug = { _, kind, text, count, context in
        guard let text, let state = Callbacks.state(context) else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        if let log = state.pointee.multi._withUnsafeGuaranteedRef({ $0.wireLog }) { state.tell(log, kind, bytes) }
        guard kind == CURLINFO_TEXT || kind == CURLINFO_DATA_IN, state.pointee.isListening else { return 0 }
        let (hadEndMark, hadFailure) = (state.pointee.hasEndMark, state.pointee.failure != nil)
        if kind == CURLINFO_TEXT { state.readLog(bytes) } else { state.pointee.readRaw(bytes) }
        if state.pointee.hasEndMark != hadEndMark || (state.pointee.failure != nil) != hadFailure {
            state.pointee.touched.pointee.add(state)
        }
        return 0
    }

    static let resolverStart: ccurl_resolver_start = { _, _, context in
        Callbacks.state(context)?.pointee.opening = .resolving
        return 0
    }

    static let openSocket: ccurl_open_socket = { context, _, address in
        guard let state = Callbacks.state(context), let address else { return CURL_SOCKET_BAD }
        state.pointee.opening = .connecting
        state.listenIfSentAgain()
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        var socket = socket(address.pointee.family, kind, address.pointee.protocol)
        if socket < 0 {
            state.pointee.socketError = errno
        } else if Callbacks.isLastDescriptor(socket) {
            // Other code of the process needs one: libdispatch, which runs Swift's tasks, traps without a descriptor.
            close(socket)
            socket = CURL_SOCKET_BAD
            state.pointee.socketError = EMFILE
        }
        let isLocal = address.pointee.family == AF_UNIX
        state.pointee.multi._withUnsafeGuaranteedRef {
            $0.loop.poller.adopt(socket, isLocal: isLocal, for: $0, at: $0.loop.systemNow)
        }
        return socket
    }

    /// Whether this is the last file that the process can open. `socket` returns the lowest free number.
    private static func isLastDescriptor(_ socket: Int32) -> Bool {
        var limit = rlimit()
        #if canImport(Musl)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        return getrlimit(resource, &limit) == 0 && UInt64(socket) + 1 >= UInt64(limit.rlim_cur)
    }

    static let closeSocket: ccurl_close_socket = { context, socket in
        Callbacks.multi(context)?._withUnsafeGuaranteedRef { $0.loop.poller.forget(socket, at: $0.loop.systemNow) }
        return close(socket)
    }

    static let watchSocket: ccurl_socket = { easy, socket, what, context, _ in
        guard let multi = Callbacks.multi(context) else { return -1 }
        var wanted: Readiness = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted.insert(.read) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted.insert(.write) }
        var context: UnsafeMutableRawPointer?
        if !wanted.isEmpty, let easy {
            ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            let state = Callbacks.state(context)
            state?.pointee.nameSocket(socket)
            // While a connection is being opened, libcurl waits until it can write, and only then for bytes to read.
            if wanted == .read, state?.pointee.opening == .connecting { state?.pointee.opening = .securing }
        }
        let user = UInt(bitPattern: context)
        multi._withUnsafeGuaranteedRef { $0.loop.poller.watch(socket, wanted, for: $0, user: user) }
        return 0
    }

    static let setTimer: ccurl_timer = { _, milliseconds, context in
        Callbacks.multi(context)?._withUnsafeGuaranteedRef { $0.setTimer(milliseconds) }
        return 0
    }

    private static func state(_ context: UnsafeMutableRawPointer?) -> TransferState.Pointer? {
        context?.assumingMemoryBound(to: TransferState.self)
    }

    private static func multi(_ context: UnsafeMutableRawPointer?) -> Unmanaged<MultiHandle>? {
        context.map { Unmanaged<MultiHandle>.fromOpaque($0) }
    }
}
