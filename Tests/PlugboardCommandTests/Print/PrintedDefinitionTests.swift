import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// Requests as definitions of endpoints.
struct PrintedDefinitionTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") } }

    private static func text(of request: ReceivedRequest) -> String {
        let fields = request.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return "\(request.method) \(request.target) \(fields) \(request.text)"
    }

    @Test(arguments: [
        ["get", "/a/b%20c?x=1&x=2&y=two%20words"], ["get", "/"], ["delete", "/a", "X-A:1"],
        ["post", "/a?id=1", "id=2", "n:=1.50", "o[p]:=true", "l:=[1, \"x\"]", "e:=null"],
        ["put", "/a", "--as-form", "a=1 & 2", "b=ü"], ["patch", "/a", "-m", "9", "-H", "Accept: text/x", "a=1"],
    ])
    func `a call of the printed definition sends the same request`(words: [String]) async throws {
        let folder = try TemporaryFolder()
        let arguments = [words[0], server.url(words[1])] + words.dropFirst(2)
        let direct = try await Command.running(arguments)

        let printed = try await Command.running(arguments + ["--print-definition", "It"])
        let file = try folder.write("definitions.json", printed.stdout)
        let call = try await Command.run("call", "It", "--definitions", file)

        #expect(direct.status == 0 && printed.status == 0 && call.status == 0, "\(call.stderr)\(printed.stdout)")
        #expect(printed.stderr.isEmpty, "\(printed.stderr)")
        try #require(server.requests.count == 2)
        #expect(
            PrintedDefinitionTests.text(of: server.requests[1]) == PrintedDefinitionTests.text(of: server.requests[0]),
            "\(printed.stdout)")
    }

    @Test func `parameters of the printed definition can be given to the call`() async throws {
        let folder = try TemporaryFolder()
        let printed = try await Command.run(
            "post", server.url("/a?page=1"), "title=Lake", "--print-definition", "Add")
        let file = try folder.write("definitions.json", printed.stdout)

        let call = try await Command.run("call", "Add", "page=2", "title=Sea", "--definitions", file)

        #expect(call.status == 0, "\(call.stderr)\(printed.stdout)")
        #expect(server.requests.last?.target == "/a?page=2" && server.requests.last?.text == #"{"title":"Sea"}"#)
    }

    @Test func `secrets and bodies that a definition cannot have are left out with a warning`() async throws {
        let words = [
            "post", server.url("/a"), "-u", "me:geheim", "-H", "X-Api-Key: geheim", "-d", "a=1", "-H",
            "Content-Type: x/y",
            "--print-definition", "It",
        ]

        let hidden = try await Command.running(words)
        let shown = try await Command.running(words + ["--show-secrets"])

        #expect(hidden.status == 0 && !hidden.stdout.contains("geheim"), "\(hidden.stdout)")
        #expect(
            ["the field X-Api-Key", "the credential", "the body, which plugboard call takes with --body.\n"]
                .allSatisfy { hidden.stderr.contains("the definition leaves out \($0)") }, "\(hidden.stderr)")
        #expect(shown.stdout.contains(#""X-Api-Key": "geheim""#) && shown.stdout.contains(#""password": "geheim""#))
        #expect(server.requests.isEmpty)
    }
}
