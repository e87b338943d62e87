import Plugboard
import PlugboardCookiesOptions
import PlugboardEventLoop
import TestSupport
import Testing

struct CookiesTests {
    @Test(arguments: Linkage.allCases)
    func `received cookies are sent with the next request, byte for byte`(linkage: Linkage) async throws {
        let server = try LoopbackServer { connection in
            while let request = try? connection.readRequest() {
                let line = "Set-Cookie: grüße=\u{1F36A}, \"x\"; Path=/\r\n"
                try connection.write(
                    "HTTP/1.1 200 OK\r\n\(request.target == "/set" ? line : "")Content-Length: 0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let kernel = try Setup.kernel(linkage)

        _ = try await kernel.send(Request(.get, server.url("/set")))
        _ = try await kernel.send(Request(.get, server.url("/get")))

        let values = server.requests.map { $0.values("Cookie") }
        #expect(values == [[], [String(latin1: "grüße=\u{1F36A}, \"x\"".utf8)]])
    }

    @Test(arguments: Linkage.allCases)
    func `bytes that are not UTF-8 are sent back unchanged`(linkage: Linkage) async throws {
        let cookie = "n\u{E9}\u{FF}=\u{80}\u{C3}x"
        let server = try LoopbackServer { connection in
            while (try? connection.readRequest()) != nil {
                let head = "HTTP/1.1 200 OK\r\nSet-Cookie: \(cookie)\r\nContent-Length: 0\r\n\r\n"
                try connection.write([UInt8](latin1: head))
            }
        }
        defer { server.stop() }
        let kernel = try Setup.kernel(linkage)

        for _ in 0..<2 { _ = try await kernel.send(Request(.get, server.url())) }

        #expect(server.requests.map { $0.values("Cookie") } == [[], [cookie]])
    }

    @Test(arguments: Linkage.allCases, ["\u{1}", "\u{1B}", "\u{1F}", "\u{7F}"])
    func `a control character refuses its cookie, but neither the others nor the response`(
        linkage: Linkage, control: String
    ) async throws {
        let server = try LoopbackServer { connection in
            while (try? connection.readRequest()) != nil {
                let cookies =
                    "Set-Cookie: bad=\(control)x\r\nSet-Cookie: a=1; Path=/\(control)\r\nSet-Cookie: good=1\r\n"
                try connection.write("HTTP/1.1 200 OK\r\n\(cookies)Content-Length: 0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let kernel = try Setup.kernel(linkage)

        for _ in 0..<2 { _ = try await kernel.send(Request(.get, server.url())) }

        #expect(server.requests.map { $0.values("Cookie") } == [[], ["good=1"]])
    }

    @Test(arguments: Linkage.allCases)
    func `a request with a Cookie field of its own is not changed`(linkage: Linkage) async throws {
        let transport = Setup.setting("a=1")
        let kernel = try Setup.kernel(linkage, transport)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        let sent = try await Setup.sent(
            kernel, transport, Request(.get, "http://a.test/", fields: Fields(["Cookie": "own=2"])))

        #expect(sent == "own=2")
    }

    @Test(arguments: Linkage.allCases)
    func `with the attribute always, cookies of the jar are sent before those of the request`(
        linkage: Linkage
    ) async throws {
        let transport = Setup.setting("a=1")
        let kernel = try Setup.kernel(linkage, transport)
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        var request = Request(.get, "http://a.test/", fields: Fields(["Cookie": "own=2"]))
        request.fields.append(.cookie, "")
        request.fields.append(.cookie, "more=3")
        request.cookies.always = true

        _ = try await kernel.send(request)

        #expect(transport.requests.last?.fields.values(.cookie) == ["a=1; own=2; more=3"])
    }

    @Test(arguments: Linkage.allCases)
    func `jars are independent of each other`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(200, request.url.hasSuffix("set") ? Fields(["Set-Cookie": "user=x; Path=/"]) : Fields())
        }
        let kernel = try Setup.kernel(linkage, transport)
        var alice = Request(.get, "http://a.test/set")
        alice.cookies.jar = "alice"
        _ = try await kernel.send(alice)

        alice.url = "http://a.test/"
        let sent = try await [
            Setup.sent(kernel, transport, alice), Setup.sent(kernel, transport, Request(.get, "http://a.test/")),
        ]

        #expect(sent == ["user=x", nil])
        #expect(try await kernel.cookies.all(jar: "alice").map(\.name) == ["user"])
        #expect(try await kernel.cookies.all() == [])
    }

    @Test(arguments: Linkage.allCases)
    func `a request can send none, store none, or skip the plugin`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, Fields(["Set-Cookie": "n\(number)=x"])) }
        let kernel = try Setup.kernel(linkage, transport)
        var silent = Request(.get, "http://a.test/")
        silent.cookies.send = false
        var forgetful = Request(.get, "http://a.test/")
        forgetful.cookies.store = false
        var without = Request(.get, "http://a.test/")
        without.attributes["cookies.enabled"] = "false"

        let sent = try await [
            Setup.sent(kernel, transport, silent), Setup.sent(kernel, transport, forgetful),
            Setup.sent(kernel, transport, without), Setup.sent(kernel, transport, Request(.get, "http://a.test/")),
        ]

        #expect(sent == [nil, "n1=x", nil, "n1=x"])
        #expect(try await kernel.cookies.all().map(\.name) == ["n1", "n4"])
    }

    @Test(arguments: Linkage.allCases)
    func `the Cookie field is secret for plugins further in`(linkage: Linkage) async throws {
        let seen = Record()
        let inside = ScriptedPlugin("inside", priority: 900)
        inside.onRequest = { exchange in
            for field in exchange.request.fields { seen.add("\(field.name) \(field.isSecret)") }
            return .next
        }
        let kernel = try Setup.kernel(linkage, Setup.setting("a=1"), beside: [inside])

        for _ in 0..<2 { _ = try await kernel.send(Request(.get, "http://a.test/")) }

        #expect(seen.lines == ["Cookie true"])
    }

    @Test(arguments: Linkage.allCases)
    func `a response that a plugin further in replaces has set its cookies`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .respond(503, Fields(["Set-Cookie": "swallowed=1"])) : .respond(200)
        }
        let again = ScriptedPlugin("again", priority: 800)
        again.onResponse = { exchange in exchange.response?.status == 503 ? .resend() : .next }
        let kernel = try Setup.kernel(linkage, transport, beside: [again])

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(response.status == 200 && response.attempts == 2)
        #expect(try await kernel.cookies.get("http://a.test/") == "swallowed=1")
    }

    @Test(arguments: Linkage.allCases)
    func `a response that does not come from the network sets no cookies`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let inside = ScriptedPlugin("inside", priority: 600)
        inside.onRequest = { _ in .respond(ResponseHead(status: 200, fields: Fields(["Set-Cookie": "stored=1"]))) }
        let kernel = try Setup.kernel(linkage, transport, beside: [inside])

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(response["Set-Cookie"] == "stored=1" && transport.requests.isEmpty)
        #expect(try await kernel.cookies.all() == [])
    }

    @Test(arguments: Linkage.allCases)
    func `a sub-request of another plugin sets cookies too`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(200, request.url.contains("token") ? Fields(["Set-Cookie": "token=1; Path=/"]) : Fields())
        }
        let inside = ScriptedPlugin("inside", priority: 600)
        inside.onRequest = { [inside] exchange in
            let (id, host) = (exchange.id, inside.host)
            return .wait {
                _ = try await host?.send(Request(.get, "http://a.test/token"), for: id)
                return { _ in .next }
            }
        }
        let kernel = try Setup.kernel(linkage, transport, beside: [inside])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(try await kernel.cookies.get("http://a.test/") == "token=1")
    }

    @Test(arguments: Linkage.allCases)
    func `stored and refused cookies are events without values`(linkage: Linkage) async throws {
        let transport = Setup.setting("a=secret", "b=secret; Domain=test", "c=secret", "=; x=secret")
        let seen = Record()
        let log = KernelLog(level: .debug) { _, source, text in if source == "cookies" { seen.add(text) } }
        let kernel = try Setup.kernel(linkage, transport, settings: ["domainLimit": 1], log: log)

        let handle = kernel.begin(Request(.get, "http://a.test/")) { event in
            guard event.id.hasPrefix("cookies.") else { return }
            let details = event.details.keys.sorted().map { "\($0)=\(event[$0] ?? "")" }
            seen.add(([event.id] + details).joined(separator: " "))
        }
        _ = try await handle.response

        #expect(
            seen.lines == [
                "cookies.stored count=2 host=a.test", "a.test: the cookie b is refused: publicSuffix",
                "cookies.refused host=a.test name=b reason=publicSuffix", "a.test: the cookie  is refused: empty",
                "cookies.refused host=a.test name= reason=empty", "cookies.evicted count=1",
            ])
        #expect(kernel.counters["cookies.stored"] == 2 && kernel.counters["cookies.refused"] == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a Set-Cookie of a mebibyte and ten thousand of them are handled`(linkage: Linkage) async throws {
        let large = String(repeating: "x", count: 1 << 20)
        let transport = MockTransport { _, number in
            var fields = Fields()
            if number == 1 {
                for field in [
                    "a=\(large)", "\(large)=b", large, "kept=1; Path=/\(large); \(large)", "b=\(large.dropLast())\u{1}",
                ] {
                    fields.append(.setCookie, field)
                }
            } else {
                for cookie in 0..<10_000 { fields.append(.setCookie, "n\(cookie)=\(cookie)") }
            }
            return .respond(200, fields)
        }
        let kernel = try Setup.kernel(linkage, transport)

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        let first = try await kernel.cookies.all()
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(first.map(\.name) == ["kept"])
        #expect(try await kernel.cookies.all().count == 180)
        #expect(kernel.counters["cookies.stored"] == 1 + 1000 && kernel.counters["cookies.refused"] == 4 + 9000)
    }

    @Test func `a clock that jumps back removes nothing, and one that jumps ahead removes expired cookies`()
        async throws
    {
        let clock = ManualClock()
        let transport = Setup.setting("kept=1; Max-Age=60", "session=2")
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(in: folder, transport, clock: clock)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        clock.setWallClock(.zero)
        let before = try await kernel.cookies.get("http://a.test/")
        clock.setWallClock(.seconds(1_700_000_061))
        let after = try await kernel.cookies.get("http://a.test/")

        #expect(before == "kept=1; session=2")
        #expect(after == "session=2")
    }
}
