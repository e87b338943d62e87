import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// `plugboard call` and `plugboard endpoints`.
struct CallTests {
    private let server: LoopbackServer
    static let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/OpenAPI/corner.json").standardizedFileURL.path

    init() throws {
        server = try LoopbackServer.responding { request in
            if request.path == "/api.json" {
                return ServerResponse(body: try String(contentsOfFile: CallTests.document, encoding: .utf8))
            }
            return ServerResponse(
                status: request.path == "/v1/cart" ? 404 : 200, fields: [("Content-Type", "application/json")],
                body: #"{"id": 1}"#)
        }
    }

    /// Calls an operation of the document, and returns what the server got.
    private func sent(_ arguments: [String], input: String = "") async throws -> ReceivedRequest {
        let outcome = try await Command.running(
            ["call"] + arguments + ["--openapi", CallTests.document, "--server", server.url("/v1")], input: input)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == #"{"id": 1}"#)
        return try #require(server.requests.last)
    }

    @Test func `an operation of an OpenAPI document is called by its name, with values typed by the document`()
        async throws
    {
        let request = try await sent([
            "createProduct", "title=42", "stock=7", "price[amount]:=12.50", "price[currency]=EUR",
        ])

        #expect(request.method == "POST" && request.target == "/v1/products")
        #expect(request.text == #"{"title":"42","price":{"amount":12.50,"currency":"EUR"},"stock":7}"#)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "application/json")
        #expect(request["User-Agent"]?.hasPrefix("plugboard/") == true)
    }

    @Test func `lists are given by repetition, objects by brackets, JSON by a colon`() async throws {
        let topics = try await sent(["listTopics", "board=a/b", "tags=x y", "tags=z", "order=votes"])
        let users = try await sent(["listUsers", "filter[role]=admin", "filter[since]=2026"])
        let products = try await sent(["listProducts", #"price:={"min": 1.50}"#, #"color:=["red"]"#])

        #expect(topics.target == "/v1/boards/a%2Fb/topics?tags=x%20y&tags=z&order=votes")
        #expect(users.target == "/v1/users?filter%5Brole%5D=admin&filter%5Bsince%5D=2026")
        #expect(products.target == "/v1/products?min=1.50&color=red")
    }

    @Test func `values come from files and bodies from standard input`() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text", "from a file")
        let value = try folder.write("value.json", "[\"mug\"]")

        let post = try await sent(["createPost", "topic=1", "text=@\(text)", "replyTo:=null"])
        let list = try await sent(["replaceWishlist", "user=ada", "name=x", "body:=@\(value)"])
        let coupon = try await sent(["redeemCoupon", "--body", "-"], input: "SWIFT")
        let negative = try await sent(["redeemCoupon", "--body", "-12"])
        let markdown = try await sent(["replacePostText", "post=1", "--body", "# T", "-H", "Content-Type: text/x"])

        #expect(post.text == #"{"text":"from a file","replyTo":null}"#)
        #expect(list.text == #"["mug"]"#)
        #expect(coupon.text == "SWIFT" && coupon["Content-Type"] == "text/plain")
        #expect(negative.text == "-12")
        #expect(markdown.text == "# T" && markdown.values("Content-Type") == ["text/x"])
    }

    @Test func `credentials are sent as the security schemes say`() async throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("key", "k3y\n")

        let admin = try await sent(["getStatistics", "--credential", "adminKey=@\(key)"])
        let token = try await sent(["listOrders", "--credential", "token=t0ken"])
        let basic = try await sent(["listOrders", "--credential", "basic=ada:pass:word"])
        let none = try await sent(["listBoards", "--credential", "token=t0ken"])

        #expect(admin["X-Admin-Key"] == "k3y" && admin["Authorization"] == nil)
        #expect(token["Authorization"] == "Bearer t0ken")
        #expect(basic["Authorization"] == "Basic \(Data("ada:pass:word".utf8).base64EncodedString())")
        #expect(none["Authorization"] == nil)
    }

    @Test func `an operation that needs a credential is sent without one with a warning`() async throws {
        func warning(_ arguments: String...) async throws -> String {
            try await Command.running(
                ["call"] + arguments + ["--openapi", CallTests.document, "--server", server.url("/v1")]
            ).stderr
        }

        let none = try await warning("listOrders")
        let header = try await warning("getStatistics", "-H", "X-Admin-Key: k")
        let token = try await warning("listOrders", "--credential", "token=t")
        let free = try await warning("listBoards")
        let enabled = try await warning("listOrders", "--plugin", "authentication")
        let user = try await warning("listOrders", "--user", "ada:secret")

        #expect(enabled.contains("listOrders needs a credential and is sent without one"), "\(enabled)")
        #expect(!user.contains("credential"), "\(user)")
        #expect(none.contains("listOrders needs a credential and is sent without one"), "\(none)")
        #expect(none.contains("give --credential SCHEME=VALUE for token, or basic"), "\(none)")
        #expect(![header, token, free].contains { $0.contains("credential") }, "\(header)\(token)\(free)")
    }

    @Test func `a document with a defect is used without the operation, and refused with --strict`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "api.json",
            #"{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a"}, "put": null}}}"#)
        let server = ["--server", server.url("/v1")]

        let list = try await Command.run("endpoints", "list", "--openapi", path)
        let call = try await Command.running(["call", "a", "--openapi", path] + server)
        let left = try await Command.running(["call", "PUT /a", "--openapi", path] + server)
        let strict = try await Command.running(["call", "a", "--strict", "--openapi", path] + server)

        #expect(list.status == 0 && list.stdout.hasPrefix("a  GET  /a"))
        #expect(list.stderr.contains("line 1, column 75: paths[\"/a\"].put must be an operation"), "\(list.stderr)")
        #expect(call.status == 0, "\(call.stderr)")
        #expect(left.status == 100 && left.stderr.contains("The operation PUT /a cannot be called"), "\(left.stderr)")
        #expect(strict.status == 100 && strict.stderr.contains("must be an operation"), "\(strict.stderr)")
    }

    @Test func `a document in YAML is read from a file and from a URL`() async throws {
        let text = """
            openapi: 3.1.0
            info: {title: t, version: "1"}
            paths:
              /topics/{id}:
                get:
                  operationId: getTopic
                  parameters:
                    - {name: id, in: path, required: true, schema: {type: string}}
                    - {name: draft, in: query, schema: {type: boolean}}
                  responses: {200: {description: d}}
            """
        let folder = try TemporaryFolder()
        let path = try folder.write("api.yaml", text)
        let server = try LoopbackServer.responding { request in
            if request.path == "/api" {
                return ServerResponse(fields: [("Content-Type", "application/yaml")], body: text)
            }
            return ServerResponse(body: "{}")
        }

        let list = try await Command.run("endpoints", "list", "--openapi", path)
        for document in [path, server.url("/api")] {
            let call = try await Command.run(
                "call", "getTopic", "id=a b", "draft=true", "--openapi", document, "--server", server.url("/v1"))
            #expect(call.status == 0, "\(call.stderr)")
        }
        let wrong = try await Command.run("endpoints", "list", "--openapi", folder.write("bad.yaml", "openapi: [3"))

        #expect(list.stdout.hasPrefix("getTopic  GET  /topics/{id}"), "\(list.stdout)\(list.stderr)")
        #expect(
            server.requests.map(\.target)
                == ["/v1/topics/a%20b?draft=true", "/api", "/v1/topics/a%20b?draft=true"])
        #expect(wrong.status == 100 && wrong.stderr.contains("bad.yaml cannot be read"), "\(wrong.stderr)")
    }

    @Test func `without definitions, the error names the options that give them`() async throws {
        let outcome = try await Command.run("call", "a")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("There are no definitions: give --openapi FILE, or a configuration"))
    }

    @Test func `a document is fetched from a URL, and a configuration's section is used without one`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "plugboard.json",
            """
            {"kernel": {"baseURL": "\(server.url("/v1/"))"},
             "endpoints": {"DEFAULT": {"headers": {"X-App": "test"}},
               "Add": {"path": "lists/{list}", "method": "POST", "parameters": {"list": "path", "n": {"type": "integer"}}}}}
            """)

        let fetched = try await Command.run(
            "call", "getBoard", "board=x", "--openapi", server.url("/api.json"), "--server", server.url("/v1"))
        let section = try await Command.run("call", "Add", "list=a", "n=3", "--config", file)

        #expect(fetched.status == 0 && section.status == 0, "\(fetched.stderr)\(section.stderr)")
        let requests = server.requests.suffix(2)
        #expect(requests.first?.target == "/v1/boards/x")
        #expect(requests.last?.target == "/v1/lists/a" && requests.last?.text == #"{"n":3}"#)
        #expect(requests.last?["X-App"] == "test")
    }

    @Test(arguments: [
        (["call", "getTopik", "topic=1"], "There is no definition getTopik. Did you mean getTopic?"),
        (
            ["call", "getTopic", "topc=1"],
            "there is no parameter topc; did you mean topic?; the parameter topic is missing."
        ),
        (["call", "getTopic", "topic=one"], "the parameter topic must be a whole number, not a string."),
        (["call", "getTopic", "topic"], "A parameter must be key=value, or key:=JSON: topic."),
        (["call", "getTopic", "topic:={"], "topic: the JSON cannot be read"),
        (
            ["call", "listTopics", "board=x", "order=vote"],
            "the parameter order is not one of its values; did you mean votes?"
        ),
        (["call", "listTopics", "board=.."], "has a segment of dots"),
        (["call", "getTopic", "topic=1", "--credential", "tokn=x"], "Did you mean token?"),
        (["call", "getTopic", "topic=1", "--credential", "basic=x"], "must be USER:PASSWORD."),
        (["endpoints", "show", "getTopik"], "There is no definition getTopik. Did you mean getTopic?"),
    ])
    func `errors of the command line end with 2 and send nothing`(arguments: [String], error: String) async throws {
        let outcome = try await Command.running(
            arguments + ["--openapi", CallTests.document]
                + (arguments[0] == "call" ? ["--server", server.url("/v1")] : []))

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains(error), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `other errors end with the statuses of the other verbs`() async throws {
        let folder = try TemporaryFolder()
        let wrong = try folder.write("wrong.json", #"{"A": {"pth": "a"}}"#)
        let relative = try folder.write("relative.json", #"{"A": {"path": "a"}}"#)

        let refused = try await Command.run("call", "A", "--openapi", wrong)
        let base = try await Command.run("call", "A", "--openapi", relative)
        let status = try await Command.run(
            "call", "getCart", "--fail", "--openapi", CallTests.document, "--server", server.url("/v1"))
        let number = try await Command.run("call", "getCart", "--openapi", CallTests.document, "--server", "7")

        #expect(refused.status == 100 && refused.stderr.contains("A.pth is not a known key; did you mean path?"))
        #expect(base.status == 3 && base.stderr.contains("A has no server."))
        #expect(status.status == 22)
        #expect(number.status == 100 && number.stderr.contains("has 2 servers, so that there is no server 7"))
    }

    @Test func `a server of the document is chosen by its number, and its variables by name`() async throws {
        let outcome = try await Command.run(
            "endpoints", "show", "getCart", "--openapi", CallTests.document, "--server-variable", "region=us")
        let second = try await Command.run(
            "endpoints", "show", "getCart", "--openapi", CallTests.document, "--server", "1")

        #expect(outcome.stdout.hasPrefix("GET https://us.corner.example/v1/cart\nGets the cart.\n"))
        #expect(second.stdout.hasPrefix("GET https://sandbox.corner.example/v1/cart\n"))
    }

    @Test func `a variable of a server decides where a call is sent`() async throws {
        let words = ["call", "getCart", "--openapi", CallTests.document, "--print-curl"]

        let us = try await Command.running(words + ["--server-variable", "region=us"])
        let malformed = try await Command.running(words + ["--server-variable", "geheim"])

        #expect(us.stdout.contains(" https://us.corner.example/v1/cart"), "\(us.stdout)\(us.stderr)")
        #expect(malformed.status == 2 && malformed.stderr.contains("--server-variable must be name=value."))
        #expect(!malformed.stderr.contains("geheim"))
    }
}
