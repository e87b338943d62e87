import Foundation
import PlugboardJSON
import TestSupport
import Testing

// What a line may say beside URL, method, fields and body.
extension ExecTests {
    @Test func `the whole exchange has a time limit, and so has a pause within it`() async throws {
        let server = try LoopbackServer(.silenceInBody(declared: 10, sent: 5))
        let url = server.url()

        let replies = try await Command.exec([
            #"{"id":"1","url":"\#(url)","timeout_ms":300}"#, #"{"id":"2","url":"\#(url)","idle_timeout_ms":300}"#,
        ])

        #expect(error(replies["1"]) == "timeout" && error(replies["2"]) == "timeout")
    }

    @Test func `errors have different kinds`() async throws {
        let port = try ClosedPort()
        let garbage = try LoopbackServer(.raw("garbage\r\n\r\n"))

        let replies = try await Command.exec([
            #"{"id":"dns","url":"http://nowhere.invalid/"}"#, #"{"id":"connect","url":"\#(port.url())"}"#,
            #"{"id":"url","url":"nowhere"}"#, #"{"id":"tls","url":"https://127.0.0.1:\#(garbage.port)/"}"#,
            #"{"id":"protocol","url":"\#(garbage.url())"}"#,
        ])

        for kind in ["dns", "connect", "url", "tls", "protocol"] { #expect(error(replies[kind]) == kind) }
    }

    @Test func `connect_to changes the connection, but not the request`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0["Host"] ?? "") }

        let reply = try await Command.exec([
            "url": "http://good.test:81/", "connect_to": ["good.test:81": .string("127.0.0.1:\(server.port)")],
        ])

        #expect(body(reply) == Array("good.test:81".utf8))
    }

    @Test func `a host without a port in connect_to means the port of the URL's scheme`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0["Host"] ?? "") }
        defer { server.stop() }

        let reply = try await Command.exec([
            "url": "http://good.test/", "connect_to": ["good.test": .string("127.0.0.1:\(server.port)")],
        ])

        #expect(body(reply) == Array("good.test".utf8))
    }

    @Test(arguments: [
        #"{"x":"y"}"#, #"{"a.test:80":"b.test"}"#, #"{"a b":"b.test:80"}"#, #"{"a.test:80":"b.test:0"}"#,
        #"{"a.test:80":80}"#, #"["a.test:80"]"#,
    ])
    func `connect_to of a text that is not host and port is invalid`(hostsAndPorts: String) async throws {
        let replies = try await Command.exec([#"{"id":"1","url":"http://a.test/","connect_to":\#(hostsAndPorts)}"#])

        #expect(error(replies["1"]) == "invalid")
    }

    @Test(arguments: ["5", "null", #"["1"]"#])
    func `an id that is not a string is invalid, and not repeated`(id: String) async throws {
        let replies = try await Command.exec([#"{"id":\#(id),"op":"reset"}"#])

        #expect(replies[""]?["id"] == .null && error(replies[""]) == "invalid")
    }

    @Test func `a download appears when it is complete, and not before`() async throws {
        let server = try LoopbackServer.responding { request in
            if request.path == "/absent" { return ServerResponse(status: 404, body: "no") }
            return ServerResponse(body: "content")
        }
        let broken = try LoopbackServer(.bodyCutShort(declared: 10, sent: 5))
        let folder = try TemporaryFolder()
        try folder.write("old", "old")

        let replies = try await Command.exec([
            #"{"id":"1","url":"\#(server.url())","download":{"file":"\#(folder.file("new"))"}}"#,
            #"{"id":"2","url":"\#(broken.url())","download":{"file":"\#(folder.file("old"))"}}"#,
            #"{"id":"3","url":"\#(server.url("/absent"))","download":{"file":"\#(folder.file("absent"))"}}"#,
        ])

        #expect(replies["1"]?["status"] == 200 && replies["1"]?["body_b64"] == nil)
        #expect(error(replies["2"]) == "body")
        #expect(replies["3"]?["status"] == 404)
        #expect(try folder.read("new") == Array("content".utf8) && folder.read("old") == Array("old".utf8))
        #expect(try folder.entries() == ["new", "old"])
    }

    @Test func `redirects are followed if the line says so, up to its limit`() async throws {
        let server = try LoopbackServer.responding { request in
            guard let hop = Int(request.path.dropFirst()) else { return ServerResponse(body: "arrived") }
            return ServerResponse(status: 302, fields: [("Location", hop == 0 ? "/end" : "/\(hop - 1)")])
        }
        let plugins = try Command.loading("redirect")
        let url = JSONValue.string(server.url("/2"))

        let manual = try await Command.exec(["url": url], plugins)
        let followed = try await Command.exec(["url": url, "redirect": "follow"], plugins)
        let limited = try await Command.exec(["url": url, "redirect": "follow", "max_redirects": 2], plugins)

        #expect(manual["status"] == 302)
        #expect(body(followed) == Array("arrived".utf8) && followed["url"]?.stringValue == server.url("/end"))
        #expect(followed["attempts"] == 4)
        #expect(error(limited) == "redirect")
    }

    @Test func `bodies are decoded if the line asks for it`() async throws {
        let gzip = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let server = try LoopbackServer.responding { request in
            request["Accept-Encoding"]?.contains("gzip") == true
                ? ServerResponse(fields: [("Content-Encoding", "gzip")], body: Array(gzip))
                : ServerResponse(body: "plain")
        }
        let plugins = try Command.loading("decode")

        let decoded = try await Command.exec(["url": .string(server.url()), "decompress": true], plugins)
        let plain = try await Command.exec(["url": .string(server.url())], plugins)

        #expect(body(decoded) == Array("hello".utf8))
        #expect(body(plain) == Array("plain".utf8))
    }

    @Test func `redirect and decode are enabled without a configuration, and a configuration can disable them`()
        async throws
    {
        let server = try LoopbackServer.responding { request in
            request.path == "/end"
                ? ServerResponse(body: "arrived") : ServerResponse(status: 302, fields: [("Location", "/end")])
        }
        let folder = try TemporaryFolder()
        let off = try folder.write("plugboard.json", #"{"plugins": [{"id": "redirect", "enabled": false}]}"#)
        let line: JSONObject = ["url": .string(server.url()), "redirect": "follow"]

        let followed = try await Command.exec(line)
        let refused = try await Command.exec(line, ["--config", off])

        #expect(body(followed) == Array("arrived".utf8))
        #expect(error(refused) == "unsupported")
    }

    @Test(arguments: [([:], 3), (["max": 0], 1), (["max": 1], 2)] as [(JSONObject, Int)])
    func `without retry.max a request is repeated as the plugin is configured`(
        retry: JSONObject, count: Int
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 503) }
        defer { server.stop() }
        let folder = try TemporaryFolder("exec")
        let file = try folder.write(
            "plugboard.json", #"{"plugins": [{"id": "retry", "settings": {"attempts": 3, "delay": "1ms"}}]}"#)

        let reply = try await Command.exec(
            ["url": .string(server.url()), "retry": .object(retry)], ["--config", file])

        #expect(reply["status"] == 503 && server.requests.count == count)
    }
}
