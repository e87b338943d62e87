import PlugboardJSON
import TestSupport
import Testing

struct SeeingTests {
    @Test func `the example of seeing leaves a HAR, metrics and a page, without secrets`() async throws {
        let server = try LoopbackServer.responding { request in
            request.path == "/"
                ? ServerResponse(status: 302, fields: [("Location", "/hello")]) : ServerResponse(body: "hello")
        }
        let folder = try TemporaryFolder()
        let rules = "\(Repository.root)/Examples/Seeing/mock.json"

        let outcome = try await ProcessRunner.running(
            [try Products.executable("ExampleSeeing"), server.url(), rules, folder.path])
        func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

        #expect(outcome.status == 0, "\(outcome.stderr)")
        let har = try JSONParser.parse(try text("exchanges.har"))
        #expect(har["log"]?["_exchanges"]?.arrayValue?.count == 9)
        #expect(har["log"]?["entries"]?.arrayValue?.contains { $0["_calls"] != nil } == true)
        #expect(try text("metrics.prom").contains("http_client_request_duration_seconds_bucket"))
        #expect(try text("page.html").contains("https://api.example.com/flaky"))
        for name in ["exchanges.har", "page.html"] {
            #expect(try !text(name).contains("never-recorded") && !text(name).contains("t0ken"))
        }
    }
}
