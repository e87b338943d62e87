import Plugboard
import PlugboardRedirect
import PlugboardRedirectOptions
import TestSupport
import Testing

struct RedirectTests {
    @Test(arguments: Linkage.allCases)
    func `redirects are followed to the last response`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            switch request.url {
            case "http://a.test/start": .respond(301, Fields(["Location": "/next?x=1"]))
            case "http://a.test/next?x=1": .respond(302, Fields(["Location": "https://b.test/end"]))
            default: .respond(200, Fields(), ["arrived"])
            }
        }
        let kernel = try linkage.kernel(redirectPlugin(), transport)

        let response = try await kernel.send(Request(.get, "http://a.test/start"))

        #expect(response.url == "https://b.test/end")
        #expect(response.attempts == 3)
        #expect(try await response.body.text() == "arrived")
    }

    @Test(arguments: Linkage.allCases)
    func `a server gets the bytes of the URL that it sent`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/start"
                ? ServerResponse(status: 302, fields: [("Location", "/%7ed/%2e?sig=a%2db%c3")])
                : ServerResponse(body: "arrived")
        }
        defer { server.stop() }
        let kernel = try linkage.kernel(redirectPlugin())

        let response = try await kernel.send(Request(.get, server.url("/start")))

        #expect(try await response.body.text() == "arrived")
        #expect(server.requests.map(\.target) == ["/start", "/%7ed/%2e?sig=a%2db%c3"])
    }

    @Test(arguments: Linkage.allCases)
    func `a POST after 303 becomes a GET without body and without the fields that describe it`(linkage: Linkage)
        async throws
    {
        let transport = redirecting(303, to: "/next")
        let kernel = try linkage.kernel(redirectPlugin(), transport)
        let fields = Fields(["Content-Type": "text/plain", "Content-Language": "en", "Accept": "*/*"])

        _ = try await kernel.send(Request(.post, "http://a.test/", fields: fields, body: .text("hello")))

        let next = try #require(transport.requests.last)
        #expect(next.method == .get && next.body == nil)
        #expect(next.fields.map(\.name) == ["Accept"])
    }

    @Test(arguments: Linkage.allCases)
    func `after 307 the same body is sent to the next URL`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/first"
                ? ServerResponse(status: 307, fields: [("Location", "/second")]) : ServerResponse(body: request.body)
        }
        let kernel = try linkage.kernel(redirectPlugin())

        let response = try await kernel.send(Request(.put, server.url("/first"), body: .text("hello")))

        #expect(try await response.body.text() == "hello")
        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
    }

    @Test(arguments: Linkage.allCases)
    func `a stream that cannot be rewound fails a 307 with redirect.body`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 307, fields: [("Location", "/second")])
        }
        let kernel = try linkage.kernel(redirectPlugin())

        let error = try await failure(
            of: kernel, Request(.post, server.url("/first"), body: Body(PiecesSource(["one", "two"]))))

        #expect(error.code == .redirectBody)
        #expect(error.plugin == "redirect")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a stream that a 303 drops need not be rewound`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request.method == "POST"
                ? ServerResponse(status: 303, fields: [("Location", "/second")]) : ServerResponse(body: "got")
        }
        let kernel = try linkage.kernel(redirectPlugin())

        let response = try await kernel.send(
            Request(.post, server.url("/first"), body: Body(PiecesSource(["one", "two"]))))

        #expect(try await response.body.text() == "got")
    }

    @Test(arguments: Linkage.allCases, ["http://a.test/next", "http://a.test.:80/next", "http://b.test/next"])
    func `a secret field is not sent to another origin`(linkage: Linkage, location: String) async throws {
        let transport = redirecting(302, to: location)
        let kernel = try linkage.kernel(redirectPlugin(), transport)
        let fields = Fields(["Host": "virtual.test", "Authorization": "Bearer x", "Cookie": "a=b", "Accept": "*/*"])

        _ = try await kernel.send(Request(.get, "http://a.test/", fields: fields))

        let names = transport.requests.last?.fields.map(\.name)
        #expect(names == (location.contains("a.test") ? ["Host", "Authorization", "Cookie", "Accept"] : ["Accept"]))
    }

    @Test(arguments: Linkage.allCases, [0, 1, 3])
    func `the request's limit takes precedence`(linkage: Linkage, limit: Int) async throws {
        let transport = redirecting(302, to: "/again", always: true)
        let kernel = try linkage.kernel(redirectPlugin(), transport)
        var request = Request(.get, "http://a.test/")
        request.redirect.limit = limit

        let error = try await failure(of: kernel, request)

        #expect(error.code == .redirectLimit)
        #expect(transport.requests.count == limit + 1)
    }

    @Test(arguments: Linkage.allCases)
    func `settings apply to requests without attributes`(linkage: Linkage) async throws {
        let transport = redirecting(302, to: "/again", always: true)
        let kernel = try linkage.kernel(
            redirectPlugin(), transport, settings: ["limit": 2, "keepMethod": true])

        let error = try await failure(of: kernel, Request(.post, "http://a.test/", body: .text("x")))

        #expect(error.code == .redirectLimit)
        #expect(transport.requests.map(\.method) == [.post, .post, .post])
    }

    @Test(arguments: Linkage.allCases)
    func `a request with follow false gets the redirecting response`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(redirectPlugin(), redirecting(302, to: "/next"))
        var request = Request(.get, "http://a.test/")
        request.redirect.follow = false

        let response = try await kernel.send(request)

        #expect(response.status == 302 && response["Location"] == "/next")
    }

    @Test(arguments: Linkage.allCases, ["", "http://[broken/", "http://a.test:99999/"])
    func `a response with an invalid Location passes`(linkage: Linkage, location: String) async throws {
        let kernel = try linkage.kernel(redirectPlugin(), redirecting(302, to: location))

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(response.status == 302)
    }

    @Test(arguments: Linkage.allCases, ["http://b\u{fc}cher.test/", "//B%c3%bccher.test:81/x"])
    func `a redirect to a host that is not ASCII fails, and the error says how to write it`(
        linkage: Linkage, location: String
    ) async throws {
        let transport = redirecting(302, to: location)
        let kernel = try linkage.kernel(redirectPlugin(), transport)

        let error = try await failure(of: kernel, Request(.get, "http://a.test/"))

        #expect(error.code == .redirectRefused && error.reason.contains("xn--"))
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a Location that is only a fragment means the same path and query`(linkage: Linkage) async throws {
        let transport = redirecting(302, to: "#part")
        let kernel = try linkage.kernel(redirectPlugin(), transport)

        let response = try await kernel.send(Request(.get, "http://a.test/b/c;d?e=f"))

        #expect(response.url == "http://a.test/b/c;d?e=f#part")
    }

    @Test(arguments: Linkage.allCases, ["ftp://a.test/", "http://a.test/"])
    func `a redirect to another scheme or from https to http fails`(linkage: Linkage, location: String) async throws {
        let kernel = try linkage.kernel(redirectPlugin(), redirecting(302, to: location))

        let error = try await failure(of: kernel, Request(.get, "https://a.test/"))

        #expect(error.code == .redirectRefused)
    }

    @Test(arguments: Linkage.allCases)
    func `each hop is an event without secrets`(linkage: Linkage) async throws {
        let transport = MockTransport { request, number in
            number < 3 ? .respond(302, Fields(["Location": "/\(number)?key=secret#part"])) : .respond(200)
        }
        let kernel = try linkage.kernel(redirectPlugin(), transport)
        let seen = Record()

        let handle = kernel.begin(Request(.get, "http://u:secret@a.test/")) { event in
            guard event.id == "redirect.followed" else { return }
            seen.add(["hop", "status", "from", "to"].map { event[$0] ?? "" }.joined(separator: " "))
        }
        _ = try await handle.response

        #expect(
            seen.lines == [
                "1 302 http://a.test/ http://a.test/1?key=…", "2 302 http://a.test/1?key=… http://a.test/2?key=…",
            ])
    }

    @Test(arguments: Linkage.allCases)
    func `plugins outside see the last response, and those inside see each`(linkage: Linkage) async throws {
        let seen = Record()
        let plugins = [("outside", 100), ("inside", 500)].map { id, priority in
            let plugin = ScriptedPlugin(id, priority: priority)
            plugin.onResponse = { exchange in
                seen.add("\(id) \(exchange.response?.status ?? 0)")
                return .next
            }
            return plugin
        }
        let kernel = try linkage.kernel(
            redirectPlugin(), redirecting(302, to: "/next"), beside: plugins)

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(seen.lines == ["inside 302", "inside 200", "outside 200"])
    }

    private func redirecting(_ status: Int, to location: String, always: Bool = false) -> MockTransport {
        MockTransport { _, number in
            number == 1 || always ? .respond(status, Fields(["Location": location])) : .respond(200, Fields(), ["end"])
        }
    }

    private func failure(of kernel: Kernel, _ request: Request) async throws -> PlugboardError {
        do throws(PlugboardError) {
            _ = try await kernel.send(request)
        } catch {
            return error
        }
        throw PlugboardError("test", "The request succeeded.")
    }
}
