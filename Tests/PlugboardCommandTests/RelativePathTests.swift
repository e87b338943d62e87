import Foundation
import TestSupport
import Testing

/// Relative paths of a configuration's file, for a command that runs in another folder.
struct RelativePathTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let elsewhere: TemporaryFolder
    private let api = """
        {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "/"}], "paths": {"/": {"get":
          {"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "integer"}}}}}}}}}
        """

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
        try await running("get", ["--config", try folder.write("plugboard.json", configuration)] + arguments)
    }

    private func running(_ verb: String, _ arguments: [String]) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(
            [try Products.executable("plugboard"), verb, server.url()] + arguments,
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
        try folder.write("api.json", api)

        let outcome = try await get(#"{"plugins": [{"id": "validator", "settings": {\#(settings)}}]}"#)

        #expect(outcome.status == 103, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("does not match"), "\(outcome.stderr)")
    }

    @Test func `the validator finds the schema of a request's body`() async throws {
        try folder.write("rule.json", #"{"type": "integer"}"#)
        let file = try folder.write(
            "plugboard.json",
            #"{"plugins": [{"id": "validator", "settings": {"requests": {"POST *": "rule.json"}}}]}"#)

        let wrong = try await running("post", ["--config", file, "--json", #"["text"]"#])
        let right = try await running("post", ["--config", file, "--json", "5"])

        #expect(wrong.status == 103 && wrong.stderr.contains("does not match"), "\(wrong.stderr)")
        #expect(right.status == 0, "\(right.stderr)")
        #expect(server.requests.map(\.text) == ["5"])
    }

    @Test(arguments: ["schemas", "shapes", "requests", "documents", "openapi"])
    func `a path that --set replaces begins where that of the file does`(setting: String) async throws {
        let (own, other) = (#"{"type": "integer"}"#, "not read")
        try folder.write("rule.json", setting == "shapes" ? #"{"id": "number"}"# : setting == "openapi" ? api : own)
        try elsewhere.write("rule.json", other)
        let file = try folder.write(
            "plugboard.json",
            #"""
            {"plugins": [{"id": "validator", "settings": {"schemas": {"GET *": "{\"$ref\": \"https://a.test/b\"}"},
             "documents": {"https://a.test/b": "missing.json"}}}]}
            """#)
        let key = setting == "documents" ? "https://a.test/b" : setting == "requests" ? "POST *" : "GET *"
        let value = setting == "openapi" ? #"["rule.json"]"# : #"{"\#(key)": "rule.json"}"#
        let clears = setting == "documents" ? [] : ["--set", "validator.documents={}", "--set", "validator.schemas={}"]
        let verb = setting == "requests" ? ["post", "--json", #"["text"]"#] : ["get"]

        let outcome = try await running(
            verb[0], verb.dropFirst() + ["--config", file] + clears + ["--set", "validator.\(setting)=\(value)"])

        #expect(outcome.status == 103 && outcome.stderr.contains("does not match"), "\(outcome.stderr)")
    }

    @Test func `without a file, a path of --set begins at the working directory`() async throws {
        try elsewhere.write("rule.json", #"{"type": "integer"}"#)

        let outcome = try await running(
            "get", ["--plugin", "validator", "--set", #"validator.schemas={"GET *": "rule.json"}"#])

        #expect(outcome.status == 103 && outcome.stderr.contains("does not match"), "\(outcome.stderr)")
    }

    @Test(arguments: ["openapi", "documents", "schemas"])
    func `the validator says that it reads JSON alone, where it gets YAML`(setting: String) async throws {
        try folder.write("api.yaml", "openapi: 3.1.0\npaths: {}\n")
        let value = setting == "openapi" ? #"["api.yaml"]"# : #"{"GET *": "api.yaml"}"#

        let outcome = try await get(#"{"plugins": [{"id": "validator", "settings": {"\#(setting)": \#(value)}}]}"#)

        #expect(outcome.status == 102, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("\(folder.file("api.yaml")) is not JSON."), "\(outcome.stderr)")
        #expect(outcome.stderr.contains("Convert a document in YAML to JSON"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
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
