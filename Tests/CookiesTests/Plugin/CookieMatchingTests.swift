import Plugboard
import PlugboardCookiesOptions
import TestSupport
import Testing

/// Which requests get a cookie.
struct CookieMatchingTests {
    @Test(arguments: Linkage.allCases)
    func `dot segments are removed before paths are compared`(linkage: Linkage) async throws {
        let transport = Setup.setting("a=1")
        let kernel = try Setup.kernel(linkage, transport)

        _ = try await kernel.send(Request(.get, "http://a.test/x/../y/./page"))

        #expect(try await kernel.cookies.all().map(\.path) == ["/y"])
        #expect(try await Setup.sent(kernel, transport, Request(.get, "http://a.test/z/../y/")) == "a=1")
    }

    @Test(
        arguments: Linkage.allCases,
        [("/%7Ejoe", "/%7Ejoe/x"), ("/%c3%a9cole", "/%c3%a9cole/x?next=/%2F%7e"), ("/%7Ejoe", "/b/../%7Ejoe/")])
    func `a cookie is sent to the percent-encoded path that it was set for`(
        linkage: Linkage, paths: (String, String)
    ) async throws {
        let transport = Setup.setting("s=1; Path=\(paths.0)")
        let kernel = try Setup.kernel(linkage, transport)

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        let request = Request(.get, "http://a.test\(paths.1)")
        #expect(try await Setup.sent(kernel, transport, request) == "s=1")
    }

    @Test(arguments: [false, true])
    func `http to a loopback host is secure if the settings say so`(isTrusted: Bool) async throws {
        let kernel = try Setup.kernel(
            .linked, Setup.setting("a=1; Secure"), settings: ["trustLoopback": .bool(isTrusted)])

        _ = try await kernel.send(Request(.get, "http://localhost/"))

        #expect(try await kernel.cookies.get("http://localhost/") == (isTrusted ? "a=1" : nil))
    }

    @Test func `each hop of a redirect sets cookies and gets its own`() async throws {
        let server = try LoopbackServer.responding { request in
            switch request.path {
            case "/start":
                ServerResponse(status: 302, fields: [("Location", "/login/step"), ("Set-Cookie", "first=1; Path=/")])
            case "/login/step":
                ServerResponse(
                    status: 303,
                    fields: [("Location", "/end"), ("Set-Cookie", "second=2"), ("Set-Cookie", "first=3; Path=/")])
            default: ServerResponse(body: "arrived")
            }
        }
        defer { server.stop() }
        let other = try LoopbackServer.responding { _ in
            ServerResponse(status: 302, fields: [("Location", server.url("/start"))])
        }
        defer { other.stop() }
        let kernel = try Kernel(
            configuration: Configuration(plugins: [
                "redirect", PluginEntry("cookies", settings: ["persistence": "memory"]),
            ]))

        let response = try await kernel.send(
            Request(.get, other.url("/").replacing("127.0.0.1", with: "localhost")))

        #expect(try await response.body.text() == "arrived")
        #expect(server.requests.map { $0["Cookie"] } == [nil, "first=1", "first=3"])
        #expect(other.requests.map { $0["Cookie"] } == [nil])
        #expect(try await kernel.cookies.get(server.url("/login/")) == "second=2; first=3")
    }
}
