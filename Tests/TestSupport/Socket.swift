import Foundation
import Synchronization

/// One accepted TCP connection, closed exactly once.
///
/// Reading, writing and closing belong to the connection's own thread. `interrupt()` may be called from any thread: it
/// only shuts the socket down, under the lock that closing takes, so that it never affects a descriptor that was closed
/// and reused by other code.
final class Socket: Sendable {
    private struct State {
        var descriptor: Int32?
        var isInterrupted = false
        var onInterrupt: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// Takes ownership of the descriptor.
    init(_ descriptor: Int32) {
        state = Mutex(State(descriptor: descriptor))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        setTimeout(SO_SNDTIMEO, Gate.patience.seconds)
        setTimeout(SO_RCVTIMEO, Gate.patience.seconds)
    }

    deinit { close() }

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Writes all bytes. Throws if the peer has disconnected; never raises SIGPIPE.
    func write(_ bytes: [UInt8]) throws {
        let descriptor = try descriptor()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                return send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno != EINTR {
                throw SystemError.failed("send", errno)
            }
        }
    }

    /// Reads the available bytes, after waiting for at least one; empty at the peer's end.
    func read(upTo limit: Int = 65_536) throws -> [UInt8] {
        let descriptor = try descriptor()
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
                count = recv(descriptor, buffer.baseAddress, limit, 0)
                initialized = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno != EINTR { throw SystemError.failed("recv", errno) }
        }
    }

    /// Blocks until the peer's system has acknowledged all written bytes, or the connection has ended.
    func waitUntilArrived() {
        guard let descriptor = try? descriptor() else { return }
        var waiting: Int32 = 0
        // SIOCOUTQ is polled, because there is no event for it.
        while ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0, waiting > 0 {
            var events = pollfd(fd: descriptor, events: 0, revents: 0)
            if poll(&events, 1, 1) > 0 { return }
        }
    }

    /// Sends the end of the stream after the written bytes; the peer may still send.
    func finishWriting() {
        _ = state.withLock { state in
            state.descriptor.map { shutdown($0, Int32(SHUT_WR)) }
        }
    }

    /// Ends writing, then discards bytes of the peer until it closes too, or is silent for `limit` seconds.
    ///
    /// A socket that is closed with unread bytes sends RST, which discards bytes that the peer has not read yet.
    func lingerAndClose(limit: Double) {
        finishWriting()
        setTimeout(SO_RCVTIMEO, limit)
        while let bytes = try? read(), !bytes.isEmpty {}
        close()
    }

    /// Closes at once with RST.
    func reset() {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            var hard = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        }
        close()
    }

    func close() {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            Glibc.close(descriptor)
            state.descriptor = nil
        }
    }

    /// Ends present and future waits of the connection's thread. Can be called from any thread.
    func interrupt() {
        let onInterrupt = state.withLock { state in
            state.isInterrupted = true
            if let descriptor = state.descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.onInterrupt
        }
        onInterrupt?()
    }

    /// Makes `interrupt()` call the function as well, or calls it at once if the interruption came before.
    func setOnInterrupt(_ onInterrupt: (@Sendable () -> Void)?) {
        let isInterrupted = state.withLock { state in
            state.onInterrupt = onInterrupt
            return state.isInterrupted
        }
        if isInterrupted { onInterrupt?() }
    }

    private func descriptor() throws -> Int32 {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw SystemError.closed }
        return descriptor
    }

    private func setTimeout(_ option: Int32, _ seconds: Double) {
        let whole = seconds.rounded(.down)
        var time = timeval(tv_sec: Int(whole), tv_usec: Int((seconds - whole) * 1_000_000))
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}

extension sockaddr_in {
    /// 127.0.0.1 with a port in host order; 0 lets the system choose.
    static func loopback(port: UInt16 = 0) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    /// Creates a TCP socket that is bound to a free port of 127.0.0.1.
    static func bindLoopback() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.failed("socket", errno) }
        var address = sockaddr_in.loopback()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 ? getsockname(descriptor, generic, &size) : -1
            }
        }
        guard status == 0 else {
            let number = errno
            close(descriptor)
            throw SystemError.failed("bind", number)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
