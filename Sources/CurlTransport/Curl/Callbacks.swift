import CCurl
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What libcurl calls. Nothing here calls out: reports wait for `settle`, when libcurl is not on the stack.
enum Callbacks {
    static let header: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return 0 }
        state.pointee.touched.pointee.add(state)
        return state.pointee.readLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    static let body: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return 0 }
        state.pointee.touched.pointee.add(state)
        state.pointee.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        state.pauseIfFull()
        return size * count
    }

    static let upload: ccurl_transfer = { bytes, size, count, context in
        guard let state = Callbacks.state(context) else { return Int(CURL_READFUNC_ABORT) }
        state.pointee.touched.pointee.add(state)
        return state.pointee.upload.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    /// libcurl sends again what a connection took that turned out to be dead, from the first byte.
    static let seek: ccurl_seek = { context, offset, origin in
        guard let state = Callbacks.state(context), offset == 0, origin == SEEK_SET,
            let transfer = state.pointee.transfer?.takeUnretainedValue(), transfer.rewindUpload()
        else { return Int32(CURL_SEEKFUNC_CANTSEEK) }
        state.pointee.upload.rewind()
        state.pointee.touched.pointee.add(state)
        return Int32(CURL_SEEKFUNC_OK)
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

    static let prerequest: ccurl_prerequest = { context, _, _, _, _ in
        guard let state = Callbacks.state(context) else { return Int32(CURL_PREREQFUNC_ABORT) }
        state.pointee.isPrerequestDone = true
        state.pointee.touched.pointee.add(state)
        return Int32(CURL_PREREQFUNC_OK)
    }

    static let openSocket: ccurl_open_socket = { context, _, address in
        guard let multi = Callbacks.multi(context), let address else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = socket(address.pointee.family, kind, address.pointee.protocol)
        multi._withUnsafeGuaranteedRef { $0.loop.poller.adopt(socket, for: $0) }
        return socket
    }

    static let closeSocket: ccurl_close_socket = { context, socket in
        Callbacks.multi(context)?._withUnsafeGuaranteedRef { $0.loop.poller.forget(socket) }
        return close(socket)
    }

    static let watchSocket: ccurl_socket = { easy, socket, what, context, _ in
        guard let multi = Callbacks.multi(context) else { return -1 }
        var wanted: Readiness = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted.insert(.read) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted.insert(.write) }
        if wanted.contains(.write), let easy {
            var context: UnsafeMutableRawPointer?
            ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            Callbacks.state(context)?.pointee.sendingSocket = socket
        }
        multi._withUnsafeGuaranteedRef { $0.loop.poller.watch(socket, wanted, for: $0) }
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
