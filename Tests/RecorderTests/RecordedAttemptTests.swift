import Plugboard
import PlugboardJSON
import TestSupport
import Testing

/// URLs of attempts, and the memory of what follows their bodies.
struct RecordedAttemptTests {
    @Test(arguments: Linkage.allCases, ["memory", "file"])
    func `each attempt has its own query, without secret values`(linkage: Linkage, persistence: String) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { request in
            request.target == "/a?n=1"
                ? ServerResponse(status: 302, fields: [("Location", "/a?n=2&token=t0psecret")])
                : ServerResponse(body: "there")
        }
        let path = folder.file("recorder.sqlite")
        let recorder = try Recorders(
            linkage, ["persistence": .string(persistence), "path": .string(path)], also: [.redirect])

        _ = try await recorder.kernel.send(Request(.get, server.url("/a?n=1"))).body.text()
        let urls = try await recorder.entries().map { $0["request"]?["url"]?.stringValue }
        let id = try #require(try await recorder.list().first?["id"])
        var texts: [String] = []
        for command in ["har", "list", "report", "stats"] { texts.append(try await recorder.text(command)) }
        for command in ["show", "curl"] { texts.append(try await recorder.text(command, ["id": id])) }
        await recorder.kernel.shutDown()
        if persistence == "file" { texts.append(String(decoding: try folder.read("recorder.sqlite"), as: UTF8.self)) }

        #expect(urls == [server.url("/a?n=1"), server.url("/a?n=2&token=…")])
        for text in texts { #expect(!text.contains("t0psecret")) }
    }

    @Test(arguments: Linkage.allCases)
    func `an attempt that is followed by another one has its address and its times`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b")], body: "moved")
                : ServerResponse(body: "there")
        }
        let recorder = try Recorders(linkage, also: [.redirect])

        _ = try await recorder.kernel.send(Request(.get, server.url("/a"))).body.text()
        let first = try #require(try await recorder.entries().first)

        #expect(first["response"]?["status"] == 302 && first["serverIPAddress"] == "127.0.0.1")
        #expect(first["timings"]?["connect"]?.numberValue?.double ?? 0 > 0, "\(String(describing: first["timings"]))")
        await recorder.kernel.shutDown()
    }

    @Test func `the path of a Unix domain socket is no address`() async throws {
        let server = try UnixSocketServer("one")
        let recorder = try Recorders(.linked)
        var request = Request(.get, "http://service.test/")
        request.options.unixSocket = server.path

        _ = try await recorder.kernel.send(request).body.text()
        let har = try await recorder.text("har")

        #expect(har.contains("http://service.test/") && !har.contains(server.path) && !har.contains("serverIPAddress"))
        await recorder.kernel.shutDown()
    }

    @Test func `a response whose body broke is listed with its status and the failure`() async throws {
        let source = PiecesSource(["hello"], ending: .broken(PlugboardError(.bodyCut, "It broke.")))
        let recorder = try Recorders(.linked, transport: MockTransport { _, _ in .source(200, Fields(), source) })

        _ = try? await recorder.kernel.send(Request(.get, "http://a.test/")).body.text()
        let list = try await recorder.text("list")

        #expect(list.contains(" 200 body.cut ") && list.hasSuffix(" GET http://a.test/\n"), "\(list)")
        await recorder.kernel.shutDown()
    }

    @Test func `the bodies of completed exchanges leave room for others`() async throws {
        let body = String(repeating: "a", count: 16 << 10)
        let settings: JSONObject = ["bodies": "whole", "size": "64KiB"]
        let recorder = try Recorders(.linked, settings, transport: MockTransport(body: body))

        for number in 1...8 {
            _ = try await recorder.kernel.send(Request(.get, "http://a.test/\(number)")).body.text()
        }
        let content = try await recorder.entries().last?["response"]?["content"]

        #expect(content?["text"]?.stringValue == body && content?["_cut"] == nil)
        await recorder.kernel.shutDown()
    }

    @Test func `trailers count for the size of what is kept`() async throws {
        let transport = MockTransport { _, _ in
            let trailers = Fields(["X-Large": String(repeating: "a", count: 40 << 10)])
            return .source(200, Fields(), PiecesSource(["a"], ending: .end(trailers: trailers)))
        }
        let recorder = try Recorders(.linked, ["size": "64KiB"], transport: transport)

        for number in 1...2 {
            _ = try await recorder.kernel.send(Request(.get, "http://a.test/\(number)")).body.text()
        }

        #expect(try await recorder.list().map { $0["url"] } == ["http://a.test/2"])
        await recorder.kernel.shutDown()
    }
}
