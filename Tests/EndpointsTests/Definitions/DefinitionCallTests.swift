import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import TestSupport
import Testing

/// Endpoints that are called by the names of their definitions.
struct DefinitionCallTests {
    private struct Topic: Decodable, Sendable, Equatable { let id: Int }

    private let server: LoopbackServer
    private let kernel: Kernel

    init() throws {
        server = try LoopbackServer.responding { request in
            let body = request.path.hasSuffix("list") ? #"[{"id": 1}, {"id": 2}]"# : #"{"id": 7}"#
            return ServerResponse(fields: [("Content-Type", "application/json")], body: body)
        }
        kernel = try Kernel(configuration: Configuration())
    }

    private func client(_ definitions: JSONValue, _ change: (inout ClientSettings) -> Void = { _ in }) throws -> Client
    {
        var settings = ClientSettings(base: server.url("/api"))
        settings.definitions = try Definitions(definitions)
        change(&settings)
        return Client(kernel: kernel, settings: settings)
    }

    /// The message of the error that a call throws before anything is sent.
    private func refusal(_ definition: JSONValue, _ parameters: Parameters) async throws -> String {
        let client = try client(["A": definition])
        let error = await #expect(throws: PlugboardError.self) { try await client.send("A", parameters) }
        #expect(error?.code == .requestParameter)
        #expect(server.requests.isEmpty)
        return error?.reason ?? ""
    }

    @Test func `a call by name sends what the definition says`() async throws {
        let client = try client([
            "DEFAULT": ["headers": ["X-App": "a"], "query": ["lang": "da"], "pathPrefix": "v2"],
            "List": [
                "path": "boards/{board}/list",
                "parameters": ["page": ["in": "query", "default": 1], "X-B": "header", "c": "cookie"],
                "response": "list", "authorization": true, "authorizationHeaders": ["X-Key": "k"],
                "authorizationQuery": ["key": "q"],
            ],
        ])

        let topics = try await client.send("List", ["board": "a/b", "X-B": 2, "c": "d e"], as: [Topic].self)

        let request = try #require(server.requests.last)
        #expect(topics == [Topic(id: 1), Topic(id: 2)])
        #expect(request.method == "GET")
        #expect(request.target == "/api/v2/boards/a%2Fb/list?lang=da&key=q&page=1")
        #expect(request["X-App"] == "a" && request["X-B"] == "2" && request["X-Key"] == "k")
        #expect(request["Cookie"] == "c=d%20e")
    }

    @Test func `the client's general user info is in that of a call, unless the definition turns it off`() throws {
        var settings = ClientSettings()
        settings.userInfo = ["screen": "home"]
        settings.definitions = try Definitions([
            "A": ["path": "a", "userInfo": ["own": "1"]],
            "B": ["path": "b", "userInfo": ["own": "1"], "generalUserInfo": false],
        ])
        let client = Client(kernel: kernel, settings: settings)

        let calls = ["A", "B"].map { client.call($0, isStarted: false) }

        #expect(calls.map { $0.userInfo.keys.sorted() } == [["own", "screen"], ["own"]])
    }

    @Test func `the placeholders of a definition in code are parameters, as those of a file`() async throws {
        var paged = Definition("Paged", path: "boards/{board}/list")
        paged.parameters = [DefinedParameter("page", .query)]
        var settings = ClientSettings(base: server.url("/api"))
        settings.definitions = Definitions([paged])
        settings.definitions.add(Definition("Drop", path: "topics/{id}", method: .delete))
        let client = Client(kernel: kernel, settings: settings)

        _ = try await client.send("Paged", ["board": "a/b", "page": 2])
        _ = try await client.send("Drop", ["id": 7, "why": "old"])
        let error = await #expect(throws: PlugboardError.self) { try await client.send("Drop") }

        #expect(
            server.requests.map { "\($0.method) \($0.target)" } == [
                "GET /api/boards/a%2Fb/list?page=2", "DELETE /api/topics/7?why=old",
            ])
        #expect(error?.reason == "Drop: the parameter id is missing.")
    }

    @Test func `parameters without a place follow the method, and those with one stand there`() async throws {
        let client = try client([
            "A": ["method": "POST", "path": "a", "parameters": ["q": "query", "b": ["type": "object"], "c": "body"]],
            "B": ["method": "POST", "path": "b"], "C": ["method": "POST", "path": "c", "requestCodec": "form"],
            "D": ["path": "d"],
        ])

        _ = try await client.send("A", ["q": "x", "c": 1])
        _ = try await client.send("B", ["x": 1, "y": ["z"]])
        _ = try await client.send("C", ["x": "ø &"])
        _ = try await client.send("D", ["x": ["a", "b"]])

        let requests = server.requests
        #expect(requests[0].target == "/api/a?q=x" && requests[0].text == #"{"c":1}"#)
        #expect(requests[1].target == "/api/b" && requests[1].text == #"{"x":1,"y":["z"]}"#)
        #expect(requests[2].text == "x=%C3%B8+%26")
        #expect(requests[2]["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(requests[3].target == "/api/d?x%5B%5D=a&x%5B%5D=b")
    }

    @Test func `a definition of its own base, and one of the CDN, are sent there`() async throws {
        let cdn = try LoopbackServer.responding { _ in ServerResponse(body: "cdn") }
        let client = try client([
            "A": ["path": "/a", "base": .string(cdn.url("/own/"))], "B": ["path": "b", "cdn": true, "response": "raw"],
        ]) { $0.cdn = cdn.url("/cdn") }

        _ = try await client.send("A")
        let response = try await client.send("B")

        #expect(cdn.requests.map(\.target) == ["/own/a", "/cdn/b"])
        guard case .raw = response.content else { throw PlugboardError(.kernel, "\(response.content)") }
    }

    @Test func `an untyped response is what the definition expects`() async throws {
        let client = try client([
            "List": ["path": "list", "response": "list", "responseType": "Topic"],
            "One": ["path": "one", "response": "object", "responseType": "Topic"],
            "JSON": ["path": "one"], "None": ["path": "one", "response": "none"],
            "Raw": ["path": "one", "response": "raw"],
            "Wrong": ["path": "one", "response": "list"], "Unknown": ["path": "one", "responseType": "Topik"],
        ]) { $0.models.register(Topic.self) }

        #expect(try await client.send("List").model([Topic].self) == [Topic(id: 1), Topic(id: 2)])
        #expect(try await client.send("One").model(Topic.self) == Topic(id: 7))
        #expect(try await client.send("JSON").json == ["id": 7])
        #expect(try await client.send("None").json == nil)
        #expect(try await client.send("Raw").response.text == #"{"id": 7}"#)
        #expect(try await client.send("JSON", as: JSONValue.self) == ["id": 7])
        #expect(try await client.send("JSON", as: String.self) == #"{"id": 7}"#)
        try await client.send("JSON", as: Void.self)
        let wrong = await #expect(throws: PlugboardError.self) { try await client.send("Wrong") }
        #expect(wrong?.code == .bodyDecode && wrong?.reason.contains("Wrong expects a list") == true)
        let unknown = await #expect(throws: PlugboardError.self) { try await client.send("Unknown") }
        #expect(unknown?.code == .configuration && unknown?.reason.contains("Topic") == true)
    }

    @Test func `a call with callbacks is a call like any other, found by its definition's labels`() async throws {
        let client = try client([
            "A": ["path": "list", "tag": "t", "group": "g", "category": "c", "userInfo": ["u": "v"]]
        ])

        let call = client.call("A", as: [Topic].self)

        #expect(call.labels.tag == "t" && call.labels.group == "g" && call.labels.category == "c")
        #expect(call.labels.userInfo["u"] as? String == "v")
        #expect(try await call.value == [Topic(id: 1), Topic(id: 2)])
    }

    @Test func `options of a definition are those of its request`() async throws {
        let client = try client([
            "A": [
                "path": "a", "timeout": "5s", "idleTimeout": "2s", "authorization": false,
                "acceptableTypes": ["text/x"],
                "attributes": ["redirect": ["limit": 3]], "cache": ["time": "9s", "version": "1"],
            ]
        ])

        let request = try await client.request(for: client.endpoint("A"))

        #expect(request.options.timeout == .seconds(5) && request.options.idleTimeout == .seconds(2))
        #expect(request.attributes["redirect.limit"] == "3" && request.attributes["authentication.enabled"] == "false")
        #expect(request.attributes["cache.timeToLive"] == "9s" && request.attributes["cache.version"] == "1")
        #expect(request[.accept] == "text/x")
    }

    @Test func `an unknown name is an error of the call, with the nearest name`() async throws {
        let client = try client(["TopicList": ["path": "a", "refines": "Base"], "Base": ["group": "g"]])

        let unknown = await #expect(throws: PlugboardError.self) { try await client.send("TopcList") }
        let base = await #expect(throws: PlugboardError.self) { try await client.send("Base") }

        #expect(unknown?.reason == "There is no definition TopcList. Did you mean TopicList?")
        #expect(base?.reason == "The definition Base has no path: it is refined by others and cannot be called.")
    }

    @Test func `parameters that do not fit are refused all at once, without their values`() async throws {
        let definition: JSONValue = [
            "path": "a/{id}",
            "parameters": [
                "id": ["in": "path", "type": "integer"], "page": ["in": "query", "required": true],
                "tags": ["type": "array", "elements": "string"], "order": ["values": ["new", "old"]],
                "n": ["type": "number", "nullable": true],
            ],
        ]

        let reason = try await refusal(
            definition, ["id": "secret", "pge": 1, "tags": ["a", 1] as JSONValue, "order": "now", "n": nil as Int?])

        #expect(
            reason
                == "A: there is no parameter pge; did you mean page?; the parameter id must be a whole number, not a string; "
                + "the parameter page is missing; the parameter tags must be a list of strings, but element 1 is a number; "
                + "the parameter order is not one of its values; did you mean new?.")
    }

    @Test(arguments: ["..", ".", ""])
    func `a value of the path never leaves its segment`(value: String) async throws {
        let reason = try await refusal(["path": "files/{name}/x"], ["name": value])

        #expect(reason.contains("segment"))
    }

    @Test func `a placeholder without a value, a number that is no number, and a header with a line break are refused`()
        async throws
    {
        #expect(try await refusal(["path": "a/{b}"], [:]) == "A: the parameter b is missing.")
        #expect(try await refusal(["path": "a"], ["x": Double.infinity]).contains("x"))
        #expect(
            try await refusal(["path": "a", "parameters": ["X-A": "header"]], ["X-A": "b\r\nX-C: d"])
                .contains("line break"))
    }

    @Test func `definitions are fetched from a URL`() async throws {
        let host = try LoopbackServer.responding { request in
            request.path == "/api.json"
                ? ServerResponse(body: #"{"A": {"path": "a"}}"#) : ServerResponse(status: 404)
        }

        let definitions = try await Definitions.url(host.url("/api.json"), by: kernel)

        #expect(definitions["A"]?.base == host.url("/"))
        let error = await #expect(throws: PlugboardError.self) {
            try await Definitions.url(host.url("/no"), by: kernel)
        }
        #expect(error?.code == .responseStatus)
    }

    @Test(arguments: [
        #"{"A": {"path": "a", "downloadPath": "/tmp/x"}}"#,
        #"{"A": {"path": "a", "method": "POST", "parameters": {"f": {"in": "body", "type": "file", "default": "/etc/passwd"}}}}"#,
    ])
    func `definitions from a URL must not name files of this system`(text: String) async throws {
        let host = try LoopbackServer.responding { _ in ServerResponse(body: text) }

        let error = await #expect(throws: PlugboardError.self) { try await Definitions.url(host.url("/"), by: kernel) }

        #expect(error?.code == .configuration)
    }

    @Test func `a call by name has attributes of its own, such as its load message`() async throws {
        let client = try client([
            "List": ["path": "list", "attributes": ["indicator": ["message": "Loading", "modal": true]]]
        ])

        let request = try await client.request(
            for: client.endpoint("List", attributes: ["indicator.message": "Loading the topics"]))

        #expect(request.attributes["indicator.message"] == "Loading the topics")
        #expect(request.attributes["indicator.modal"] == "true")
    }
}
