import Foundation
import Plugboard
import PlugboardJSON
import PlugboardRecorder
import TestSupport
import Testing

/// What is recorded of exchanges, and what is not.
struct RecorderTests {
    @Test(arguments: Linkage.allCases)
    func `an exchange is recorded with heads, bodies, times and address`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(
                status: 201, fields: [("Content-Type", "application/json"), ("X-Echo", request["x-given"] ?? "")],
                body: #"{"a": 1}"#)
        }
        let recorder = try Recorders(linkage)
        var request = Request(.post, server.url("/things?q=1"), body: .text("hello"))
        request.fields.append("X-Given", "given")
        request.fields.append("Content-Type", "text/plain")

        _ = try await recorder.kernel.send(request).body.text()
        let entry = try #require(try await recorder.entries().first)

        #expect(entry["request"]?["method"]?.stringValue == "POST")
        #expect(entry["request"]?["url"]?.stringValue == server.url("/things?q=1"))
        #expect(entry["request"]?["postData"]?["text"]?.stringValue == "hello")
        #expect(entry["request"]?["bodySize"]?.intValue == 5)
        #expect(entry["request"]?["httpVersion"]?.stringValue == "HTTP/1.1")
        #expect(entry["request"]?["queryString"] == [["name": "q", "value": "1"]])
        #expect(entry["response"]?["status"]?.intValue == 201)
        #expect(entry["response"]?["content"]?["text"]?.stringValue == #"{"a": 1}"#)
        #expect(entry["response"]?["content"]?["mimeType"]?.stringValue == "application/json")
        #expect(entry["response"]?["headers"]?.arrayValue?.contains(["name": "X-Echo", "value": "given"]) == true)
        #expect(entry["serverIPAddress"]?.stringValue == "127.0.0.1")
        #expect(entry["_outcome"]?.stringValue == "ended")
        let timings = try #require(entry["timings"])
        #expect((timings["connect"]?.numberValue?.double ?? 0) > 0 && timings["ssl"]?.intValue == -1)
        #expect((entry["time"]?.numberValue?.double ?? 0) > 0)
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `the wait for a connection is HAR's blocked`(linkage: Linkage) async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while true {
                let request = try connection.readRequest()
                try connection.wait(for: gate)
                try connection.respond(ServerResponse(body: "ok"), to: request)
            }
        }
        let recorder = try Recorders(linkage, connectionsPerHost: 1)
        let handles = [1, 2].map { recorder.kernel.begin(Request(.get, server.url("/\($0)"))) }
        #expect(await recorder.kernel.exchanges().count == 2)
        gate.open()
        for handle in handles { _ = try await handle.response.body.text() }

        let blocked = try await recorder.entries().map { $0["timings"]?["blocked"]?.numberValue?.double ?? 0 }

        #expect(blocked.count == 2 && blocked.filter { $0 > 0 }.count == 1, "\(blocked)")
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a body is recorded as it is read, up to its limit, and nothing is held back`(linkage: Linkage) async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(
                Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhello".utf8))
            try connection.wait(for: gate)
            try connection.write(Array("world".utf8))
        }
        let recorder = try Recorders(linkage, ["bodyLimit": "7B"])

        let response = try await recorder.kernel.send(Request(.get, server.url("/")))
        var pieces: [String] = []
        for try await piece in response.body {
            pieces.append(piece.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            gate.admit()
        }
        let content = try #require(try await recorder.entries().first?["response"]?["content"])

        #expect(pieces.joined() == "helloworld" && pieces.count == 2)
        #expect(content["text"]?.stringValue == "hellowo" && content["_cut"]?.intValue == 3)
        #expect(content["size"]?.intValue == 10)
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `each attempt is an entry, and what plugins told of the exchange stands in the last`(linkage: Linkage)
        async throws
    {
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b?token=t0psecret&n=1")])
                : ServerResponse(body: "there")
        }
        let recorder = try Recorders(linkage, also: [.redirect])

        _ = try await recorder.kernel.send(Request(.get, server.url("/a"))).body.text()
        let entries = try await recorder.entries()

        #expect(entries.map { $0["response"]?["status"]?.intValue } == [302, 200])
        #expect(entries.map { $0["_attempt"]?.intValue } == [1, 2])
        #expect((entries.first?["time"]?.numberValue?.double ?? 0) > 0)
        #expect(entries.first?["response"]?["redirectURL"]?.stringValue == "/b?token=…&n=1")
        let events = entries.last?["_events"]?.arrayValue ?? []
        #expect(events.contains { $0["id"]?.stringValue == "redirect.followed" && $0["status"]?.stringValue == "302" })
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `whether a request took a route of its own is recorded, and the route is not`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "there") }
        let recorder = try Recorders(linkage)
        var detour = Request(.get, "http://other.test/")
        detour.options.proxy = server.url("").replacing("//", with: "//user:t0psecret@")

        for request in [Request(.get, server.url("/")), detour] {
            _ = try await recorder.kernel.send(request).body.text()
        }
        let entries = try await recorder.entries()

        #expect(entries.map { $0["request"]?["_route"]?.stringValue } == [nil, "own"])
        #expect(try await recorder.text("har").contains("t0psecret") == false)
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a failure is recorded with its code`(linkage: Linkage) async throws {
        let recorder = try Recorders(linkage)
        let port = try ClosedPort()

        _ = try? await recorder.kernel.send(Request(.get, port.url()))
        let line = try #require(try await recorder.list().first)

        let statistics = try JSONParser.parse(try await recorder.text("stats"))["127.0.0.1"]
        #expect(statistics?["exchanges"]?.intValue == 1 && statistics?["statuses"] == ["failed": 1])
        #expect(["p50", "p90", "p99"].allSatisfy { statistics?[$0] == line["took"] })
        #expect(line["failure"]?.stringValue == "transport.connect" && line["status"]?.isNull == true)
        #expect(try await recorder.list(["status": "failed"]).count == 1)
        #expect(try await recorder.list(["status": "2xx"]).isEmpty)
        await recorder.kernel.shutDown()
    }

    // MARK: HAR

    @Test(arguments: ["memory", "file"])
    func `a HAR that is imported is written again as it was`(persistence: String) async throws {
        let folder = try TemporaryFolder()
        let entries = #"""
            [{"startedDateTime": "2020-01-02T03:04:05.678+01:00", "time": 12.5,
              "request": {"method": "PUT", "url": "https://a.test/x?y=1", "httpVersion": "h2", "cookies": [], "headers": [],
                          "queryString": [], "headersSize": -1, "bodySize": 3, "postData": {"mimeType": "a/b", "text": "it's"}},
              "response": {"status": 204, "statusText": "No Content", "httpVersion": "h2", "cookies": [], "headers": [],
                           "content": {"size": 0, "mimeType": ""}, "redirectURL": "", "headersSize": -1, "bodySize": 0},
              "cache": {}, "timings": {"send": 1, "wait": 2, "receive": 9.5}, "comment": "kept", "pageref": "p"}]
            """#
        let recorder = try Recorders(
            .linked, ["persistence": .string(persistence), "path": .string(folder.file("recorder.sqlite"))])

        let pages = #"[{"id": "p", "title": "A", "startedDateTime": "2020-01-02T03:04:05Z", "pageTimings": {}}]"#
        let path = try folder.write(
            "a.har", #"{"log": {"version": "1.2", "pages": \#(pages), "entries": \#(entries)}}"#)
        #expect(try await recorder.text("import", ["path": .string(path)]) == #"{"imported":1}"#)
        let line = try #require(try await recorder.list(["host": "a.test"]).first)

        #expect(try await recorder.entries() == JSONParser.parse(entries).arrayValue)
        #expect(try JSONParser.parse(try await recorder.text("har"))["log"]?["pages"] == JSONParser.parse(pages))
        #expect(line["date"]?.stringValue == "2020-01-02T02:04:05.678Z" && line["status"]?.intValue == 204)
        let curl = try await recorder.text("curl", ["id": line["id"] ?? 1])
        #expect(
            curl == #"curl -X PUT -H Content-Type: --data-raw 'it'\''s' -g --url 'https://a.test/x?y=1'"# + "\n")
        await recorder.kernel.shutDown()
    }

    // MARK: Bounds and files

    @Test(arguments: ["memory", "file"])
    func `old exchanges make room`(persistence: String) async throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorders(
            .linked, ["persistence": .string(persistence), "path": .string(folder.file("r.sqlite")), "limit": 3],
            transport: MockTransport { _, _ in .respond(200, Fields(), nil) })

        for number in 1...40 { _ = try await recorder.kernel.send(Request(.get, "http://a.test/\(number)")) }
        let urls = try await recorder.list(["limit": 100]).map { $0["url"]?.stringValue ?? "" }

        #expect(urls.prefix(3) == ["http://a.test/40", "http://a.test/39", "http://a.test/38"])
        // The file is checked now and then.
        #expect(urls.count <= (persistence == "memory" ? 3 : 3 + 32))
        await recorder.kernel.shutDown()
    }

    @Test func `a file is read by a later process, and its records are found by what they hold`() async throws {
        let folder = try TemporaryFolder()
        let settings: JSONObject = ["persistence": "file", "path": .string(folder.file("recorder.sqlite"))]
        let first = try Recorders(.linked, settings, transport: MockTransport { _, _ in .respond(200, Fields(), nil) })
        var labelled = Request(.delete, "http://b.example.com/x")
        labelled.recorder.label = "mine"
        _ = try await first.kernel.send(Request(.get, "http://a.test/x"))
        _ = try await first.kernel.send(labelled)
        await first.kernel.shutDown()

        let second = try Recorders(.linked, settings)
        #expect(try await second.list().count == 2)
        #expect(try await second.list(["method": "delete"]).count == 1)
        #expect(try await second.list(["host": ".example.com"]).count == 1)
        #expect(try await second.list(["label": "mine"]).count == 1)
        #expect(try await second.list(["text": "A.TEST"]).count == 1)
        #expect(try await second.list(["took": "1h"]).isEmpty)
        #expect(try await second.text("clear", ["host": "a.test"]) == #"{"removed":1}"#)
        #expect(try await second.list().count == 1)
        await second.kernel.shutDown()
    }

    @Test(arguments: [
        ("list", #"{"status": "many"}"#), ("list", #"{"took": "soon"}"#), ("list", #"{"colour": "red"}"#),
        ("show", "{}"), ("show", #"{"id": 99}"#), ("import", #"{"text": "no json"}"#), ("import", #"{"text": "{}"}"#),
        ("import", #"{"text": "{\"log\": {\"entries\": [{}]}}"}"#), ("import", #"{"path": "/nowhere/x.har"}"#),
    ])
    func `a command says what is wrong with its arguments`(command: String, arguments: String) async throws {
        let recorder = try Recorders(.linked)

        let error = await #expect(throws: PlugboardError.self) {
            try await recorder.kernel.command("recorder", command, arguments)
        }

        #expect([.recorderArgument, .recorderFile].contains(error?.code))
        await recorder.kernel.shutDown()
    }

    @Test(arguments: [#"{"bodyTypes": ["json"]}"#, #"{"secretMembers": [""]}"#, #"{"secretParameters": ["*"]}"#])
    func `a setting that cannot work is refused before the start`(settings: String) throws {
        #expect(throws: PlugboardError.self) {
            try Recorders(.linked, JSONParser.parse(settings).objectValue ?? [:])
        }
    }

    @Test func `a file that others could replace is refused with the reason`() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o777) == 0)

        let error = #expect(throws: PlugboardError.self) {
            try Recorders(.linked, ["persistence": "file", "path": .string(folder.file("a.sqlite"))])
        }

        #expect(error?.reason.contains("can be written to by other users") == true, "\(error?.reason ?? "")")
    }
}
