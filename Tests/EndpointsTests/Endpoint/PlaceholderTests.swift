import Foundation
import PlugboardJSON
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

@testable import PlugboardEndpoints

/// An endpoint whose parts a test gives.
struct Parts: Endpoint {
    typealias Response = String
    var method: PlugboardMessages.Method = .get
    var path = "items"
    var parameters = Parameters()
    var queryParameters: Set<String> = []
    var fields = Fields()
    var base = ""
    var body = EndpointBody.parameters
    var requestCodec: (any Codec)?
    var responseCodec: (any Codec)?
    var usesCDN = false
    var usesPathPrefix = true
    var usesGeneralFields = true
    var usesGeneralParameters = true
    var usesGeneralUserInfo = true
    var usesAdapters = true
    var userInfo: [String: any Sendable] = [:]
    var acceptableStatuses = StatusSet.successful
    var acceptableTypes: [String] = []
}

@Suite struct PlaceholderTests {
    private func url(_ path: String, _ parameters: Parameters, base: String = "https://a.test/api") async throws
        -> String
    {
        let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: ClientSettings(base: base))
        return try await client.request(for: Parts(path: path, parameters: parameters)).url
    }

    @Test(arguments: [
        ("swift", "swift"), ("ünïcödé", "%C3%BCn%C3%AFc%C3%B6d%C3%A9"), ("主題", "%E4%B8%BB%E9%A1%8C"),
        ("🦊", "%F0%9F%A6%8A"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("../etc", "..%2Fetc"), ("%2e%2e", "%252e%252e"),
        ("a?b=c", "a%3Fb%3Dc"), ("a#b", "a%23b"), ("a\\b", "a%5Cb"), ("a;b=1", "a%3Bb%3D1"),
        ("\r\nX: y", "%0D%0AX%3A%20y"),
        ("{page}", "%7Bpage%7D"), ("...", "..."), (".a", ".a"), ("https://evil.test/", "https%3A%2F%2Fevil.test%2F"),
    ])
    func `a value stays within its segment`(value: String, encoded: String) async throws {
        #expect(
            try await url("boards/{board}/topics", ["board": value]) == "https://a.test/api/boards/\(encoded)/topics")
    }

    @Test(arguments: [
        ("{x}", "."), ("{x}", ".."), ("{x}", ""), ("a/{x}/b", ".."), (".{x}", "."), ("%2e{x}", "."), ("%2E{x}", "."),
        ("{x}/", ""), ("{x}?a=1", ""), ("a/{x}#f", ".."),
    ])
    func `a value that would let its segment vanish or leave its folder is refused`(path: String, value: String) async {
        let error = await #expect(throws: PlugboardError.self) { _ = try await url(path, ["x": value]) }

        #expect(error?.code == .requestParameter)
        #expect(error?.reason.hasPrefix("The placeholder {x} in the URL of Parts ") == true)
    }

    @Test func `an empty value beside other text of the segment is allowed`() async throws {
        #expect(try await url("file{x}/a", ["x": ""]) == "https://a.test/api/file/a")
        #expect(try await url("a?q={x}", ["x": ""]) == "https://a.test/api/a?q=")
    }

    @Test(arguments: [("/v2", "/v2/swift"), ("v2", "v2/swift"), ("//a.test", "//a.test/swift")])
    func `a base without a scheme may have placeholders after its host`(base: String, filled: String) async throws {
        #expect(try await url("{x}", ["x": "swift"], base: base) == filled)
    }

    @Test func `numbers and booleans fill placeholders, and a placeholder may occur twice`() async throws {
        let url = try await url(
            "v{version}/{ok}/{id}/{id}", ["version": 2, "ok": true, "id": 123_456_789_012, "page": 1])

        #expect(url == "https://a.test/api/v2/true/123456789012/123456789012?page=1")
    }

    @Test func `placeholders may stand in a query, in a base's path and in the prefix`() async throws {
        var settings = ClientSettings(base: "https://a.test/{tenant}?key={key}", pathPrefix: "{version}")
        settings.parameters = ["tenant": "acme", "version": "v2", "key": "a&b"]
        let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)

        let request = try await client.request(for: Parts(path: "search?q={q}", parameters: ["q": "a&b=c"]))

        #expect(request.url == "https://a.test/acme/v2/search?key=a%26b&q=a%26b%3Dc")
    }

    @Test(arguments: [nil, JSONValue.null] as [JSONValue?])
    func `a placeholder without a value is an error that names it and the endpoint`(value: JSONValue?) async {
        let parameters: Parameters = value.map { ["board": $0] } ?? [:]

        let error = await #expect(throws: PlugboardError.self) { _ = try await url("boards/{board}", parameters) }

        #expect(error?.code == .requestParameter)
        #expect(error?.reason == "The placeholder {board} in the URL of Parts has no value.")
    }

    @Test(arguments: [JSONValue.array([1]), .object(["a": 1])])
    func `an array or an object fills no placeholder`(value: JSONValue) async {
        let error = await #expect(throws: PlugboardError.self) { _ = try await url("boards/{board}", ["board": value]) }

        #expect(error?.reason.contains("and takes a text, a number or a boolean") == true)
    }

    @Test(arguments: ["https://{x}/a", "https://a.{x}.test/", "https://{x}", "http://user{x}@a.test/"])
    func `a placeholder in the host is refused`(path: String) async {
        let error = await #expect(throws: PlugboardError.self) { _ = try await url(path, ["x": "b"]) }

        #expect(
            error?.reason
                == "The placeholder {x} in the URL of Parts stands in the host, where no placeholder may stand.")
    }

    @Test(arguments: ["a/{x", "a/x}", "{", "}", "a/{x}/{y", "{x}}", "{}", "{x{y}"])
    func `a bracket without its partner is refused`(path: String) async {
        let error = await #expect(throws: PlugboardError.self) { _ = try await url(path, ["x": "b", "y": "c"]) }

        #expect(error?.code == .requestURL)
    }

    @Test func `placeholders are filled in linear time`() {
        func input(_ count: Int) -> (path: String, parameters: Parameters) {
            var parameters = Parameters()
            for number in 0..<count { parameters.append("p\(number)", "value") }
            return ("https://a.test/" + (0..<count).map { "{p\($0)}/" }.joined(), parameters)
        }

        expectLinearTime("different ones", size: 1000, input: input) { input in
            var parameters = input.parameters
            let url = try? URLTemplate.filled(
                Array(input.path.utf8), with: &parameters, general: Parameters(), of: "test")
            #expect(url != nil && parameters.isEmpty)
        }
    }
}
