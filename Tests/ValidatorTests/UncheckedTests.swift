import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

/// Bodies that cannot be checked, and those that must be.
struct UncheckedTests {
    private static let json = Fields(["Content-Type": "application/json"])

    @Test(arguments: [#"{"type": "strin"}"#, #"{"$ref": "https://x.test/a"}"#, "{"], Linkage.allCases)
    func `with warn a schema that cannot be compiled lets the body pass`(schema: String, linkage: Linkage) async throws
    {
        let kernel = try linkage.kernel(validatorPlugin(), MockTransport.json("[1]"))
        var request = Request(.get, "http://a.test/")
        request.validator.schema = schema
        request.validator.mode = .warn

        #expect(try await kernel.send(request).body.text() == "[1]")

        request.validator.mode = nil
        for _ in 0..<2 {
            let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }
            #expect(error?.code == .validatorSchema)
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a body with a content coding is named, or passes with warn`(linkage: Linkage) async throws {
        let coded = Fields(["Content-Type": "application/json", "Content-Encoding": "x-pack"])
        let transport = MockTransport { _, _ in .respond(200, coded, ["\u{1}"]) }
        let kernel = try linkage.kernel(validatorPlugin(), transport)
        var request = Request(.get, "http://a.test/")
        request.validator.schema = "true"

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }
        request.validator.mode = .warn

        #expect(error?.code == .validatorCoding)
        #expect(error?.reason.contains("x-pack") == true)
        #expect(try await kernel.send(request).body.text() == "\u{1}")
    }

    @Test func `the network's response after a stored redirect is checked`() async throws {
        let moved = Fields(["Location": "http://moved.test/b", "Cache-Control": "max-age=600", "Content-Length": "0"])
        let transport = MockTransport { request, _ in
            request.url == "http://moved.test/"
                ? .respond(308, moved)
                : .respond(
                    200, Fields(["Content-Type": "application/json", "Cache-Control": "no-store"]), ["[1]"])
        }
        let kernel = try Kernel(
            configuration: Configuration(plugins: [
                PluginEntry(id: "validator", path: nil, settings: ["stored": false]), "redirect",
                PluginEntry(id: "cache", path: nil, settings: ["persistence": "memory"]),
            ]),
            catalog: .bundled, transport: transport, log: .silent)
        var request = Request(.get, "http://moved.test/")
        // Stored, but not followed.
        request.attributes["redirect.enabled"] = "false"
        _ = try await kernel.send(request).body.text()
        request.attributes["redirect.enabled"] = nil
        request.validator.schema = "false"

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }

        #expect(error?.code == .validatorInvalid)
        #expect(transport.requests.count { $0.url == "http://moved.test/" } == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `schemas that Unicode takes for equal are two schemas`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, UncheckedTests.json, ["\"\u{E9}\""]) }
        let kernel = try linkage.kernel(validatorPlugin(), transport)
        var request = Request(.get, "http://a.test/")

        request.validator.schema = "{\"const\": \"e\u{301}\"}"
        _ = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }
        request.validator.schema = "{\"const\": \"\u{E9}\"}"

        #expect(try await kernel.send(request).status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `exchanges that need one document share its request`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(200, UncheckedTests.json, [request.url.contains("schemas.test") ? "true" : "[1]"])
        }
        let kernel = try linkage.kernel(
            validatorPlugin(), transport, settings: ["fetch": ["https://schemas.test/"]])
        var request = Request(.get, "http://a.test/")
        request.validator.schema = #"{"$ref": "https://schemas.test/a"}"#
        let shared = request

        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await kernel.send(shared).status } }
            for try await status in group { #expect(status == 200) }
        }

        #expect(transport.requests.count { $0.url.contains("schemas.test") } == 1)
    }
}
