import Foundation
import Synchronization

/// An HTTP server on 127.0.0.1 that does exactly what a test's script defines, byte by byte.
///
///     let server = try LoopbackServer { connection in
///         let request = try connection.readRequest()
///         try connection.respond(status: 200, body: request.target)
///     }
///
/// The script runs once for each accepted connection, on a thread of its own. When it returns or throws, the connection
/// is closed gracefully. A thrown error ends that connection only and is kept in `failures`.
package final class LoopbackServer: Sendable {
    /// The port, chosen by the system.
    package let port: Int
    private let core: Core

    /// Starts to listen. Throws if there is no socket or thread.
    package convenience init(_ script: Script) throws {
        let (descriptor, port) = try sockaddr_in.bindLoopback()
        try self.init(descriptor, port, script)
    }

    /// Starts to listen on a port that has refused connections until now.
    package convenience init(opening closed: ClosedPort, _ script: Script) throws {
        let descriptor = fcntl(closed.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SystemError.failed("fcntl", errno) }
        try self.init(descriptor, closed.port, script)
    }

    private init(_ descriptor: Int32, _ port: Int, _ script: Script) throws {
        guard listen(descriptor, 1024) == 0 else {
            let number = errno
            close(descriptor)
            throw SystemError.failed("listen", number)
        }
        self.port = port
        core = Core(listener: descriptor, script: script)
        try core.start()
    }

    package convenience init(_ script: @escaping @Sendable (Connection) throws -> Void) throws {
        try self.init(Script(script))
    }

    /// A server that responds to each request, keeping connections open as HTTP/1.1 does (RFC 9112 §9.3).
    package static func responding(
        _ response: @escaping @Sendable (ReceivedRequest) throws -> ServerResponse
    ) throws -> LoopbackServer {
        try LoopbackServer(.responding(response))
    }

    deinit { core.stop() }

    /// Closes all sockets, interrupts scripts that wait, and returns when all threads have ended.
    ///
    /// The server does this by itself when it is released. Called on the thread of a script, it does not wait.
    package func stop() { core.stop() }

    /// An absolute URL on this server; the path begins with "/".
    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// All requests received so far, in the order in which their heads arrived.
    package var requests: [ReceivedRequest] { core.state.withLock { $0.requests } }

    /// The number of connections accepted so far.
    package var connectionCount: Int { core.state.withLock { $0.connectionCount } }

    /// Errors that scripts have thrown so far. Clients that disconnect early cause such errors, often on purpose.
    package var failures: [any Error] { core.state.withLock { $0.failures } }

    /// Waits until this many requests have been received completely, and returns all requests so far.
    package func requests(atLeast count: Int) async throws -> [ReceivedRequest] {
        try await core.received.opened(for: count)
        return requests
    }

    /// Waits until this many connections have been accepted.
    package func connections(atLeast count: Int) async throws {
        try await core.accepted.opened(for: count)
    }

    /// Waits until the scripts of this many connections have ended, for example because the client closed them.
    package func endedConnections(atLeast count: Int) async throws {
        try await core.ended.opened(for: count)
    }
}

/// The state shared by the threads. They hold this and not the server, so that releasing the server stops them.
final class Core: Sendable {
    struct State {
        var listener: Int32?
        var isListening = true
        var isStopped = false
        var requests: [ReceivedRequest] = []
        var connectionCount = 0
        var failures: [any Error] = []
        var sockets: [Int: Socket] = [:]
        var threads: Set<pthread_t> = []
    }

    let state: Mutex<State>
    let received = Gate()
    let accepted = Gate()
    let ended = Gate()
    private let script: Script
    private let running = DispatchGroup()

    init(listener: Int32, script: Script) {
        state = Mutex(State(listener: listener))
        self.script = script
    }

    func start() throws {
        do {
            try startThread { [self] in acceptConnections() }
        } catch {
            closeListener()
            throw error
        }
    }

    func stop() {
        let (sockets, isOwnThread) = state.withLock { state in
            state.isStopped = true
            // A listening socket that is shut down makes accept() return.
            if let listener = state.listener { _ = shutdown(listener, Int32(SHUT_RDWR)) }
            return (Array(state.sockets.values), state.threads.contains(pthread_self()))
        }
        for socket in sockets { socket.interrupt() }
        if !isOwnThread { running.wait() }
    }

    func stopListening() {
        state.withLock { state in
            state.isListening = false
            if let listener = state.listener { _ = shutdown(listener, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptConnections() {
        defer { closeListener() }
        while let listener = state.withLock({ $0.isStopped || !$0.isListening ? nil : $0.listener }) {
            let descriptor = GNU.accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            guard descriptor >= 0 else {
                // No descriptors are free at the moment; other code of this process will close some.
                if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                continue
            }
            let socket = Socket(descriptor)
            let index: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.connectionCount += 1
                state.sockets[state.connectionCount] = socket
                return state.connectionCount
            }
            guard let index else { return }
            accepted.admit()
            do {
                try startThread { [self] in serve(socket, index) }
            } catch {
                state.withLock {
                    $0.failures.append(error)
                    $0.sockets[index] = nil
                }
            }
        }
    }

    private func closeListener() {
        state.withLock { state in
            if let listener = state.listener { close(listener) }
            state.listener = nil
        }
    }

    private func serve(_ socket: Socket, _ index: Int) {
        do {
            try script.run(LoopbackServer.Connection(socket: socket, index: index, core: self))
        } catch {
            state.withLock { $0.failures.append(error) }
        }
        ended.admit()
        socket.lingerAndClose(limit: 2)
        state.withLock { $0.sockets[index] = nil }
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) throws {
        running.enter()
        let work = Work { [self] in
            let own = pthread_self()
            state.withLock { _ = $0.threads.insert(own) }
            body()
            state.withLock { _ = $0.threads.remove(own) }
            running.leave()
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 20)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(work)
        let status = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            running.leave()
            throw SystemError.failed("pthread_create", status)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
