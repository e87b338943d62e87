import Plugboard
import PlugboardRedirect
import PluginLoader
import TestSupport
import Testing

/// A walk over three hosts, http and https: each hop has the fields of its origin, and no others.
@Suite(.enabled(if: NginxServer.isAvailable))
struct HopsTests {
    @Test(arguments: Linkage.allCases)
    func `each hop has the fields of its origin`(linkage: Linkage) async throws {
        let walk = try Walk()
        defer { walk.stop() }
        let kernel = try kernel(linkage, walk)
        let fields: Fields = ["Content-Type": "text/plain", "Cookie": "own=caller", "Host": walk.host(.plain)]

        let response = try await kernel.send(walk.request(.post, fields: fields, body: .text("hello")))
        let text = try await response.body.text()

        #expect(text == "arrived")
        #expect(response.url == walk.url(.plain, "/end"))
        let (plain, secure, third) = (walk.host(.plain), walk.host(.secure), walk.host(.third))
        let (bearer, basic) = ("Bearer of-plain", "Basic dTpw")
        let hops = [
            // The caller's own fields, and that origin's credential.
            Walk.Hop(
                line: "POST /start", host: plain, authorization: bearer, cookie: "own=caller", body: "hello",
                describesBody: true),
            // The same origin: the same fields. The jar adds nothing to a request with its own `Cookie`.
            Walk.Hop(
                line: "POST /again", host: plain, authorization: bearer, cookie: "own=caller", body: "hello",
                describesBody: true),
            // Another origin: its own credential. The body is sent, the fields that the caller set for the first one
            // are not.
            Walk.Hop(line: "POST /secure", host: secure, authorization: basic, body: "hello", describesBody: true),
            // 303: a GET without a body, to a host without a credential.
            Walk.Hop(line: "GET /third", host: third, body: ""),
            // An earlier origin again: its credential, and the cookie that it has set.
            Walk.Hop(line: "GET /secure-again", host: secure, authorization: basic, cookie: "secure=1", body: ""),
            // The first origin again: without the caller's own fields, which were dropped.
            Walk.Hop(line: "GET /end", host: plain, authorization: bearer, cookie: "plain=1", body: ""),
        ]
        #expect(walk.hops == hops)
    }

    @Test(arguments: Linkage.allCases)
    func `the caller's own credential stays at its origin, where it takes precedence`(linkage: Linkage) async throws {
        let walk = try Walk()
        defer { walk.stop() }
        let kernel = try kernel(linkage, walk)

        let response = try await kernel.send(
            walk.request(.get, fields: ["Authorization": "Custom caller"]))
        _ = try await response.body.text()

        #expect(
            walk.hops.map { $0.authorization ?? "-" } == [
                "Custom caller", "Custom caller", "Basic dTpw", "-", "Basic dTpw", "Bearer of-plain",
            ])
    }

    @Test(arguments: Linkage.allCases)
    func `a credential in the request's attributes stays at its origin`(
        linkage: Linkage
    ) async throws {
        let walk = try Walk()
        defer { walk.stop() }
        let kernel = try kernel(linkage, walk)
        var request = walk.request(.get)
        request.attributes["authentication.scheme"] = "bearer"
        request.attributes["authentication.token"] = "of-request"

        _ = try await kernel.send(request).body.text()

        #expect(
            walk.hops.map { $0.authorization ?? "-" } == [
                "Bearer of-request", "Bearer of-request", "Basic dTpw", "-", "Basic dTpw", "Bearer of-plain",
            ])
    }

    private func kernel(_ linkage: Linkage, _ walk: Walk) throws -> Kernel {
        let plugins = try ["redirect", "authentication", "cookies"].map { id in
            PluginEntry(
                id: id, path: linkage == .loaded ? try Products.library("plugboard-\(id)") : nil,
                settings: id == "cookies" ? ["persistence": "memory"] : [:])
        }
        let origins: [Origin: Attributes] = [
            try #require(Origin("http://\(walk.host(.plain))")): [
                "authentication.scheme": "bearer", "authentication.token": "of-plain",
            ],
            try #require(Origin("https://\(walk.host(.secure))")): [
                "authentication.scheme": "basic", "authentication.user": "u", "authentication.password": "p",
            ],
        ]
        return try Kernel(
            configuration: Configuration(plugins: plugins, origins: origins),
            catalog: linkage == .linked ? .bundled : Catalog([]), loader: .dynamic, log: .silent)
    }
}
