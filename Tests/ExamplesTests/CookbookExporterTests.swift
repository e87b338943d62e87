import PlugboardKit
import PlugboardTesting
import TestSupport
import Testing

@testable import ExampleCookbook

/// The metrics of a kernel as text.
struct CookbookExporterTests {
    private let url = "https://api.test/v1/feed?page=2"

    private func metrics(_ bench: Workbench, _ arguments: String) async throws -> String {
        guard case .body(let body) = try await bench.kernel.command("com.example.exporter", "metrics", arguments) else {
            return "no body"
        }
        return try await body.text()
    }

    @Test func `requests under way are in a gauge, and their times in a histogram`() async throws {
        let bench = try Workbench(
            Exporter.self, transport: ScriptedTransport { sent, _ in sent.method == .get ? .respond(200) : .silence })
        let own = #"{ "prefix": "com.example.exporter." }"#

        _ = try await bench.send(Request(.get, url)).body.text()
        let handle = bench.begin(Request(.post, url))
        _ = await bench.transport.requests(atLeast: 2)
        let during = try await metrics(bench, own)
        bench.clock.advance(by: .seconds(20))
        handle.cancel()
        _ = try? await handle.response
        let after = try await metrics(bench, own)

        let open = "# TYPE com_example_exporter_open gauge\ncom_example_exporter_open"
        #expect(during.hasSuffix("\n\(open) 1\n"), "\(during)")
        #expect(
            after == """
                # TYPE com_example_exporter_milliseconds histogram
                com_example_exporter_milliseconds_bucket{outcome="cancelled",le="10"} 0
                com_example_exporter_milliseconds_bucket{outcome="cancelled",le="100"} 0
                com_example_exporter_milliseconds_bucket{outcome="cancelled",le="1000"} 0
                com_example_exporter_milliseconds_bucket{outcome="cancelled",le="10000"} 0
                com_example_exporter_milliseconds_bucket{outcome="cancelled",le="+Inf"} 1
                com_example_exporter_milliseconds_sum{outcome="cancelled"} 20000
                com_example_exporter_milliseconds_count{outcome="cancelled"} 1
                com_example_exporter_milliseconds_bucket{outcome="ended",le="10"} 1
                com_example_exporter_milliseconds_bucket{outcome="ended",le="100"} 1
                com_example_exporter_milliseconds_bucket{outcome="ended",le="1000"} 1
                com_example_exporter_milliseconds_bucket{outcome="ended",le="10000"} 1
                com_example_exporter_milliseconds_bucket{outcome="ended",le="+Inf"} 1
                com_example_exporter_milliseconds_sum{outcome="ended"} 0
                com_example_exporter_milliseconds_count{outcome="ended"} 1
                \(open) 0

                """)
    }

    @Test func `metrics of others are there, labels are escaped, and without an argument all are written`()
        async throws
    {
        let bench = try Workbench(Exporter.self) { $0.plugins.append(.linked(Quoting.self)) }
        _ = try await bench.send(Request(.get, url))

        let all = try await metrics(bench, "{}")
        let none = try await metrics(bench, #"{ "prefix": "com.example.nobody" }"#)

        let quoted = #"com_example_quoting_seen_1{my_label="a \"quoted\" \\ text ä"} 1"#
        #expect(all.contains("# TYPE com_example_quoting_seen_1 counter\n\(quoted)\n"), "\(all)")
        #expect(all.contains("# TYPE com_example_exporter_open gauge\n"), "\(all)")
        #expect(none == "")
    }

    /// Has a counter whose names and labels are none of Prometheus.
    struct Quoting: Plugin {
        static let manifest = Manifest(
            id: "com.example.quoting", version: "1.0.0", documentation: "Counts.", priority: 50, hooks: [.request])

        let host: PluginHost

        init(settings: NoSettings, host: PluginHost) { self.host = host }

        func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
            host.counter("seen-1", ["my-label": #"a "quoted" \ text ä"#]).add()
            return .next
        }
    }
}
