import Plugboard
import PlugboardJSON
import TestSupport
import Testing

struct RequestBodiesTests {
    private struct Topic: Encodable {
        var title = "a"
        var replies = 2
    }

    @Test func `a body sets its content type, unless the request has one`() async throws {
        let file = try TemporaryFolder().write("a.json", "[]")
        let url = "https://a.example/p?x=1#f"
        let requests: [(Request, String, String)] = [
            (try Request(.post, url, json: Topic()), "application/json", #"{"title":"a","replies":2}"#),
            (
                try Request(.post, url, json: ["a": [1, nil], "b": "c"]), "application/json", #"{"a":[1,null],"b":"c"}"#
            ),
            (try Request(.post, url, json: JSONValue.null), "application/json", "null"),
            (try Request(.post, url, json: [1, 2]), "application/json", "[1,2]"),
            (
                try Request(.post, url, form: ["a b": "c d", "l": [1]]), "application/x-www-form-urlencoded",
                "a+b=c+d&l%5B%5D=1"
            ),
            (try Request(.put, url, text: "é"), "text/plain; charset=utf-8", "é"),
            (try Request(.put, url, bytes: Bytes("b")), "application/octet-stream", "b"),
            (try Request(.put, url, bytes: Bytes("b"), type: "image/png"), "image/png", "b"),
            (try Request(.post, url, body: "x", with: .text), "text/plain; charset=utf-8", "x"),
            (
                try Request(.post, url, fields: ["content-type": "a/b"], json: Topic()), "a/b",
                #"{"title":"a","replies":2}"#
            ),
        ]

        for (request, type, text) in requests {
            #expect(request.fields.values(.contentType) == [type] && request.url == url)
            #expect(try await request.body?.text() == text)
        }
        withExtendedLifetime(file) {}
    }

    @Test func `parameters of the query go with any body`() throws {
        let request = try Request(.post, "https://a.example/p?x=1#f", query: ["y": "é"], json: Topic())
        var other = try Request(
            .get, "https://a.example/", query: ["a": ["b": 1]], style: ParameterStyle(objects: .dots))
        try other.addQuery(["c": 2])

        #expect(request.url == "https://a.example/p?x=1&y=%C3%A9#f")
        #expect(other.method == .get && other.url == "https://a.example/?a.b=1&c=2" && other.body == nil)
    }

    @Test func `a value that cannot be written is refused before anything is sent`() {
        let refused: [() throws -> Request] = [
            { try Request(.post, "u", json: [Double.nan]) }, { try Request(.post, "u", form: ["a": Double.nan]) },
            { try Request(.get, "u", query: ["a": Float.infinity]) }, { try Request(.post, "u", body: 1, with: .text) },
        ]

        for make in refused {
            let error = #expect(throws: PlugboardError.self) { _ = try make() }
            #expect(error?.code == .requestParameter)
        }
    }

    @Test func `a file is opened at once, and has the type of its extension`() async throws {
        let folder = try TemporaryFolder()
        let request = try Request(.put, "u", file: try folder.write("a.pdf", "%PDF"))

        #expect(request[.contentType] == "application/pdf" && request.body?.length == 4)
        let error = #expect(throws: PlugboardError.self) { try Request(.put, "u", file: folder.file("missing")) }
        #expect(error?.code == .bodyRead)
    }

    @Test func `a kernel sends them`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(
                fields: [("Content-Type", request["Content-Type"] ?? "")], body: request.body)
        }
        let kernel = try Kernel()

        let json = try await kernel.send(Request(.post, server.url(), query: ["q": "é"], json: ["a": 1]))
            .requireStatus().requireType("application/json").json()
        let text = try await kernel.send(Request(.put, server.url(), text: "h\u{e9}")).text()

        #expect(json == ["a": 1] && text == "hé")
        let requests = try await server.requests(atLeast: 2)
        #expect(requests[0].target == "/?q=%C3%A9" && requests[0]["Content-Length"] == "7")
        await kernel.shutDown()
        server.stop()
    }
}
