import Foundation
import TestSupport
import Testing

/// `plugboard plugins test`: what it says of scenarios that pass, that fail, and that cannot be read.
struct PluginsTestTests {
    private static let cookbook = "\(ScaffoldTestFiles.root)/Examples/Cookbook"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("scenarios") }

    @Test func `a signature is tested with a clock, a network and pieces that the scenario plays`() async throws {
        let sign = try await build("sign")

        let outcome = try await test(sign, file: "\(PluginsTestTests.cookbook)/Scenarios/sign.json")

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        #expect(
            outcome.stdout == """
                a signature holds the time of day, the method and the URL: passed
                the server's clock is believed once, a second later: passed
                a failure stays one: passed
                3 passed, 0 failed

                """)
    }

    @Test(arguments: [
        (#"{ "send": $, "sent": { "fields": { "x-signature": "1" } } }"#, "steps[0].sent.fields.x-signature: is \"17"),
        (#"{ "send": $, "sent": { "method": "PUT" } }"#, "steps[0].sent.method: is \"GET\", expected \"PUT\""),
        (#"{ "send": $, "sent": { "body": "" } }"#, "steps[0].sent.body: is missing, expected \"\""),
        (#"{ "send": $, "sent": { "url": { "like": "*//*/b" } } }"#, "expected a text like \"*//*/b\""),
        (
            #"{ "send": $, "respond": {}, "sent": {}, "received": { "status": 201 } }"#,
            "received.status: is 200, expected 201"
        ),
        (#"{ "send": $, "respond": {}, "received": { "body": "x" } }"#, "received.body: is \"\", expected \"x\""),
        (#"{ "send": $, "respond": {}, "received": { "attempts": 2 } }"#, "received.attempts: is 1, expected 2"),
        (#"{ "send": $, "respond": {}, "failed": {} }"#, "failed: the exchange did not fail; its status is 200"),
        (
            #"{ "send": $, "fail": { "code": "a.b" }, "received": {} }"#,
            "received: the exchange failed: a.b: The scenario says so."
        ),
        (
            #"{ "send": $, "fail": { "code": "a.b" }, "failed": { "code": "a.c" } }"#,
            "failed.code: is \"a.b\", expected \"a.c\""
        ),
        (#"{ "send": $, "sent": {}, "fail": { "code": "a.b" } }"#, "failed, and no step expects it: a.b"),
        (#"{ "send": $ }, { "nothingSent": true }"#, "steps[1].nothingSent: GET https://a.test/ was sent"),
        (#"{ "send": $ }, { "advance": "1s" }"#, "was sent (number 1), and no step responds to it."),
        (
            #"{ "send": $, "respond": {} }, { "sent": {} }, { "sent": {} }"#,
            "steps[2].sent: nothing more was sent; 1 were sent before"
        ),
        (#"{ "respond": {} }"#, "steps[0]: no request waits for a response; 0 were sent"),
        (#"{ "send": $, "respond": { "to": 2 } }"#, "steps[0]: no request waits for a response; 1 were sent"),
        (#"{ "send": $, "received": {} }"#, "steps[0].received: the exchange \"1\" has not ended"),
        (#"{ "cancel": "one" }"#, "steps[0].cancel: no step before has sent \"one\""),
        (#"{ "command": { "name": "show", "reply": {} } }"#, "steps[0].command: the command failed: command.unknown"),
        (
            #"{ "command": { "name": "show", "fails": "a.b" } }"#,
            "command.fails: is \"command.unknown\", expected \"a.b\""
        ),
        (#"{ "log": { "like": "*" } }"#, "steps[0].log: no such line was logged; the plugin logged 0 lines"),
        (#"{ "counters": { "a.b": 1 } }"#, "steps[0].counters.a.b: is missing, expected 1"),
        (#"{ "send": $, "respond": {}, "event": { "id": "a.b" } }"#, "steps[0].event: no event \"a.b\" came"),
    ])
    func `a difference from a scenario is reported with its position`(steps: String, reason: String) async throws {
        let url = #"{ "url": "https://a.test/" }"#
        try folder.write(
            "a.json",
            #"{ "settings": { "key": "1" }, "scenarios": [{ "name": "n", "steps": [\#(steps.replacing("$", with: url))] }] }"#
        )

        let outcome = try await test(try await build("sign"), file: folder.file("a.json"), "--patience", "100ms")

        #expect(outcome.status == 1, "\(outcome.stdout)\(outcome.stderr)")
        #expect(outcome.stdout.hasPrefix("n: FAILED\n    "))
        #expect(outcome.stdout.contains(reason), "\(outcome.stdout)")
        #expect(outcome.stdout.hasSuffix("\n0 passed, 1 failed\n"))
    }

    @Test(arguments: [
        ("{", "a.json: line 1, column 2:"), ("[]", "a.json: must be an object"), ("{}", "scenarios: must be a list"),
        (#"{ "scenario": [] }"#, "scenario is not a known key. Known are clock, settings"),
        (#"{ "scenarios": [{ "name": "n", "steps": [] }] }"#, "scenarios[0]: needs steps"),
        (#"{ "scenarios": [{ "steps": [{}] }] }"#, "scenarios[0]: needs a name"),
        (#"{ "clock": "2026-02-30T00:00:00Z", "scenarios": [] }"#, "clock: must be a time such as"),
        (#"{ "scenarios": [{ "name": "n", "steps": [{ "send": {} }] }] }"#, "steps[0].send: needs a url"),
        (#"{ "scenarios": [{ "name": "n", "steps": [{ "advance": 1 }] }] }"#, "steps[0].advance: must be a time"),
        (
            #"{ "scenarios": [{ "name": "n", "steps": [{ "send": { "url": "a", "pieces": 0, "body": "" } }] }] }"#,
            "send.pieces: must be a whole number from 1 on"
        ),
        (
            #"{ "scenarios": [{ "name": "n", "steps": [{ "sent": { "body": { "hex": "0" } } }] }] }"#,
            "sent.body: must be a text, null"
        ),
    ])
    func `a file that cannot be read ends with 2 and the line of the error`(text: String, reason: String) async throws {
        try folder.write("a.json", text)

        let outcome = try await test(try await build("sign"), file: folder.file("a.json"))

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains(reason), "\(outcome.stderr)")
    }

    @Test func `settings that the plugin refuses, and a name that no scenario has, are errors`() async throws {
        try folder.write("a.json", #"{ "scenarios": [{ "name": "n", "steps": [{ "advance": "1s" }] }] }"#)
        let sign = try await build("sign")

        let refused = try await test(sign, file: folder.file("a.json"))
        let unknown = try await test(sign, file: folder.file("a.json"), "--only", "m")

        #expect(refused.status == 1 && refused.stdout.contains("n: FAILED") && refused.stdout.contains("key"))
        #expect(unknown.status == 2 && unknown.stderr.contains("--only"))
    }

    @Test func `other plugins, the kernel's settings and bodies in hexadecimal take part`() async throws {
        try folder.write(
            "a.json",
            #"""
            {
              "settings": { "key": "1" }, "kernel": { "timeout": "5s" },
              "beside": [{ "id": "retry", "settings": { "attempts": 2 } }],
              "scenarios": [
                { "name": "retry", "steps": [
                  { "send": { "url": "https://a.test/", "body": { "hex": "00ff" }, "method": "PUT" },
                    "sent": { "body": { "hex": "00ff" } }, "respond": { "status": 503 } },
                  { "advance": "4s", "sent": { "body": { "hex": "00ff" } },
                    "respond": { "body": { "json": [1] }, "trailers": { "x-sum": "2" } },
                    "received": { "attempts": 2, "body": { "json": [ 1.0 ] }, "trailers": { "x-sum": "2" } } } ] },
                { "name": "timeout", "steps": [
                  { "send": { "url": "https://a.test/" }, "sent": {} },
                  { "advance": "5s", "failed": { "code": "timeout.exchange" } } ] },
              ],
            }
            """#)

        let outcome = try await test(try await build("sign"), file: folder.file("a.json"))

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
    }

    private func test(_ library: String, file: String, _ options: String...) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "test", library, file] + options)
    }

    private func build(_ name: String) async throws -> String {
        let library = folder.file("\(name).so")
        let outcome = try await ProcessRunner.running([
            "cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden", "-I",
            "\(ScaffoldTestFiles.root)/Sources/CPlugboard/include", "\(PluginsTestTests.cookbook)/C/\(name).c", "-o",
            library,
        ])
        try #require(outcome.status == 0, "\(outcome.stderr)")
        chmod(folder.path, 0o755)
        chmod(library, 0o755)
        return library
    }
}
