import Plugboard
import PlugboardJSON
import PlugboardRecorder
import TestSupport
import Testing

/// What is left out of a record.
struct RecorderSecretTests {
    @Test(arguments: Linkage.allCases, ["memory", "file"])
    func `no secret is stored or shown`(linkage: Linkage, persistence: String) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { _ in
            ServerResponse(
                status: 200, fields: [("Content-Type", "application/json"), ("Set-Cookie", "id=hidden1")],
                body:
                    #"{"user": {"access_token": "hidden2", "mail": "hidden3", "name": "shown"}, "#
                    + #""list": [{"PASSWORD": {"a": ["hidden4"]}}], "headers": {"Set-Cookie": "hidden10"}}"#
            )
        }
        let recorder = try Recorders(
            linkage,
            [
                "persistence": .string(persistence), "path": .string(folder.file("recorder.sqlite")),
                "secretMembers": ["/user/mail"], "secretParameters": ["sp*ial"],
            ])
        var request = Request(
            .post,
            server.url("/?X-Amz-Signature=hidden5&special=hidden6&a=shown").replacing(
                "http://", with: "http://me:hidden7@"),
            body: .text("password=hidden8&name=shown"))
        request.fields.append("Content-Type", "application/x-www-form-urlencoded")
        request.fields.append("Authorization", "Bearer hidden9")

        _ = try await recorder.kernel.send(request).body.text()
        let id = try #require(try await recorder.list().first?["id"]?.intValue)
        let shown = try await recorder.text("show", ["id": .number(JSONNumber(id))])
        let curl = try await recorder.text("curl", ["id": .number(JSONNumber(id))])
        let har = try await recorder.text("har")
        await recorder.kernel.shutDown()
        let file = persistence == "file" ? String(decoding: try folder.read("recorder.sqlite"), as: UTF8.self) : ""

        for text in [shown, curl, har, file] { #expect(!text.contains("hidden")) }
        #expect(persistence == "memory" || file.contains("access_token"))
        #expect(shown.contains("shown") && shown.contains("access_token") && curl.contains("name=shown"))
    }

    @Test(arguments: Linkage.allCases)
    func `what is recorded is a setting, an attribute, and a matter of the media type`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(
                status: 200,
                fields: [("Content-Type", request.target == "/json" ? "application/problem+json" : "text/plain")],
                body: "12")
        }
        let recorder = try Recorders(linkage, ["bodyTypes": ["*/*+json"]])
        var off = Request(.get, server.url("/off"))
        off.recorder.bodies = .off
        var heads = Request(.get, server.url("/json"))
        heads.recorder.bodies = .heads

        for request in [off, heads, Request(.get, server.url("/text")), Request(.get, server.url("/json"))] {
            _ = try await recorder.kernel.send(request).body.text()
        }
        let entries = try await recorder.entries()

        #expect(entries.map { $0["response"]?["content"]?["text"]?.stringValue } == [nil, nil, "12"])
        await recorder.kernel.shutDown()
    }

    @Test(arguments: ["application/xml; charset=x", "text/event-stream", "application/x-ndjson", "text/plain"])
    func `members are found in JSON of any type`(type: String) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(
                fields: [("Content-Type", type)], body: "data: {\"token\": [\"hidden\", {\"a\": 1}], \"b\": 2}\n")
        }
        let recorder = try Recorders(.linked)

        _ = try await recorder.kernel.send(Request(.get, server.url("/"))).body.text()
        let text = try await recorder.entries().first?["response"]?["content"]?["text"]?.stringValue

        #expect(text == "data: {\"token\": \"…\", \"b\": 2}\n")
        await recorder.kernel.shutDown()
    }

    @Test(arguments: [("Content-Encoding", "gzip"), ("Content-Type", "multipart/form-data; boundary=b")])
    func `a body whose secrets cannot be found is not recorded`(field: String, value: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(fields: [(field, value)], body: "hidden") }
        let recorder = try Recorders(.linked)

        _ = try await recorder.kernel.send(Request(.get, server.url("/"))).body.collect(upTo: .kibibytes(1))
        let content = try #require(try await recorder.entries().first?["response"]?["content"])

        #expect(content["text"] == nil && content["_cut"]?.intValue == 6 && content["size"]?.intValue == 6)
        await recorder.kernel.shutDown()
    }

    @Test func `a redirect that changes the method leaves the body out of the next entry`() async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 303, fields: [("Location", "/b")]) : ServerResponse(body: "there")
        }
        let recorder = try Recorders(.linked, also: [.redirect])

        _ = try await recorder.kernel.send(Request(.post, server.url("/a"), body: .text("x=1"))).body.text()
        let requests = try await recorder.entries().compactMap { $0["request"] }

        #expect(requests.map { $0["method"]?.stringValue } == ["POST", "GET"])
        #expect(requests.map { $0["postData"]?["text"]?.stringValue } == ["x=1", nil])
        await recorder.kernel.shutDown()
    }
}
