import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// The network of the system comes and goes.
@Suite(
    .enabled(if: NetworkNamespace.isPossible, "This system makes no network namespaces, or has no program `ip`."),
    .timeLimit(.minutes(2)))
struct QueueNetworkTests {
    @Test func `when the network comes back, requests are sent without waiting for their time`() async throws {
        let shore = try Shore()
        let namespace = try NetworkNamespace()
        let settings: JSONObject = ["delay": "1h", "delayLimit": "2h", "spread": "1ms"]
        let kernel = try namespace.run { try shore.kernel(settings: settings) }
        let ticket = try await Shore.queue(Shore.post("a"), in: kernel)
        let early = try await kernel.queue.outcome(of: ticket, within: .milliseconds(1))

        shore.isOnline = true
        try namespace.ip("link add eth0 type veth peer name peer0")
        try namespace.ip("link set peer0 up")
        try namespace.ip("link set eth0 up")
        try namespace.ip("route add default dev eth0")
        let outcome = try await kernel.queue.outcome(of: ticket)

        #expect(early.state == .waiting)
        #expect(outcome.hasSucceeded)
        await kernel.shutDown()
    }
}
