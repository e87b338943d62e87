import Foundation
import JSON
import TestSupport
import Testing

struct ExplainTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.answering { request in
            request.target == "/" ? Answer(status: 302, fields: [("Location", "/next?key=hidden")]) : Answer(body: "ok")
        }
    }

    /// The words of the lines after the table's head, up to the empty line.
    private func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("AT") }.dropFirst()
            .prefix { !$0.isEmpty }.map { $0.split(separator: " ").map { String($0) } }
    }

    @Test func `a line a call says who decided what, between the attempts`() async throws {
        defer { server.stop() }

        let outcome = try await Command.run(
            "explain", server.url(), "--plugin", "redirect", "--plugin", "decode", "--attribute", "redirect.limit=3")

        let rows = rows(outcome.stdout)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(
            rows.filter { ["decode", "redirect"].contains($0[1]) }.map { $0[1...3].joined(separator: " ") } == [
                "decode onRequest next", "redirect onResponse resend", "redirect onResponse next",
                "decode onResponse next",
            ])
        #expect(rows.filter { $0[1] == "transport" && $0.contains("begins") }.count == 2)
        #expect(rows.first { $0[1] == "decode" }?.last == "Accept-Encoding")
        #expect(outcome.stdout.contains("redirect.limit = 3"))
        #expect(outcome.stdout.contains("Status 200, a body of 2 bytes, attempts: 2"))
    }

    @Test func `values of fields and of queries are not shown`() async throws {
        defer { server.stop() }

        let outcome = try await Command.run(
            "explain", server.url(), "--plugin", "redirect", "-H", "Authorization: Bearer hidden", "--json")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(!outcome.stdout.contains("hidden"))
    }

    @Test func `a dry run sends nothing`() async throws {
        defer { server.stop() }

        let outcome = try await Command.run("explain", server.url(), "--plugin", "decode", "--dry-run", "--json")

        let explanation = try JSONParser.parse(outcome.stdout)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(explanation["sent"] == false && explanation["failure"] == nil)
        #expect(explanation["steps"]?.arrayValue?.map { $0["verdict"] } == ["next"])
        #expect(server.requests.isEmpty)
    }

    @Test func `a dry run fails what plugins send themselves`() async throws {
        defer { server.stop() }
        let attributes = [
            "scheme=oauth", "tokenURL=\(server.url("/token"))", "clientID=a", "clientSecret=b",
        ].flatMap { ["--attribute", "authentication.\($0)"] }

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "explain", server.url(), "--plugin", "authentication", "--dry-run"]
                + attributes)

        #expect(outcome.status != 0)
        #expect(outcome.stdout.contains("Failed after"))
        #expect(server.requests.isEmpty)
    }

    @Test func `a failure is explained, and is the command's status`() async throws {
        let port = try ClosedPort()

        let outcome = try await Command.run(
            "explain", port.url(), "--plugin", "redirect", "--json")

        let explanation = try JSONParser.parse(outcome.stdout)
        #expect(outcome.status == 7)
        #expect(explanation["failure"]?["code"] == "transport.connect")
    }

    @Test func `a trace has a track a plugin, and each call as a slice`() async throws {
        defer { server.stop() }
        let file = folder.file("trace.json")

        _ = try await Command.run(
            "explain", server.url(), "--plugin", "redirect", "--plugin", "decode", "--trace", file)

        let trace = try JSONParser.parse(try String(contentsOfFile: file, encoding: .utf8))
        let events = try #require(trace["traceEvents"]?.arrayValue)
        let tracks = events.filter { $0["ph"] == "M" }.compactMap { $0["args"]?["name"]?.stringValue }
        let slices = events.filter { $0["ph"] == "X" }
        #expect(tracks == ["transport", "decode", "redirect"])
        #expect(slices.count { $0["name"] == "onResponse" } == 3)
        #expect(slices.count { $0["name"]?.stringValue?.hasPrefix("attempt") == true } == 2)
        #expect(slices.allSatisfy { $0["ts"]?.numberValue != nil && $0["dur"]?.numberValue != nil })
    }
}
