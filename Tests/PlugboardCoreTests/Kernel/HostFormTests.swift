import Plugboard
import PlugboardKit
import TestSupport
import Testing

/// Pins, options and origins are found by one normal form of hosts.
struct HostFormTests {
    private static let pins = ["A", "E"].map { "sha256//\(String(repeating: $0, count: 43))=" }

    @Test(arguments: [
        ("pinned.test", "https://pinned.test./"), ("Pinned.Test.", "https://pinned.test/"),
        ("pinned.test", "https://u:p@PINNED.test:444/"), ("127.0.0.1", "https://0x7f.1/"),
        ("2130706433", "https://127.0.0.1/"), ("[::1]", "https://[0:0::1]/"),
    ])
    func `pins are found however the host is written`(host: String, url: String) async throws {
        let transport = MockTransport()
        let kernel = try makeKernel([], transport) { $0.kernel.pins = [host: Self.pins] }

        _ = try await kernel.send(Request(.get, url))
        _ = try await kernel.send(Request(.get, "https://other.test/"))

        #expect(transport.requests.map(\.options.pins) == [Self.pins.joined(separator: ";"), nil])
    }

    @Test(arguments: [["b\u{fc}cher.test": ["x"]], ["https://a.test": ["x"]], ["a.test": ["x"], "A.test.": ["y"]]])
    func `pins that would never be found are refused`(pins: [String: [String]]) {
        let error = #expect(throws: PlugboardError.self) { _ = try makeKernel([]) { $0.kernel.pins = pins } }

        #expect(error?.code == .configuration)
    }

    @Test(arguments: [("http://a.test", true), ("http://A.test.:80/x", true), ("http://a.test.:81/", false)])
    func `a request that is sent again keeps its secrets at its origin only, however that is written`(
        url: String, isSame: Bool
    ) async throws {
        let transport = MockTransport { _, number in .respond(number == 1 ? 503 : 200) }
        let plugin = ScriptedPlugin("moves", priority: 1)
        plugin.onResponse = { exchange in
            guard exchange.response?.status == 503 else { return .next }
            exchange.request.url = url
            return .resend()
        }
        let kernel = try makeKernel([plugin], transport)

        _ = try await kernel.send(Request(.get, "http://a.test/", fields: ["Authorization": "x"]))

        #expect(transport.requests.map { $0.fields["Authorization"] } == ["x", isSame ? "x" : nil])
    }
}
