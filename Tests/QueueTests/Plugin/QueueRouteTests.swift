import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// By which route queued requests are sent.
@Suite(.timeLimit(.minutes(2)))
struct QueueRouteTests {
    private let shore: Shore

    init() throws { shore = try Shore() }

    private func kernel(
        _ linkage: Linkage, _ transport: MockTransport, acrossRoutes: Bool = false,
        _ change: (inout KernelSettings) -> Void = { _ in }
    ) throws -> Kernel {
        var settings = KernelSettings()
        change(&settings)
        return try shore.kernel(
            linkage, settings: ["automatic": false, "acrossRoutes": .bool(acrossRoutes)], kernel: settings,
            transport: transport)
    }

    @Test func `a stored path is absolute, because another process has another working directory`() {
        let head = CapturedHead(
            Fields(), Attributes(), [("unixSocket", "run/a.sock", false), ("tls.ca", "/etc/ca.pem", false)],
            storesCredentials: false)

        #expect(
            head.options.unixSocket?.hasPrefix("/") == true && head.options.unixSocket?.hasSuffix("/run/a.sock") == true
        )
        #expect(head.options.tls.ca == "/etc/ca.pem")
    }

    @Test(arguments: Linkage.allCases)
    func `a request goes by its own route and with its own trust, whatever the kernel's are`(
        linkage: Linkage
    ) async throws {
        var request = Shore.post("a")
        request.options.unixSocket = "/run/a.sock"
        request.options.tls.ca = "/etc/ca.pem"
        let first = try kernel(linkage, MockTransport())
        _ = try await first.sendLater(request)
        await first.shutDown()
        let transport = MockTransport()
        let second = try kernel(linkage, transport) { $0.defaults.unixSocket = "/run/b.sock" }

        let left = try await second.queue.replay()

        #expect(left.done == 1)
        #expect(transport.requests.map(\.options.unixSocket) == ["/run/a.sock"])
        #expect(transport.requests.map(\.options.tls.ca) == ["/etc/ca.pem"])
        await second.shutDown()
    }

    /// The sockets of the kernel that queues, and of the one that sends.
    private static let moves: [(queued: String?, sent: String?)] = [
        (nil, nil), (nil, "/run/a.sock"), ("/run/a.sock", nil), ("/run/a.sock", "/run/b.sock"),
        ("/run/a.sock", "/run/a.sock"),
    ]

    @Test(arguments: Linkage.allCases, moves)
    func `a request goes to the server that it was queued for, and to another only across routes`(
        linkage: Linkage, move: (queued: String?, sent: String?)
    ) async throws {
        let first = try kernel(linkage, MockTransport()) { $0.defaults.unixSocket = move.queued }
        let ticket = try await first.sendLater(Shore.post("a"))
        await first.shutDown()
        let transport = MockTransport()
        let second = try kernel(linkage, transport) { $0.defaults.unixSocket = move.sent }

        _ = try await second.queue.replay()

        let isSent = move.queued == move.sent
        let waiting = try await second.queue.list(state: .waiting)
        #expect(transport.requests.map(\.options.unixSocket) == (isSent ? [move.sent] : []))
        #expect(waiting.map(\.id) == (isSent ? [] : [ticket]) && waiting.allSatisfy { $0.code == "queue.route" })
        await second.shutDown()
        if isSent { return }
        let across = MockTransport()
        let third = try kernel(linkage, across, acrossRoutes: true) { $0.defaults.unixSocket = move.sent }
        _ = try await third.queue.replay(id: ticket)
        #expect(across.requests.map(\.options.unixSocket) == [move.sent])
        await third.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a request that waits for its route holds up no other of its origin`(linkage: Linkage) async throws {
        let first = try kernel(linkage, MockTransport()) { $0.defaults.connectTo = ["a.test:80": "127.0.0.1:1"] }
        _ = try await first.sendLater(Shore.post("a"))
        await first.shutDown()
        let transport = MockTransport()
        // An entry for another host is no detour of this one.
        let second = try kernel(linkage, transport) { $0.defaults.connectTo = ["b.test:80": "127.0.0.1:1"] }
        _ = try await second.sendLater(Shore.post("b"))

        _ = try await second.queue.replay()

        #expect(transport.requests.map(\.url) == ["http://a.test/b"])
        await second.shutDown()
    }
}
