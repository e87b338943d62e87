import Foundation
import TestSupport
import Testing

/// Relative paths of a configuration's file, for a command that runs in another folder.
struct RelativePathTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let elsewhere: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        elsewhere = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            let fields = [
                ("Content-Type", "application/json"), ("Cache-Control", "max-age=60"),
                ("Set-Cookie", "a=b; Max-Age=60"),
            ]
            return ServerResponse(status: 200, fields: fields, body: "\"\(request["Authorization"] ?? "none")\"")
        }
    }

    private func get(_ configuration: String, _ arguments: String...) async throws -> ProcessRunner.Outcome {
        let file = try folder.write("plugboard.json", configuration)
        return try await ProcessRunner.running(
            [try Products.executable("plugboard"), "get", server.url(), "--config", file] + arguments,
            environment: ["XDG_STATE_HOME": folder.file("state")], folder: elsewhere.path)
    }

    @Test(arguments: ["cache", "cookies", "queue"])
    func `the file of a plugin stands in the configuration's folder`(plugin: String) async throws {
        let outcome = try await get(#"{"plugins": [{"id": "\#(plugin)", "settings": {"path": "own.sqlite"}}]}"#)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.entries().contains("own.sqlite"))
        #expect(try elsewhere.entries() == [])
    }

    @Test(arguments: [
        #""schemas": {"GET *": "rule.json"}"#, #""shapes": {"GET *": "shape.json"}"#,
        #""schemas": {"GET *": "{\"$ref\": \"https://a.test/b\"}"}, "documents": {"https://a.test/b": "rule.json"}"#,
        #""openapi": ["api.json"]"#,
    ])
    func `the validator finds its files`(settings: String) async throws {
        try folder.write("rule.json", #"{"type": "integer"}"#)
        try folder.write("shape.json", #"{"id": "number"}"#)
        try folder.write(
            "api.json",
            """
            {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "/"}], "paths": {"/": {"get":
              {"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "integer"}}}}}}}}}
            """)

        let outcome = try await get(#"{"plugins": [{"id": "validator", "settings": {\#(settings)}}]}"#)

        #expect(outcome.status == 103, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("does not match"), "\(outcome.stderr)")
    }

    @Test func `the token of an origin is found, and that of a request begins at the working directory`() async throws {
        try folder.write("token", "configured")
        try elsewhere.write("token", "own")
        let configuration = #"""
            {"plugins": ["authentication"],
             "origins": {"\#(server.url().dropLast())": {"authentication": {"scheme": "bearer", "tokenFile": "token"}}}}
            """#

        let configured = try await get(configuration)
        let own = try await get(configuration, "--attribute", "authentication.tokenFile=token")

        #expect(configured.stdout == #""Bearer configured""#, "\(configured.stderr)")
        #expect(own.stdout == #""Bearer own""#, "\(own.stderr)")
    }

    @Test func `a program that prints the token is found`() async throws {
        try folder.write("token.sh", "#!/bin/sh\necho printed\n")
        #expect(chmod(folder.file("token.sh"), 0o700) == 0)

        let outcome = try await get(
            #"""
            {"plugins": ["authentication"], "origins": {"\#(server.url().dropLast())":
             {"authentication": {"scheme": "bearer", "tokenCommand": ["./token.sh"]}}}}
            """#)

        #expect(outcome.stdout == #""Bearer printed""#, "\(outcome.stderr)")
    }
}
