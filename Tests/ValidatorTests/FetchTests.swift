import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

/// Documents that schemas refer to are fetched through the kernel.
struct FetchTests {
    private static let json = Fields(["Content-Type": "application/json"])

    /// A kernel whose transport has documents by URL, and the response for every other URL.
    private func kernel(
        _ linkage: Linkage, _ settings: JSONObject, _ documents: [String: String], body: String = "7"
    ) throws -> (Kernel, MockTransport) {
        let transport = MockTransport { request, _ in
            if let document = documents[request.url] { return .respond(200, FetchTests.json, [document]) }
            if request.url.contains("/moved") { return .respond(302, Fields(["Location": "https://evil.test/"]), []) }
            return request.url.contains("schemas.test")
                ? .respond(404, Fields(), []) : .respond(200, FetchTests.json, [body])
        }
        return (
            try linkage.kernel(validatorPlugin(), transport, settings: settings),
            transport
        )
    }

    private func request(_ reference: String) -> Request {
        var request = Request(.get, "http://a.test/", fields: Fields(["Authorization": "secret", "Cookie": "a=b"]))
        request.validator.schema = #"{"$ref": "\#(reference)"}"#
        return request
    }

    @Test(arguments: Linkage.allCases)
    func `documents that refer to each other are fetched once, without credentials`(linkage: Linkage) async throws {
        let (kernel, transport) = try kernel(
            linkage, ["fetch": ["https://schemas.test/"]],
            [
                "https://schemas.test/a": ##"{"anyOf": [{"$ref": "b"}, {"type": "array", "items": {"$ref": "#"}}]}"##,
                "https://schemas.test/b": #"{"type": "string", "not": {"$ref": "c"}}"#,
                "https://schemas.test/c": #"{"properties": {"a": {"$ref": "a"}}, "type": "object"}"#,
            ])

        for _ in 0..<3 {
            let error = await #expect(throws: PlugboardError.self) {
                try await kernel.send(request("https://schemas.test/a"))
            }
            #expect(error?.code == .validatorInvalid, "\(String(describing: error))")
        }

        let fetched = transport.requests.filter { $0.url.contains("schemas.test") }
        #expect(fetched.map(\.url) == ["https://schemas.test/a", "https://schemas.test/b", "https://schemas.test/c"])
        #expect(fetched.allSatisfy { $0.fields[.authorization] == nil && $0.fields[.cookie] == nil })
    }

    @Test(arguments: Linkage.allCases)
    func `a rule of the settings is compiled when its documents can be fetched`(linkage: Linkage) async throws {
        let (kernel, transport) = try kernel(
            linkage,
            [
                "fetch": ["https://schemas.test/"],
                "schemas": ["http://a.test/*": #"{"$ref": "https://schemas.test/a"}"#],
            ], ["https://schemas.test/a": #"{"type": "integer"}"#])
        #expect(transport.requests.isEmpty)

        #expect(try await kernel.send(Request(.get, "http://a.test/")).status == 200)
        #expect(try await kernel.send(Request(.get, "http://a.test/")).status == 200)

        #expect(transport.requests.count == 3)
    }

    @Test(
        arguments: [
            "https://other.test/a", "http://schemas.test/a", "https://schemas.test/../a",
            "https://schemas.test/%2e%2E/a",
            "https://schemas.test.evil.test/a", "https://user@schemas.test/a", "https://schemas.test/x/..%2fa",
            "file:///etc/passwd", "https://schemas.test/x\\\\a", "urn:a",
        ], Linkage.allCases)
    func `what the setting does not allow is not fetched`(uri: String, linkage: Linkage) async throws {
        let (kernel, transport) = try kernel(linkage, ["fetch": ["https://schemas.test/"]], [:])

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request(uri)) }

        #expect(error?.code == .validatorSchema)
        #expect(transport.requests.count == 1)
    }

    @Test(
        arguments: [
            ("https://schemas.test/none", "the status 404"), ("https://schemas.test/moved", "the status 302"),
            ("https://schemas.test/text", "not valid JSON"), ("https://schemas.test/large", "larger than the limit"),
            ("https://schemas.test/many/0", "more than 4 documents"),
        ], Linkage.allCases)
    func `a document that cannot be fetched fails the exchange`(failing: (String, String), linkage: Linkage)
        async throws
    {
        var documents = [
            "https://schemas.test/text": "{",
            "https://schemas.test/large": "\"\(String(repeating: "a", count: 3000))\"",
        ]
        for number in 0..<10 { documents["https://schemas.test/many/\(number)"] = #"{"$ref": "\#(number + 1)"}"# }
        let settings: JSONObject = ["fetch": ["https://schemas.test/"], "fetchSize": "2KiB", "fetchCount": 4]
        let (kernel, transport) = try kernel(linkage, settings, documents)

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request(failing.0)) }
        _ = try? await kernel.send(request(failing.0))

        #expect(error?.code == .validatorSchema)
        #expect(error?.reason.contains(failing.1) == true, "\(error?.reason ?? "")")
        #expect(!transport.requests.contains { $0.url.contains("evil.test") })
        // A failure is remembered for a while.
        #expect(transport.requests.count { $0.url == failing.0 } == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `the command forget lets documents be fetched again`(linkage: Linkage) async throws {
        let (kernel, transport) = try kernel(
            linkage, ["fetch": ["https://schemas.test/"]],
            ["https://schemas.test/a": #"{"type": "integer"}"#, "https://schemas.test/w": #"{"type": "strng"}"#])
        func fetched(_ url: String) -> Int { transport.requests.count { $0.url == url } }

        for _ in 0..<2 {
            #expect(try await kernel.send(request("https://schemas.test/a")).status == 200)
            await #expect(throws: PlugboardError.self) { try await kernel.send(request("https://schemas.test/w")) }
        }
        #expect(fetched("https://schemas.test/a") == 1 && fetched("https://schemas.test/w") == 1)
        _ = try await kernel.command("validator", "forget", "")
        #expect(try await kernel.send(request("https://schemas.test/a")).status == 200)

        #expect(fetched("https://schemas.test/a") == 2)
    }

    @Test(arguments: ["https://schemas.test", "schemas.test/", "ftp://schemas.test/", "https://a@b.test/", ""])
    func `a beginning without its slash refuses the settings`(prefix: String) throws {
        #expect(throws: PlugboardError.self) { try kernel(.linked, ["fetch": [.string(prefix)]], [:]) }
    }
}
