import PlugboardJSON
import TestSupport
import Testing

/// The page about the protocol of `exec`.
struct ExecProtocolTests {
    @Test func `the requests of the example get the replies of the example`() async throws {
        let server = try LoopbackServer.responding { request in
            switch request.path {
            case "/old": ServerResponse(status: 302, fields: [("Location", "/new")])
            case "/new": ServerResponse(body: "home")
            default: ServerResponse(body: request.body)
            }
        }
        defer { server.stop() }
        let origin = "http://127.0.0.1:8080"
        let requests = try Repository.text("Examples/Exec/requests.jsonl").replacing(origin, with: server.url(""))

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "exec"], input: Array(requests.utf8))

        let replies = outcome.stdout.replacing(server.url(""), with: origin)
        let wanted = try ExecProtocolTests.replies(try Repository.text("Examples/Exec/replies.jsonl"))
        #expect(wanted.count == 3)
        #expect(try ExecProtocolTests.replies(replies) == wanted)
    }

    @Test func `each member of the example's replies has a row`() throws {
        let rows = try Document("Documentation/exec.md").rows(under: "## A reply").joined(separator: "\n")

        let members = try ExecProtocolTests.replies(try Repository.text("Examples/Exec/replies.jsonl")).values
            .flatMap { $0.objectValue?.map(\.0) ?? [] }

        #expect(members.contains("attempts"))
        for member in members { #expect(rows.contains("| `\(member)` ") || rows.contains("| `\(member).")) }
    }

    /// Replies by their ids.
    private static func replies(_ lines: String) throws -> [String: JSONValue] {
        let pairs = try lines.split(separator: "\n").map { line in
            let reply = try JSONParser.parse(String(line))
            return (reply["id"]?.stringValue ?? "", reply)
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
