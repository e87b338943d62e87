import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// Which attempts wait for the connections of others.
@Suite struct ConnectionGateTests {
    @Test func `attempts at one host over different Unix sockets do not wait for one another`() async throws {
        let client = Client()

        let admitted = await client.onLoop {
            let multi = MultiHandle(loop: client.loop, settings: CurlTransportSettings(), usesProxyEnvironment: false)
            defer { multi.retire {} }
            var gate = ConnectionGate()
            let first = (1...17).map { _ in gate.admits(transfer(multi, over: "/one")) }
            let others = ["/two", nil].map { gate.admits(transfer(multi, over: $0)) }
            return first.suffix(2) + others
        }

        #expect(admitted == [true, false, true, true])
    }

    private func transfer(_ multi: MultiHandle, over path: String?) -> Transfer {
        var options = RequestOptions()
        options.unixSocket = path
        let attempt = AttemptRequest(
            method: .get, url: "https://service.test/", fields: Fields(), options: options, optionsIdentity: 1)
        let (url, handle) = (try? URLHandle(attempt.url), multi.handle())
        if let url, let handle, let body = try? RequestBody(attempt) {
            try? handle.prepare(attempt, url: url, body: body)
        }
        return Transfer(multi: multi, attempt: attempt, url: url, handle: handle, observer: AttemptRecord())
    }
}
