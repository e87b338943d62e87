import PlugboardCacheOptions
import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

@Suite struct RequestTests {
    private var settings = ClientSettings(base: "https://a.test/api")

    private func request<E: Endpoint>(_ endpoint: E) async throws -> Request {
        try await Client(kernel: Kernel(transport: ScriptedTransport()), settings: settings).request(for: endpoint)
    }

    private func text(_ request: Request) async throws -> String? {
        try await request.body?.collect(upTo: .mebibytes(1)).text
    }

    // MARK: Parameters

    struct Search: Endpoint, Encodable {
        typealias Response = String
        struct Filter: Encodable {
            var author = "Ada"
            var tags = ["a b", "c"]
        }
        var path = "boards/{board}"
        var downloadPath: String = "/tmp/x"
        let board: String
        var filter = Filter()
        var after: String?
        var tag = "own"
    }

    @Test func `the properties of an endpoint are its parameters, without placeholders, options and nil`() async throws
    {
        let request = try await request(Search(board: "swift"))

        #expect(
            request.url
                == "https://a.test/api/boards/swift?filter%5Bauthor%5D=Ada&filter%5Btags%5D%5B%5D=a%20b&filter%5Btags%5D%5B%5D=c&tag=own"
        )
        #expect(request.body == nil)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"])
    func `parameters of a method without a body are the query`(method: String) async throws {
        let request = try await request(Parts(method: Method(method), parameters: ["a": 1, "b": "ü &"]))

        #expect(request.url == "https://a.test/api/items?a=1&b=%C3%BC%20%26")
        #expect(request.body == nil)
        #expect(request[.contentType] == nil)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "PROPPATCH"])
    func `parameters of other methods are a body of JSON`(method: String) async throws {
        let request = try await request(Parts(method: Method(method), parameters: ["a": 1, "b": "ü"]))

        #expect(request.url == "https://a.test/api/items")
        #expect(try await text(request) == #"{"a":1,"b":"ü"}"#)
        #expect(request[.contentType] == "application/json")
    }

    @Test func `a codec writes the parameters, and some of them are forced into the query`() async throws {
        let endpoint = Parts(
            method: .post, parameters: ["key": "k", "a": 1, "key": 2, "b": "x y"], queryParameters: ["key", "other"],
            requestCodec: .form)

        let request = try await request(endpoint)

        #expect(request.url == "https://a.test/api/items?key=k&key=2")
        #expect(try await text(request) == "a=1&b=x+y")
        #expect(request[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `a request without parameters has an empty body, and no content type`() async throws {
        let request = try await request(Parts(method: .post, parameters: ["id": 1], queryParameters: ["id"]))

        #expect(request.url == "https://a.test/api/items?id=1")
        #expect(request.body?.length == 0)
        #expect(request[.contentType] == nil)
    }

    @Test func `with a body of its own, all parameters are in the query`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.txt", "from a file")
        let bodies: [(EndpointBody, String, String)] = [
            (.text("hello"), "hello", "text/plain; charset=utf-8"),
            (.bytes(Bytes("hi"), type: "image/png"), "hi", "image/png"),
            (.file(file, type: "text/plain"), "from a file", "text/plain"),
            (.value([1, 2]), "[1,2]", "application/json"),
            (.value(["a": "b c"], with: .form), "a=b+c", "application/x-www-form-urlencoded"),
            (.body(.text("x"), type: "a/b"), "x", "a/b"),
        ]

        for (body, text, type) in bodies {
            let request = try await request(Parts(method: .put, parameters: ["a": 1], body: body))

            #expect(request.url == "https://a.test/api/items?a=1")
            #expect(try await self.text(request) == text)
            #expect(request[.contentType] == type)
        }
    }

    @Test func `a content type of the endpoint's own fields is kept`() async throws {
        let request = try await request(
            Parts(method: .post, parameters: ["a": 1], fields: ["Content-Type": "application/vnd.a+json"]))

        #expect(request.fields.values(.contentType) == ["application/vnd.a+json"])
    }

    @Test(arguments: [Parameters(dictionaryLiteral: ("a", Double.nan)), ["a": 1, "b": Double.infinity]])
    func `a parameter that cannot be encoded is an error`(parameters: Parameters) async {
        for endpoint in [
            Parts(parameters: parameters), Parts(method: .post, parameters: parameters),
            Parts(method: .post, parameters: parameters, queryParameters: ["a", "b"]),
        ] {
            let error = await #expect(throws: PlugboardError.self) { try await request(endpoint) }

            #expect(error?.code == .requestParameter)
        }
    }

    struct Broken: Endpoint, Encodable {
        typealias Response = String
        var path: String { "a" }
        var value = Double.nan
    }

    struct Single: Endpoint, Encodable {
        typealias Response = String
        var path: String { "a" }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(7)
        }
    }

    @Test func `an endpoint that cannot be encoded is an error`() async {
        let errors = [
            await #expect(throws: PlugboardError.self) { try await request(Broken()) },
            await #expect(throws: PlugboardError.self) { try await request(Single()) },
        ]

        #expect(errors.map { $0?.code } == [.requestParameter, .requestParameter])
    }

    // MARK: What all requests have

    @Test func `general fields and parameters are sent, and the endpoint's own replace them`() async throws {
        var copy = self
        copy.settings.fields = ["X-App": "reader", "X-Lang": "de", "X-App": "two"]
        copy.settings.parameters = ["v": 1, "lang": "de"]

        let request = try await copy.request(
            Parts(parameters: ["lang": "fr", "q": "x"], fields: ["x-app": "own", "X-Other": "o"]))

        #expect(request.url == "https://a.test/api/items?v=1&lang=fr&q=x")
        #expect(request.fields.map { "\($0.name): \($0.value)" } == ["X-Lang: de", "x-app: own", "X-Other: o"])
    }

    @Test func `an endpoint turns off each of what is general`() async throws {
        var copy = self
        copy.settings = ClientSettings(base: "https://a.test/api", cdn: "https://cdn.test", pathPrefix: "v2")
        copy.settings.fields = ["X-App": "reader"]
        copy.settings.parameters = ["v": 1, "item": "7"]
        copy.settings.userInfo = ["a": 1, "b": 1]
        let seen = Record()
        copy.settings.requestAdapters = [
            RequestAdapter { _, context in seen.add(context.labels.userInfo.keys.sorted().joined(separator: ",")) }
        ]

        let all = try await copy.request(Parts(userInfo: ["b": 2]))
        let none = try await copy.request(
            Parts(
                path: "{item}", usesPathPrefix: false, usesGeneralFields: false, usesGeneralParameters: false,
                usesGeneralUserInfo: false, userInfo: ["b": 2]))
        _ = try await copy.request(Parts(usesAdapters: false))
        let cdn = try await copy.request(Parts(usesCDN: true, usesGeneralParameters: false))
        let server = try await copy.request(Parts(base: "http://b.test:81/x", usesGeneralParameters: false))

        #expect(all.url == "https://a.test/api/v2/items?v=1&item=7")
        #expect(all["X-App"] == "reader")
        #expect(none.url == "https://a.test/api/7")
        #expect(none["X-App"] == nil)
        #expect(seen.lines == ["a,b", "b", "a,b", "a,b"])
        #expect(cdn.url == "https://cdn.test/v2/items")
        #expect(server.url == "http://b.test:81/x/v2/items")
    }

    @Test func `an absolute URL ignores base, CDN and prefix`() async throws {
        var copy = self
        copy.settings = ClientSettings(base: "https://a.test/api", cdn: "https://cdn.test", pathPrefix: "v2")

        let request = try await copy.request(
            Parts(
                path: "https://b.test/{id}?x=1#f", parameters: ["id": "ü", "y": 2], base: "https://c.test",
                usesCDN: true))

        #expect(request.url == "https://b.test/%C3%BC?x=1&y=2#f")
    }

    // MARK: Options

    struct Options: Endpoint {
        typealias Response = [Int]
        var path: String { "a" }
        var cache: CacheUse {
            CacheUse(timeToLive: .seconds(180), overrides: true, version: "3", mode: .forceCache, key: [.query("q")])
        }
        var timeouts: Timeouts {
            Timeouts(total: .seconds(9), connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3))
        }
        var usesCookies: Bool { false }
        var attempts: Int { 5 }
        var credentials = Credentials.configured
        var responseCodec: (any Codec)? { .json }
        func prepare(_ request: inout Request) { request.options.ipVersion = .v4 }
    }

    @Test func `an endpoint says what plugins and the kernel shall do`() async throws {
        let request = try await request(Options(credentials: .basic(user: "ada", password: "secret")))
        let bearer = try await self.request(Options(credentials: .bearer("token")))
        let anonymous = try await self.request(Options(credentials: Credentials.none))

        #expect(
            request.attributes.values == [
                "cache.timeToLive": "3m", "cache.overrides": "true", "cache.version": "3",
                "cache.mode": "force-cache", "cache.key": #"["query:q"]"#, "cookies.send": "false",
                "cookies.store": "false", "retry.attempts": "5", "authentication.scheme": "basic",
                "authentication.user": "ada", "authentication.password": "secret",
            ])
        #expect(bearer.attributes["authentication.token"] == "token")
        #expect(anonymous.attributes["authentication.enabled"] == "false")
        #expect(request.options.timeout == .seconds(9))
        #expect(request.options.connectTimeout == .seconds(1))
        #expect(request.options.idleTimeout == .seconds(2))
        #expect(request.options.attemptTimeout == .seconds(3))
        #expect(request.options.ipVersion == .v4)
        #expect(request[.accept] == "application/json, text/json")
    }

    @Test func `an endpoint without options adds nothing to its request`() async throws {
        let request = try await request(Parts())

        #expect(request.attributes.isEmpty)
        #expect(request.options == RequestOptions())
        #expect(request.fields.isEmpty)
    }

    struct Custom: Endpoint {
        typealias Response = String
        var path: String { "ignored/{too}" }
        var fields: Fields { ["X-Ignored": "1"] }
        func customRequest() -> Request? { Request(.put, "https://c.test/x", body: .text("b")) }
        func prepare(_ request: inout Request) { request["X-Ignored"] = "2" }
    }

    @Test func `a custom request ignores the rest, but request adapters are called`() async throws {
        var copy = self
        copy.settings.fields = ["X-General": "1"]
        copy.settings.parameters = ["a": 1]
        copy.settings.urlAdapters = [URLAdapter { url, _ in url += "?adapted" }]
        copy.settings.requestAdapters = [RequestAdapter { request, _ in request["X-Adapted"] = "1" }]

        let request = try await copy.request(Custom())

        #expect(request.method == .put)
        #expect(request.url == "https://c.test/x")
        #expect(request.fields.map(\.name) == ["X-Adapted"])
        #expect(try await text(request) == "b")
    }
}
