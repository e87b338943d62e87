import Plugboard
import PlugboardJSON
import PlugboardValidator
import TestSupport
import Testing

/// Which bodies the rules of the settings are for.
struct RulesTests {
    @Test(arguments: [
        "get http://a.test/*", "GET /a", "a.test/*", "GET", "GET http://a.test/ 200 text/plain x", "://a.test/",
    ])
    func `a rule that no URL has refuses the configuration`(rule: String) {
        #expect(throws: PlugboardError.self) { try kernel(.linked, ["schemas": [rule: "false"]]) }
    }

    @Test(
        arguments: [
            ("GET http://a.test/*", "http://A.test/x"), ("http://A.TEST:80/x", "http://a.test/x"),
            ("http://a.test/x", "HTTP://a.test:80/x"), ("https://a.test:443/x", "https://a.test/x"),
            ("https://a.test", "https://a.test/"), ("http://a.test*", "http://a.test/x"), ("*/x", "http://a.test/x"),
            ("http://a.test/x?b=*", "http://a.test/x?b=1"), ("http://a.test:8080/*", "http://a.test:8080/x"),
            ("*", "http://a.test:8080/x"), ("http://user@a.test/#x", "http://a.test/"),
        ], Linkage.allCases)
    func `origins are compared in one form`(rule: (String, String), linkage: Linkage) async throws {
        let kernel = try kernel(linkage, ["schemas": [rule.0: "false"]])

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(Request(.get, rule.1)) }

        #expect(error?.code == .validatorInvalid)
    }

    @Test(
        arguments: [
            ("*/users/*", "https://a.test/v1/users/1"), ("*orders*", "https://a.test/v1/orders/7?page=1"),
            ("http://a.test/*page=2", "http://a.test/x/y?size=9&page=2"), ("*:8080/x", "http://a.test:8080/x"),
            ("*://[::1]/x", "http://[::1]/x"), ("http*://a.test/x", "https://a.test/x"),
            ("*.test/x", "http://a.test/x"),
            ("http://*.test/x", "http://a.example/y.test/x"),
            ("http://a.test", "http://a.test/"), ("http://a.test", "http://a.test"),
        ], Linkage.allCases)
    func `a star stands for any characters`(rule: (String, String), linkage: Linkage) async throws {
        let kernel = try kernel(linkage, ["schemas": [rule.0: "false"]])

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(Request(.get, rule.1)) }

        #expect(error?.code == .validatorInvalid)
    }

    @Test(arguments: [
        ("http://a.test", "http://a.test/x"), ("http://a.test", "http://a.test/?x"), ("*:8080/x", "http://a.test/x"),
        ("*/users/*", "https://a.test/v1/users"), ("*://[::1]/x", "http://[::1]/x/y"),
    ])
    func `a URL matches as a whole`(rule: (String, String)) async throws {
        let kernel = try kernel(.linked, ["schemas": [rule.0: "false"]])

        #expect(try await kernel.send(Request(.get, rule.1)).status == 200)
    }

    @Test(arguments: [("http://a.test:80/x", "http://a.test:8080/x"), ("http://a.test:443/x", "http://a.test/x")])
    func `another port is another origin`(rule: (String, String)) async throws {
        let kernel = try kernel(.linked, ["schemas": [rule.0: "false"]])

        #expect(try await kernel.send(Request(.get, rule.1)).status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `rules can have shapes`(linkage: Linkage) async throws {
        let kernel = try kernel(
            linkage, ["shapes": ["http://a.test/x": #"{"id": "number"}"#, "http://a.test/y": #"["integer"]"#]], "[7]")

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.get, "http://a.test/x"))
        }

        #expect(error?.code == .validatorInvalid)
        #expect(try await kernel.send(Request(.get, "http://a.test/y")).status == 200)
        #expect(throws: PlugboardError.self) {
            try self.kernel(linkage, ["shapes": ["http://a.test/": #"{"id": "numbr"}"#]])
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a document that is registered again changes the rules`(linkage: Linkage) async throws {
        let kernel = try kernel(
            linkage,
            [
                "documents": ["https://x.test/a": "false"],
                "schemas": ["http://a.test/*": #"{"$ref": "https://x.test/a"}"#],
            ])
        let request = Request(.get, "http://a.test/")
        _ = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }

        _ = try await kernel.command("validator", "register", #"{"documents": {"https://x.test/a": true}}"#)

        #expect(try await kernel.send(request).status == 200)
        #expect(try await kernel.send(request).status == 200)
    }

    private func kernel(_ linkage: Linkage, _ settings: JSONObject, _ body: String = "7") throws -> Kernel {
        try linkage.kernel(validatorPlugin(), MockTransport.json(body), settings: settings)
    }
}
