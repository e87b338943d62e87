import Plugboard
import PlugboardJSON
import PlugboardMock
import TestSupport
import Testing

/// Requests that are answered in place of the network.
struct MockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func kernel(
        _ linkage: Linkage, _ rules: String? = nil, _ settings: JSONObject = [:], also others: [PluginEntry] = [],
        _ transport: (any Transport)? = nil
    ) throws -> Kernel {
        var settings = settings
        if let rules { settings["rules"] = .string(try folder.write("mock.json", rules)) }
        return try linkage.kernel(mockPlugin(), transport, settings: settings, also: others)
    }

    @Test(arguments: Linkage.allCases)
    func `a rule answers by method, URL, fields and body`(linkage: Linkage) async throws {
        let kernel = try kernel(
            linkage,
            #"""
            {"rules": [
                {"request": {"method": "post", "url": "http://api.test/users/*", "fields": {"X-Tenant": "a*"},
                             "body": {"user": {"name": "Ann"}}},
                 "response": {"status": 201, "fields": {"Location": "/users/7"}, "json": {"id": 7}}},
                {"request": {"url": "http://api.test/*"}, "response": {"text": "other"}}
            ]}
            """#)
        var request = Request(
            .post, "http://api.test/users/?x=1", body: .text(#"{"user": {"name": "Ann", "age": 3}, "more": []}"#))
        request.fields.append("X-Tenant", "acme")
        var another = request
        another.fields.remove("X-Tenant")

        let response = try await kernel.send(request)
        #expect(response.status == 201 && response.fields["Location"] == "/users/7")
        #expect(response.fields[.contentType] == "application/json")
        #expect(try await response.body.text() == #"{"id":7}"#)
        #expect(try await kernel.send(Request(.get, "http://api.test/users/1")).body.text() == "other")
        #expect(
            try await kernel.send(Request(.post, "http://api.test/users/", body: .text("no json"))).body.text()
                == "other")
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `what no rule is for fails, and names the nearest rule`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let rules =
            #"{"rules": [{"name": "list", "request": {"method": "GET", "url": "http://api.test/a"}, "response": {}}]}"#
        let strict = try kernel(linkage, rules, [:], transport)
        let open = try kernel(linkage, rules, ["unmatched": "pass"], transport)

        let error = await #expect(throws: PlugboardError.self) {
            try await strict.send(Request(.get, "http://api.test/b?key=t0p"))
        }
        _ = try await open.send(Request(.get, "http://api.test/b"))

        #expect(error?.code == .mockUnmatched && error?.reason.contains("list: its url is http://api.test/a") == true)
        #expect(error?.reason.contains("t0p") == false)
        #expect(transport.requests.map(\.url) == ["http://api.test/b"])
        await strict.shutDown()
        await open.shutDown()
    }

    @Test(arguments: [
        ("GET", "item", "list: its url is http://api.test/items"), ("POST", "users/7", "user: its method is GET"),
        ("PUT", "elsewhere", "login: its method is POST"), ("GET", "secured", "secured: it requires the field X-Key"),
    ])
    func `the nearest rule is the one with the most similar URL`(
        method: String, path: String, expected: String
    ) async throws {
        let kernel = try kernel(
            .linked,
            #"""
            {"rules": [
                {"name": "login", "request": {"method": "POST", "url": "http://api.test/log*"}, "response": {}},
                {"name": "user", "request": {"method": "GET", "url": "http://api.test/users/*"}, "response": {}},
                {"name": "list", "request": {"method": "GET", "url": "http://api.test/items"}, "response": {}},
                {"name": "secured", "request": {"url": "*/secured", "fields": {"X-Key": "*"}}, "response": {}}
            ]}
            """#)

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(Method(method), "http://api.test/\(path)"))
        }

        #expect(error?.reason.contains("The nearest is \(expected)") == true, "\(error?.reason ?? "")")
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `what is missing comes from the network, and the next run has it without secrets`(
        linkage: Linkage
    ) async throws {
        let path = folder.file("recorded.json")
        let server = try LoopbackServer.responding { request in
            #expect(request["Accept-Encoding"] == "identity")
            return ServerResponse(
                fields: [("Content-Type", "application/json"), ("Set-Cookie", "id=t0p"), ("X-Kept", "kept")],
                body: #"{"method": "\#(request.method)", "token": "t0p"}"#)
        }
        let url = server.url("/a?page=1&token=t0p")
        let recording = try kernel(linkage, nil, ["rules": .string(path), "unmatched": "record"])
        for method in [Method.get, .post, .get] {
            _ = try await recording.send(Request(method, url)).body.text()
        }
        await recording.shutDown()
        server.stop()
        let text = String(decoding: try folder.read("recorded.json"), as: UTF8.self)
        let replaying = try kernel(linkage, nil, ["rules": .string(path)], MockTransport { _, _ in .silence })

        let replayed = try await replaying.send(Request(.post, url))

        #expect(!text.contains("t0p"), "\(text)")
        #expect(try JSONParser.parse(text)["rules"]?.arrayValue?.count == 2, "the same response is added once")
        #expect(replayed.fields["X-Kept"] == "kept" && replayed.fields["Set-Cookie"] == nil)
        #expect(try await replayed.body.text() == #"{"method": "POST", "token": "…"}"#)
        await replaying.shutDown()
    }

    @Test func `a recorded file keeps its rules, and has no response that is too long or cut`() async throws {
        let path = try folder.write(
            "mock.json",
            #"""
            {"rules": [ // written by hand
                {"request": {"url": "http://a.test/known"}, "response": {"text": "known"}},
            ]}
            """#)
        let bodies = ["short", String(repeating: "x", count: 2000), "other"]
        let transport = MockTransport { _, number in .respond(200, Fields(), [bodies[number - 1]]) }
        let kernel = try kernel(
            .linked, nil, ["rules": .string(path), "unmatched": "record", "bodyLimit": "1KiB"], transport)

        for word in ["known", "same", "long", "same"] {
            _ = try await kernel.send(Request(.get, "http://a.test/\(word)")).body.text()
        }
        await kernel.shutDown()

        let rules = try JSONParser.parse(try folder.read("mock.json"))["rules"]?.arrayValue ?? []
        #expect(rules.count == 2 && rules.first?["response"] == ["text": "known"])
        let texts = rules.last?["responses"]?.arrayValue?.map { $0["text"]?.stringValue }
        #expect(texts == ["short", "other"], "responses of one URL keep their order")
    }

    @Test func `record without a file of rules is refused`() throws {
        let error = #expect(throws: PlugboardError.self) { try kernel(.linked, nil, ["unmatched": "record"]) }
        #expect(error?.reason.contains("which needs rules") == true)
    }

    @Test func `responses follow one another, and the last one stays`() async throws {
        let kernel = try kernel(
            .linked,
            #"""
            {"rules": [
                {"request": {"url": "http://a.test/once"}, "times": 1, "response": {"text": "first"}},
                {"request": {"url": "http://a.test/*"},
                 "responses": [{"status": 503}, {"fail": "transport.reset", "reason": "Gone."}, {"text": "there"}]}
            ]}
            """#, also: [.retry])

        #expect(try await kernel.send(Request(.get, "http://a.test/x")).body.text() == "there")
        #expect(try await kernel.send(Request(.get, "http://a.test/once")).body.text() == "first")
        #expect(try await kernel.send(Request(.get, "http://a.test/once")).body.text() == "there")
        guard case .json(let report) = try await kernel.command("mock", "report", "{}") else {
            Issue.record("The report is no JSON.")
            return
        }
        #expect(try JSONParser.parse(report)["rules"]?[1]?["responses"]?.intValue == 4)
        #expect(try JSONParser.parse(report)["unused"] == [])
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a HAR is answered as it was recorded`(linkage: Linkage) async throws {
        let har = #"""
            {"log": {"version": "1.2", "entries": [
                {"request": {"method": "GET", "url": "http://a.test/x?token=…"},
                 "response": {"status": 200, "headers": [{"name": "Content-Encoding", "value": "gzip"}, {"name": "X-A", "value": "1"}],
                              "content": {"text": "aGVsbG8=", "encoding": "base64"}}},
                {"request": {"method": "GET", "url": "http://a.test/x?token=…"},
                 "response": {"status": 404, "headers": [], "content": {"text": "gone"}}}
            ]}}
            """#
        let kernel = try kernel(linkage, nil, ["har": .string(try folder.write("a.har", har))])

        let first = try await kernel.send(Request(.get, "http://a.test/x?token=12"))
        #expect(first.status == 200 && first.fields["X-A"] == "1" && first.fields["Content-Encoding"] == nil)
        #expect(try await first.body.text() == "hello")
        #expect(try await kernel.send(Request(.get, "http://a.test/x?token=13")).status == 404)
        await kernel.shutDown()
    }

    @Test func `the same seed makes the same choices`() async throws {
        func statuses(_ seed: Int) async throws -> [Int] {
            let kernel = try kernel(
                .linked,
                #"{"rules": [{"probability": 50, "response": {"status": 500}}, {"response": {"status": 200}}]}"#,
                ["seed": .number(JSONNumber(seed))])
            var statuses: [Int] = []
            for _ in 1...40 { statuses.append(try await kernel.send(Request(.get, "http://a.test/")).status) }
            await kernel.shutDown()
            return statuses
        }

        let (first, again, other) = (try await statuses(1), try await statuses(1), try await statuses(2))

        #expect(first == again && first != other)
        #expect((8...32).contains(first.count { $0 == 500 }))
    }

    @Test(arguments: [
        ("[]", "the file must be an object"), (#"{"rule": []}"#, "has no member rule"),
        (#"{"rules": [{}]}"#, "rules[0] must have a list responses"),
        (
            #"{"rules": [{"response": {"status": 99}}]}"#,
            "rules[0].response must have a number from 200 to 599 as status"
        ),
        (#"{"rules": [{"request": {"url": 1}, "response": {}}]}"#, "rules[0].request must have a text as url"),
        (
            #"{"rules": [{"response": {"fields": {"a b": "c"}}}]}"#,
            "rules[0].response has a field a b that is not valid"
        ),
        (#"{"rules": [{"response": {"fail": "no code"}}]}"#, "must have a code such as transport.reset as fail"),
        (#"{"rules": [{"response": {"delay": "soon"}}]}"#, "must have a time such as 100ms as delay"),
        (#"{"rules": [{"response": {"fail": "a.b", "json": 1}}]}"#, "rules[0].response has json and fail, which"),
        (#"{"rules": [{"response": {"fail": "a.b", "status": 503}}]}"#, "has status and fail, which exclude"),
        (#"{"rules": [{"response": {"text": "a", "json": 1}}]}"#, "has json and text, which exclude"),
        (#"{"rules": [{"response": {"text": "a", "chunks": []}}]}"#, "has text and chunks, which exclude"),
        (#"{"rules": [{"response": {"chunks": [{"text": "a", "file": "a"}]}}]}"#, "chunks[0] has text and file, which"),
        (#"{"rules": [{"response": {}, "responses": [{}]}]}"#, "rules[0] has response and responses, which exclude"),
        (#"{"rules": [{"response": {"file": "none.txt"}}]}"#, "none.txt does not exist"), ("{", "is not JSON"),
    ])
    func `a mistake in the rules refuses the start and names its place`(rules: String, expected: String) throws {
        let error = #expect(throws: PlugboardError.self) { try kernel(.linked, rules) }

        let reason = "\(error?.reason ?? "") \(error?.underlying ?? "")"
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test func `a file of rules is checked by a command`() async throws {
        let kernel = try kernel(.linked, #"{"rules": []}"#, ["unmatched": "pass"])
        let path = try folder.write("other.json", #"{"rules": [{"response": {}}]}"#)
        let arguments: String = JSONWriter.write(["path": .string(path)])

        guard case .json(let reply) = try await kernel.command("mock", "check", arguments) else {
            Issue.record("The reply is no JSON.")
            return
        }

        #expect(reply == #"{"rules":1}"#)
        await kernel.shutDown()
    }

    @Test func `the first rule responds, whether its URL is a pattern or not`() async throws {
        let kernel = try kernel(
            .linked,
            #"""
            {"rules": [
                {"request": {"url": "http://a.test/one"}, "times": 1, "response": {"text": "literal"}},
                {"request": {"url": "http://a.test/*"}, "times": 2, "response": {"text": "pattern"}},
                {"request": {"url": "http://a.test/one"}, "response": {"text": "later"}},
                {"response": {"text": "any"}}
            ]}
            """#)

        var texts: [String] = []
        for path in ["one", "one", "one", "two", "two", "one"] {
            texts.append(try await kernel.send(Request(.get, "http://a.test/\(path)")).body.text())
        }

        #expect(texts == ["literal", "pattern", "pattern", "any", "any", "later"])
        await kernel.shutDown()
    }
}
