import Plugboard
import PlugboardAuthenticationOptions
import TestSupport
import Testing

struct AttachingTests {
    private let origins = [
        "http://a.test": ["scheme": "bearer", "token": "of-a"],
        "https://a.test": ["scheme": "basic", "user": "u", "password": "p"],
        "http://b.test": ["scheme": "bearer", "token": "of-b"],
        "http://D.test.": ["scheme": "bearer", "token": "of-d"],
    ]

    @Test(
        arguments: Linkage.allCases,
        [
            ("http://a.test/", "Bearer of-a"), ("http://A.TEST:80/x?y", "Bearer of-a"),
            ("https://a.test/", "Basic dTpw"), ("http://b.test/", "Bearer of-b"), ("http://a.test:81/", "-"),
            ("https://b.test/", "-"), ("http://sub.a.test/", "-"), ("http://a.test.evil.test/", "-"),
            ("http://c.test/?http://a.test/", "-"), ("http://A.test.:80/", "Bearer of-a"),
            ("http://d.test/", "Bearer of-d"), ("http://d.test./", "Bearer of-d"), ("http://d.test.a.test/", "-"),
            ("http://@a.test/", "Bearer of-a"), ("http://:@a.test/", "Bearer of-a"), ("http://u@a.test/", "-"),
        ])
    func `each origin gets its own credential and no other`(
        linkage: Linkage, example: (url: String, credential: String)
    ) async throws {
        let transport = MockTransport()
        let kernel = try Setup.kernel(linkage, transport, origins: origins)

        _ = try await kernel.send(Request(.get, example.url))

        let request = try #require(transport.requests.first)
        #expect(request.fields[.authorization] ?? "-" == example.credential)
    }

    @Test(arguments: Linkage.allCases)
    func `a request's own credential takes precedence over its origin's`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": Setup.client(of: "http://login.test/token")])
        var bearer = Request(.get, "http://a.test/")
        bearer.authentication.bearer("own")
        var basic = Request(.get, "http://a.test/")
        basic.authentication.basic(user: "me", password: "")
        var none = Request(.get, "http://a.test/")
        none.authentication.isEnabled = false

        for request in [bearer, basic, none] { _ = try await kernel.send(request) }

        #expect(transport.credentials(to: "a.test") == ["Bearer own", "Basic bWU6", "-"])
        #expect(bearer.authentication.isEnabled && !none.authentication.isEnabled)
    }

    @Test(arguments: Linkage.allCases)
    func `a caller's own Authorization field is sent unchanged, and its 401 passes`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(401) }
        let kernel = try Setup.kernel(linkage, transport, origins: origins)

        let response = try await kernel.send(
            Request(.get, "http://a.test/", fields: ["Authorization": "Custom own"]))

        #expect(response.status == 401)
        #expect(transport.credentials(to: "a.test") == ["Custom own"])
    }

    @Test(arguments: Linkage.allCases)
    func `a user in the URL takes precedence over the section`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try Setup.kernel(linkage, transport, origins: origins)

        _ = try await kernel.send(Request(.get, "http://own:pass@a.test/"))

        #expect(transport.requests.map { $0.fields[.authorization] } == [nil])
    }

    @Test(arguments: Linkage.allCases)
    func `the Authorization field is secret for plugins further in`(linkage: Linkage) async throws {
        let seen = Record()
        let inside = ScriptedPlugin("inside", priority: 900)
        inside.onRequest = { exchange in
            for field in exchange.request.fields { seen.add("\(field.name) \(field.isSecret)") }
            return .next
        }
        let kernel = try Setup.kernel(linkage, MockTransport(), origins: origins, beside: [inside])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(seen.lines == ["Authorization true"])
    }

    @Test(arguments: Linkage.allCases)
    func `an incomplete credential fails the exchange before anything is sent`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try Setup.kernel(linkage, transport)
        var request = Request(.get, "http://a.test/")
        request.authentication.basic(user: "a:b", password: "hidden")

        let error = try await Setup.failure(of: kernel, request)

        #expect(error.code == .authenticationCredential && error.plugin == "authentication")
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: Linkage.allCases, [["Bearer"], ["Basic"], []] as [[String]])
    func `a 401 for a secret without a source passes`(linkage: Linkage, asks: [String]) async throws {
        let fields = asks.reduce(into: Fields()) { $0.append(.wwwAuthenticate, $1) }
        let transport = MockTransport { _, _ in .respond(401, fields, ["no"]) }
        let kernel = try Setup.kernel(linkage, transport, origins: origins)

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(response.status == 401)
        #expect(try await response.body.text() == "no")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a section without a scheme sends nothing, and a 401 logs a warning`(linkage: Linkage) async throws {
        let lines = Record()
        let transport = MockTransport { _, _ in .respond(401) }
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": ["token": "hidden"]],
            log: KernelLog(level: .debug) { level, _, text in lines.add("\(level) \(text)") })

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["-"])
        #expect(lines.lines.count { $0.hasPrefix("warning") && $0.contains("authentication.scheme") } == 1)
        #expect(!lines.lines.contains { $0.contains("hidden") })
    }
}
