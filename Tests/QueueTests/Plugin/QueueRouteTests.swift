import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@testable import PlugboardQueue

/// By which route queued requests are sent.
@Suite(.timeLimit(.minutes(2)))
struct QueueRouteTests {
    private let shore: Shore

    init() throws { shore = try Shore() }

    private func kernel(
        _ linkage: Linkage, _ transport: MockTransport, _ change: (inout KernelSettings) -> Void = { _ in }
    ) throws -> Kernel {
        var settings = KernelSettings()
        change(&settings)
        return try shore.kernel(linkage, settings: ["automatic": false], kernel: settings, transport: transport)
    }

    @Test func `a stored path is absolute, because another process has another working directory`() {
        let head = StoredHead(
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

    @Test(arguments: Linkage.allCases)
    func `what the kernel's socket led elsewhere waits for a kernel that has one`(linkage: Linkage) async throws {
        let first = try kernel(linkage, MockTransport()) { $0.defaults.unixSocket = "/run/a.sock" }
        let ticket = try await first.sendLater(Shore.post("a"))
        await first.shutDown()
        let direct = MockTransport()
        let second = try kernel(linkage, direct)

        _ = try await second.queue.replay()

        let waiting = try await second.queue.list()
        #expect(direct.requests.isEmpty)
        #expect(waiting.map(\.id) == [ticket] && waiting.map(\.code) == ["queue.route"])
        await second.shutDown()
        let moved = MockTransport()
        let third = try kernel(linkage, moved) { $0.defaults.unixSocket = "/run/b.sock" }
        _ = try await third.queue.replay()
        #expect(moved.requests.map(\.options.unixSocket) == ["/run/b.sock"])
        await third.shutDown()
    }
}
