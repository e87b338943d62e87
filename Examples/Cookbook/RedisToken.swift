import Glibc
import PlugboardKit
import Synchronization

/// Descriptors: asks a Redis server on this machine for the token of each request, without a thread. The kernel watches
/// the connection, and its reply wakes the exchange.
struct RedisToken: Plugin {
    static let manifest = Manifest(
        id: "com.example.redis-token", version: "1.0.0", documentation: "Takes tokens from a Redis server.",
        priority: 510, hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The port of the Redis server.", in: 1...65535) var port = 6379
        @Setting("The name of the token on the server.") var key = "token"
        @Setting("How long a request waits for its token.") var patience = Duration.seconds(5)
    }
    let settings: Settings
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        if exchange.visit == .first {
            let ticket = exchange.ticket(within: settings.patience)
            let question = RedisQuestion(settings.key, waking: ticket)
            // Released when the exchange ends, on every path.
            exchange.state = question
            return question.begin(port: settings.port, host) ? .wait(ticket) : fail("cannot be reached")
        }
        guard let token = (exchange.state as? RedisQuestion)?.token else { return fail("gave no whole reply") }
        if token.isEmpty { return fail("has no token named \(settings.key)") }
        do throws(PlugboardError) {
            // The token comes from outside: an invalid one fails this exchange, and is not a fault.
            try exchange.request.setField("X-Token", token)
        } catch {
            return .fail(error)
        }
        exchange.request.markSecret("X-Token")
        return .next
    }

    private func fail(_ what: String) -> RequestVerdict {
        .fail(PlugboardError("com.example.redis-token.none", "The Redis server at port \(settings.port) \(what)."))
    }
}

/// One question and its reply, on a connection of its own.
private final class RedisQuestion: Sendable {
    private struct State {
        var watch: PluginHost.Watch?
        var received: [UInt8] = []
        var token: String?
    }
    private let state = Mutex(State())
    private let command: [UInt8]
    private let ticket: Ticket

    init(_ key: String, waking ticket: Ticket) {
        command = Array("*2\r\n$3\r\nGET\r\n$\(key.utf8.count)\r\n\(key)\r\n".utf8)
        self.ticket = ticket
    }

    deinit { state.withLock { _ = $0.watch?.cancel() } }

    /// The token of the reply, empty if there is none; nil if the connection broke before, or the time was over.
    var token: String? { state.withLock { $0.token } }

    /// Connects without waiting. Returns false if that is not possible.
    func begin(port: Int, _ host: PluginHost) -> Bool {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(AF_INET, Int32(kind), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var watch: PluginHost.Watch?
        if code == 0 || errno == EINPROGRESS {
            // Weak: the state of the exchange holds the question, and its release ends the watch.
            watch = host.watch(descriptor, for: .write) { [weak self] watch, ready in
                self?.proceed(watch, ready, descriptor)
            } released: {
                close(descriptor)
            }
        }
        if watch == nil && descriptor >= 0 { close(descriptor) }
        state.withLock { $0.watch = watch }
        return watch != nil
    }

    /// Continues on the loop of the exchange.
    private func proceed(_ watch: PluginHost.Watch, _ ready: PluginHost.Readiness, _ descriptor: Int32) {
        let isOver = state.withLock { state in
            if ready.contains(.write) {
                // The system takes so few bytes at once.
                let isSent = send(descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count
                return !(isSent && watch.change(to: .read))
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0 { return errno != EAGAIN && errno != EINTR }
            state.received += bytes[..<count]
            state.token = RedisQuestion.token(in: state.received)
            return count == 0 || state.token != nil
        }
        if !isOver { return }
        watch.cancel()
        ticket.wake()
    }

    /// The token in the reply `$5`, CR LF, five bytes, CR LF. Nil if the reply is incomplete, and an empty text for a
    /// reply without a token, or with one of more than 4096 bytes.
    private static func token(in reply: [UInt8]) -> String? {
        guard let line = reply.firstIndex(of: 10) else { return reply.count > 4096 ? "" : nil }
        let head = String(decoding: reply[..<line], as: UTF8.self)
        guard head.first == "$", let count = Int(head.dropFirst().dropLast()), 0...4096 ~= count else { return "" }
        let bytes = reply[(line + 1)...]
        return bytes.count < count + 2 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
