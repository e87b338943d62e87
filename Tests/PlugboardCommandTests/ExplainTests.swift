import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct ExplainTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            request.target == "/"
                ? ServerResponse(status: 302, fields: [("Location", "/next?key=hidden")]) : ServerResponse(body: "ok")
        }
    }

    /// The words of the table's lines after its head, up to the empty line.
    private func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("AT") }.dropFirst()
            .prefix { !$0.isEmpty }.map { $0.split(separator: " ").map { String($0) } }
    }

    @Test func `each call has a line with its verdict, among the attempts`() async throws {
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

    @Test func `the time of an attempt that a resend cuts off is that from its beginning to its end`() async throws {
        defer { server.stop() }

        let outcome = try await Command.run("explain", server.url(), "--plugin", "redirect", "--json")

        let steps = try #require(try JSONParser.parse(outcome.stdout)["steps"]?.arrayValue)
        func at(_ step: String) -> Int64? {
            steps.first { $0["step"]?.stringValue == step && $0["attempt"] == 1 }?["at"]?.numberValue?.int64
        }
        let (began, ended) = (try #require(at("attemptBegan")), try #require(at("attemptEnded")))
        let total = steps.first { $0["step"] == "attemptEnded" }?["total"]?.numberValue?.int64
        #expect(ended > began && total == ended - began)
    }

    @Test func `lines are ordered by their beginnings, with sub-requests among them`() async throws {
        server.stop()
        let server = try tokenServer()
        defer { server.stop() }

        let outcome = try await explainWithToken(server)

        let times = rows(outcome.stdout).compactMap { $0.first.flatMap { Double($0.dropLast(2)) } }
        #expect(times.count > 6 && times == times.sorted())
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

    @Test func `a dry run fails sub-requests`() async throws {
        defer { server.stop() }
        let attributes = [
            "scheme=oauth", "tokenURL=\(server.url("/token"))", "clientID=a", "clientSecret=b",
        ].flatMap { ["--attribute", "authentication.\($0)"] }

        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "explain", server.url(), "--plugin", "authentication", "--dry-run"]
                + attributes)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout.contains("Stopped at a sub-request of authentication, which a dry run does not send"))
        #expect(server.requests.isEmpty)
    }

    @Test func `plugins that take part are listed with the position that enables them`() async throws {
        defer { server.stop() }
        let configuration = try folder.write("plugboard.json", "{\n\"plugins\": [\"redirect\"]\n}")
        let stamp = try FixturePlugin.build("does_nothing")
        let options = ["explain", server.url(), "--dry-run", "--config", configuration, "--plugin", stamp]

        let text = try await Command.running(options)
        let json = try await Command.running(options + ["--json"])

        #expect(text.status == 0, "\(text.stderr)")
        let lines = text.stdout.split(separator: "\n").drop { $0 != "Taking part:" }.dropFirst().prefix(2)
        let words = lines.map { $0.split(separator: " ").joined(separator: " ") }.sorted()
        #expect(
            words == [
                "com.example.does-nothing \(stamp) command line",
                "redirect linked \(configuration), line 2: plugins[0]",
            ])
        let plugins = try JSONParser.parse(json.stdout)["plugins"]?.arrayValue ?? []
        #expect(plugins.contains(["id": "redirect", "locations": [.string("\(configuration), line 2: plugins[0]")]]))
        #expect(
            plugins.contains([
                "id": "com.example.does-nothing", "locations": ["command line"], "path": .string(stamp),
            ]))
    }

    @Test func `plugins that take no part are named with the reason`() async throws {
        defer { server.stop() }
        let object = try Products.library("plugboard-decode")
        try folder.write(
            "plugboard.json",
            """
            {
              "plugins": [
                "logging", "redirect", "retry", { "path": "\(object)" },
                { "id": "cookies", "enabled": false }
              ],
              "origins": {
                "\(server.url("").uppercased())": { "redirect": { "enabled": false } }
              }
            }
            """)
        let arguments = """
            cd "$folder" && "$plugboard" explain \(server.url()) --config plugboard.json --safe --attribute retry.enabled=false
            """

        let text = try await Command.shell(arguments, ["folder": folder.path])
        let json = try await Command.shell(arguments + " --json", ["folder": folder.path])

        let absent = try #require(try JSONParser.parse(json.stdout)["absent"]?.arrayValue)
        let reasons = absent.map { [$0["id"]?.stringValue ?? "", $0["reason"]?.stringValue ?? ""] }
        #expect(text.status == 0 && json.status == 0, "\(json.stderr)")
        #expect(
            reasons.prefix(4) == [
                ["redirect", "origin"], ["retry", "request"], ["cookies", "disabled"], ["decode", "safe"],
            ])
        #expect(
            reasons.dropFirst(4).contains(["cache", "unlisted"])
                && reasons.dropFirst(4).allSatisfy { $0[1] == "unlisted" })
        #expect(absent[0]["location"]?.stringValue?.hasPrefix("plugboard.json, line 7: origins") == true)
        #expect(absent[2]["location"] == "plugboard.json, line 4: plugins[4].enabled")
        #expect(absent[3]["path"]?.stringValue == object)
        #expect(text.stdout.contains("\nNot taking part:\n  redirect"))
        #expect(text.stdout.contains("disabled by plugboard.json, line 4: plugins[4].enabled\n"))
        #expect(text.stdout.contains("not loaded because of --safe"))
        #expect(text.stdout.contains(/\n  unlisted: [^\n]*cache[^\n]*, [^\n]*\n$/))
        #expect(!text.stdout.contains("not listed by"))
        // The redirect was not followed.
        #expect(text.stdout.contains("Status 302"))
    }

    @Test func `files in the folders of plugins are listed, and none of their code is run`() async throws {
        defer { server.stop() }
        let plugin = try FixturePlugin.build("crashes")
        let path = folder.file("plugins/crashes.so")
        try folder.write("plugins/readme.so", "no plugin")
        try FileManager.default.copyItem(atPath: plugin, toPath: path)
        let configuration = try folder.write("plugboard.json", #"{"kernel": {"pluginFolders": ["plugins"]}}"#)

        let outcome = try await Command.run("explain", server.url(), "--config", configuration, "--json")

        let absent = try #require(try JSONParser.parse(outcome.stdout)["absent"]?.arrayValue)
        let files = absent.filter { $0["path"] != nil }
        #expect(files.map { $0["path"]?.stringValue } == [path])
        #expect(files.first?["id"] == "com.example.crashes" && files.first?["reason"] == "unlisted")
    }

    /// Asks for a token before the request is sent.
    private func explainWithToken(_ server: LoopbackServer, _ arguments: String...) async throws
        -> ProcessRunner.Outcome
    {
        let attributes = [
            "scheme=oauth", "tokenURL=\(server.url("/token"))", "clientID=a", "clientSecret=b",
        ].flatMap { ["--attribute", "authentication.\($0)"] }
        return try await ProcessRunner.running(
            [Products.executable("plugboard"), "explain", server.url("/next"), "--plugin", "authentication"]
                + ["--plugin", "retry"] + attributes + arguments)
    }

    private func tokenServer() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            guard request.target == "/token" else { return ServerResponse(body: "ok") }
            return ServerResponse(
                fields: [("Content-Type", "application/json")],
                body: #"{"access_token": "hidden", "token_type": "Bearer", "expires_in": 3600}"#)
        }
    }

    @Test func `a sub-request is indented below the call that sent it`() async throws {
        server.stop()
        let server = try tokenServer()
        defer { server.stop() }

        let outcome = try await explainWithToken(server)

        let lines = outcome.stdout.split(separator: "\n").map { String($0) }
        let asked = try #require(lines.firstIndex { $0.contains("sub-request 1  POST") }, "\(outcome.stdout)")
        let ended = try #require(lines.firstIndex { $0.contains("sub-request 1  completed") })
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(lines[asked - 1].contains("authentication") && lines[asked - 1].contains("wait"))
        // The column of the second word.
        let indents = lines.map { $0.count - $0.drop { $0 != " " }.drop { $0 == " " }.count }
        let plain = indents[asked - 1]
        #expect(indents[asked...ended].allSatisfy { $0 > plain }, "\(outcome.stdout)")
        #expect(lines[asked...ended].contains { $0.contains("retry") && $0.contains("onRequest") })
        #expect(lines[asked...ended].contains { $0.contains("attempt 1") })
        #expect(outcome.stdout.contains("attempts: 1, sub-requests: 1, "))
        #expect(!outcome.stdout.contains("hidden"))
    }

    @Test func `in JSON a sub-request names its exchange, and the call that sent it`() async throws {
        server.stop()
        let server = try tokenServer()
        defer { server.stop() }

        let outcome = try await explainWithToken(server, "--json")

        let steps = try #require(try JSONParser.parse(outcome.stdout)["steps"]?.arrayValue)
        let asked = try #require(steps.first { $0["step"] == "subRequest" })
        let call = try #require(steps.first { $0["step"] == "call" && $0["call"] == asked["call"] })
        #expect(asked["exchange"] == 1 && asked["parent"] == 0 && asked["plugin"] == "authentication")
        #expect(asked["method"] == "POST" && asked["url"]?.stringValue == server.url("/token"))
        #expect(call["plugin"] == "authentication" && call["verdict"] == "wait" && call["exchange"] == 0)
        let own = steps.filter { $0["exchange"] == 1 }.compactMap { $0["step"]?.stringValue }
        #expect(own.first == "subRequest" && own.last == "completed")
        #expect(own.contains("attemptBegan") && own.contains("attemptEnded") && own.contains("call"))
        #expect(steps.allSatisfy { $0["exchange"] != nil && $0["at"]?.numberValue != nil })
    }

    @Test func `in a trace a sub-request is a process, with an arrow from the call that sent it`() async throws {
        server.stop()
        let server = try tokenServer()
        defer { server.stop() }
        let file = folder.file("trace.json")

        _ = try await explainWithToken(server, "--trace", file)

        let trace = try JSONParser.parse(try String(contentsOfFile: file, encoding: .utf8))
        let events = try #require(trace["traceEvents"]?.arrayValue)
        let processes = events.filter { $0["name"] == "process_name" }.compactMap { $0["args"]?["name"]?.stringValue }
        let whole = try #require(events.first { $0["name"]?.stringValue == "POST \(server.url("/token"))" })
        let arrow = try #require(events.first { $0["ph"] == "s" })
        let head = try #require(events.first { $0["ph"] == "f" })
        let call = try #require(events.first { $0["name"] == "onRequest" && $0["args"]?["verdict"] == "wait" })
        #expect(processes == ["GET \(server.url("/next"))", "sub-request 1 of authentication"])
        #expect(whole["ph"] == "X" && whole["pid"] == 2 && whole["args"]?["outcome"] == "ended")
        #expect(arrow["pid"] == 1 && arrow["tid"] == call["tid"] && head["pid"] == 2 && head["tid"] == whole["tid"])
        #expect(arrow["id"] == head["id"] && head["ts"] == whole["ts"])
        #expect(events.contains { $0["pid"] == 2 && $0["name"] == "attempt 1" })
    }

    @Test func `in a trace an event is on its plugin's track, even if another id is a prefix`() async throws {
        defer { server.stop() }
        let file = folder.file("trace.json")
        let plugins = try ["com.acme", "com.acme.sign"].map {
            try FixturePlugin.build("teller", options: ["-DPLUGIN_ID=\"\($0)\""])
        }

        _ = try await Command.run(
            "explain", server.url(), "--plugin", plugins[0], "--plugin", plugins[1], "--trace", file)

        let trace = try JSONParser.parse(try String(contentsOfFile: file, encoding: .utf8))
        let events = try #require(trace["traceEvents"]?.arrayValue)
        for id in ["com.acme", "com.acme.sign"] {
            let track = try #require(events.first { $0["name"] == "thread_name" && $0["args"]?["name"] == .string(id) })
            let fact = try #require(events.first { $0["name"] == .string("\(id).told") })
            #expect(fact["tid"] == track["tid"])
        }
    }

    @Test func `a failure is explained, and decides the exit status`() async throws {
        let port = try ClosedPort()

        let outcome = try await Command.run(
            "explain", port.url(), "--plugin", "redirect", "--json")

        let explanation = try JSONParser.parse(outcome.stdout)
        #expect(outcome.status == 7)
        #expect(explanation["failure"]?["code"] == "transport.connect")
    }

    @Test func `a trace has a track for each plugin, and a slice for each call`() async throws {
        defer { server.stop() }
        let file = folder.file("trace.json")

        _ = try await Command.run(
            "explain", server.url(), "--plugin", "redirect", "--plugin", "decode", "--trace", file)

        let trace = try JSONParser.parse(try String(contentsOfFile: file, encoding: .utf8))
        let events = try #require(trace["traceEvents"]?.arrayValue)
        let tracks = events.filter { $0["name"] == "thread_name" }.compactMap { $0["args"]?["name"]?.stringValue }
        let slices = events.filter { $0["ph"] == "X" }
        #expect(tracks == ["transport", "decode", "redirect"])
        #expect(slices.count { $0["name"] == "onResponse" } == 3)
        #expect(slices.count { $0["name"]?.stringValue?.hasPrefix("attempt") == true } == 2)
        #expect(slices.allSatisfy { $0["ts"]?.numberValue != nil && $0["dur"]?.numberValue != nil })
    }
}
