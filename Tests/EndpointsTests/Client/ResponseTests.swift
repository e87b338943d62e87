import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// What clients return for responses that a test gives.
@Suite struct ResponseTests {
    static func client(
        _ status: Int = 200, _ type: String? = "application/json", body: String = "",
        _ change: (inout ClientSettings) -> Void = { _ in }
    ) throws -> Client {
        try client(status, type, bytes: Array(body.utf8), change)
    }

    static func client(
        _ status: Int = 200, _ type: String? = "application/json", bytes: [UInt8],
        _ change: (inout ClientSettings) -> Void = { _ in }
    ) throws -> Client {
        var settings = ClientSettings(base: "https://a.test")
        change(&settings)
        let fields: Fields = type.map { ["Content-Type": $0] } ?? [:]
        return Client(
            kernel: try Kernel(transport: ScriptedTransport { _, _ in .respond(status, fields, body: .bytes(bytes)) }),
            settings: settings)
    }

    struct Get<Value: Sendable & Decodable>: Endpoint {
        typealias Response = Value
        var path: String { "a" }
    }
    struct GetNothing: Endpoint {
        typealias Response = Void
        var path: String { "a" }
    }
    struct GetBytes: Endpoint {
        typealias Response = Bytes
        var path: String { "a" }
    }
    struct GetText: Endpoint {
        typealias Response = String
        var path: String { "a" }
        var bodyLimit = ByteCount.bytes(0)
        var downloadPath = ""
    }
    struct GetJSON: Endpoint {
        typealias Response = JSONValue
        var path: String { "a" }
    }
    struct GetWhole: Endpoint {
        typealias Response = ReceivedResponse
        var path: String { "a" }
    }
    struct GetStream: Endpoint {
        typealias Response = StreamedResponse
        var path: String { "a" }
    }
    struct GetFile: Endpoint {
        typealias Response = DownloadedFile
        var path: String { "a" }
        var downloadPath = ""
    }
    struct GetTopics: Endpoint {
        typealias Response = [Topic]
        var path: String { "a" }
        var downloadPath = ""
    }

    // MARK: Kinds of responses

    @Test func `the type of the response decides what is made of the body`() async throws {
        let client = try ResponseTests.client(body: #"[{"id": 7, "title": "ü"}]"#)
        let text = #"[{"id": 7, "title": "ü"}]"#

        try await client.send(GetNothing())
        #expect(try await client.send(Get<[Topic]>()) == [Topic(id: 7, title: "ü")])
        #expect(try await client.send(GetBytes()) == Bytes(text))
        #expect(try await client.send(GetText()) == text)
        #expect(try await client.send(GetJSON())[0]?["id"] == 7)
        #expect(try await client.send(GetWhole()).bytes == Bytes(text))
        let response = try await client.send(GetStream())
        #expect(response.status == 200)
        #expect(try await response.body.text() == text)
    }

    @Test func `a text is read in the charset of its content type`() async throws {
        let client = try ResponseTests.client(200, "text/plain; charset=iso-8859-1", bytes: [0xFC])

        #expect(try await client.send(GetText()) == "ü")
    }

    @Test func `a download is written to its path, and its path or its size is returned`() async throws {
        let client = try ResponseTests.client(body: "[]")
        let folder = try TemporaryFolder()

        let file = try await client.send(GetFile(downloadPath: folder.file("a")))
        let path = try await client.send(GetText(downloadPath: folder.file("b")))

        #expect(file == DownloadedFile(path: folder.file("a"), byteCount: 2))
        #expect(try folder.read("a") == Array("[]".utf8))
        #expect(path == folder.file("b"))
        #expect(try folder.read("b") == Array("[]".utf8))
    }

    @Test func `a download that broke is continued when the endpoint is sent again`() async throws {
        let content = RangeServer.content(50_000)
        let server = try RangeServer { number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 20_000 : nil)
        }
        let folder = try TemporaryFolder()
        let client = Client(kernel: try Kernel(), settings: ClientSettings(base: server.url("")))

        let broken = await error { try await client.send(GetFile(downloadPath: folder.file("a"))) }
        let file = try await client.call(GetFile(downloadPath: folder.file("a"))).value

        #expect(broken?.code == .bodyCut)
        #expect(file.byteCount == 50_000)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20000-"])
        #expect(try folder.read("a") == content)
        #expect(try folder.entries() == ["a"])
    }

    @Test func `a response without content is no download`() async throws {
        let folder = try TemporaryFolder()
        let client = try ResponseTests.client(204, nil)

        let error = await error { try await client.send(GetFile(downloadPath: folder.file("a"))) }

        #expect(error?.code == .responseStatus)
        #expect(try folder.entries() == [])
    }

    @Test func `a download that cannot be written, or not decoded, or without a path is an error`() async throws {
        let client = try ResponseTests.client(body: "[]")
        let folder = try TemporaryFolder()

        let unwritable = await error { try await client.send(GetFile(downloadPath: folder.file("no/such"))) }
        let undecodable = await error { try await client.send(GetTopics(downloadPath: folder.file("c"))) }
        let pathless = await error { try await client.send(GetFile()) }

        #expect(unwritable?.code == .downloadWrite)
        #expect(undecodable?.code == .bodyDecode)
        #expect(undecodable?.reason.contains("Let the endpoint's Response be DownloadedFile") == true)
        #expect(pathless?.code == .requestOption)
    }

    @Test func `a refused download leaves no file, and keeps the response in the error`() async throws {
        let client = try ResponseTests.client(404, body: "no such lake")
        let folder = try TemporaryFolder()

        let error = await error { try await client.send(GetFile(downloadPath: folder.file("a"))) }

        #expect(error?.code == .responseStatus)
        #expect(error?.response?.firstBytes.text == "no such lake")
        #expect((try? folder.read("a")) == nil)
    }

    // MARK: Refused responses

    @Test(arguments: [199, 300, 304, 404, 500, 999])
    func `a status that is not acceptable is an error with the response`(status: Int) async throws {
        guard status >= 200 else { return }
        let client = try ResponseTests.client(status, body: #"{"code": 17}"#)

        let error = await error { try await client.send(Get<[Topic]>()) }

        #expect(error?.code == .responseStatus)
        #expect(
            error?.reason == "https://a.test/a responded with status \(status); Get<Array<Topic>> accepts 200 to 299.")
        #expect(error?.response?.status == status)
        #expect(error?.response?.firstBytes.text == (status == 304 ? "" : #"{"code": 17}"#))
    }

    @Test func `an endpoint chooses its acceptable statuses`() async throws {
        let client = try ResponseTests.client(404, nil, body: "none")

        #expect(try await client.send(Parts(acceptableStatuses: [200, 404])) == "none")
        #expect(try await client.send(Parts(acceptableStatuses: .any)) == "none")
        #expect(
            await error { try await client.send(Parts(acceptableStatuses: [200, 201])) }?.reason.hasSuffix(
                "Parts accepts 200, 201.") == true)
    }

    @Test func `a content type that is not acceptable is an error with the response`() async throws {
        let html = try ResponseTests.client(200, "text/html; charset=utf-8", body: "<html>")
        let none = try ResponseTests.client(200, nil, body: "x")
        let empty = try ResponseTests.client(204, nil)
        let endpoint = Parts(acceptableTypes: ["application/json", "image/*"])

        let errors = [await error { try await html.send(endpoint) }, await error { try await none.send(endpoint) }]

        #expect(errors.map { $0?.code } == [.responseType, .responseType])
        #expect(errors[0]?.response?.firstBytes.text == "<html>")
        #expect(try await empty.send(endpoint) == "")
        #expect(try await html.send(Parts(acceptableTypes: ["text/*"])) == "<html>")
        #expect(try await html.request(for: endpoint)[.accept] == "application/json, image/*")
    }

    @Test func `a large body of a refused response is kept up to 64 KiB`() async throws {
        let client = try ResponseTests.client(500, bytes: [UInt8](repeating: 0x61, count: 100_000))

        let error = await error { try await client.send(GetNothing()) }

        #expect(error?.response?.firstBytes.count == 65_536)
        #expect(error?.response?.isWhole == false)
    }

    @Test func `a body beyond the limit is an error, and one that has no value is dropped`() async throws {
        let client = try ResponseTests.client(bytes: [UInt8](repeating: 0x61, count: 100_000)) {
            $0.bodyLimit = .kibibytes(10)
        }

        let error = await error { try await client.send(GetText()) }

        #expect(error?.code == .bodyLimit)
        #expect(try await client.send(GetText(bodyLimit: .mebibytes(1))).utf8.count == 100_000)
        try await client.send(GetNothing())
    }

    // MARK: Hooks of the endpoint

    struct Enveloped: Endpoint {
        typealias Response = [Topic]
        var path: String { "a" }
        let order: Record

        func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {
            order.add("transform")
            guard let data = try response.json["data"] else { return }
            response.bytes = Bytes("\(data)")
        }
        func validate(_ response: ReceivedResponse) throws(PlugboardError) {
            order.add("validate")
            if response["X-Stale"] != nil { throw PlugboardError("app.stale", "The list is stale.") }
        }
        func validate(value: [Topic]) throws(PlugboardError) {
            order.add("validate value")
            if value.isEmpty { throw PlugboardError("app.empty", "The list is empty.") }
        }
    }

    @Test func `an endpoint transforms its response, validates it, and validates its value`() async throws {
        let order = Record()
        let client = try ResponseTests.client(body: #"{"code": 0, "data": [{"id": 7, "title": "a"}]}"#)
        let empty = try ResponseTests.client(body: #"{"code": 0, "data": []}"#)

        let topics = try await client.send(Enveloped(order: order))
        let error = await error { try await empty.send(Enveloped(order: order)) }

        #expect(topics == [Topic(id: 7, title: "a")])
        #expect(error?.code == "app.empty")
        #expect(order.lines == ["transform", "validate", "validate value", "transform", "validate", "validate value"])
    }

    @Test func `a response that does not validate is an error with the response`() async throws {
        let client = Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in .respond(200, ["X-Stale": "1"], body: .text("{}")) }),
            settings: ClientSettings(base: "https://a.test"))

        let error = await error { try await client.send(Enveloped(order: Record())) }

        #expect(error?.code == "app.stale")
        #expect(error?.response?.firstBytes.text == "{}")
    }

    func error<Value>(_ body: () async throws -> Value) async -> PlugboardError? {
        await #expect(throws: PlugboardError.self) { _ = try await body() }
    }
}
