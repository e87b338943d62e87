import Plugboard
import PlugboardJSON
import TestSupport
import Testing

/// Copies of pieces and of requests, and arguments, as a plugin in C uses them: `Fixtures/Plugins/beside.c`.
struct BesideTests {
    private let id = "com.example.beside"

    private func ask(_ command: String, _ arguments: JSONValue) async throws -> JSONValue {
        let kernel = try FixturePlugin.kernel("beside")
        guard case .json(let text) = try await kernel.command(id, command, "\(arguments)") else {
            throw PlugboardError("test", "\(command) replied with no JSON")
        }
        return try JSONParser.parse(text)
    }

    @Test func `a piece is kept without a copy, for several readers`() async throws {
        let pieces = (0..<20).map { String(repeating: "\($0) ", count: 1000) }
        let kernel = try FixturePlugin.kernel("beside", MockTransport { _, _ in .respond(200, [:], pieces) })

        let received = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(received == pieces.joined())
        #expect(kernel.counters["\(id).kept"] == Int64(pieces.joined().utf8.count))
        #expect(kernel.counters["\(id).pieces"] == Int64(pieces.count))
    }

    @Test func `a copy of the exchange's request has its fields, secrets, attributes and options`() async throws {
        let transport = MockTransport { _, _ in .respond(200, [:], ["copied"]) }
        let kernel = try FixturePlugin.kernel("beside", transport)
        var request = Request(
            .put, anywhere, fields: ["x-do": "copy", "x-kept": "1", "Authorization": "hunter2", "x-copy": "no"])
        request.options.timeout = .seconds(50)
        request.options.idleTimeout = .seconds(7)

        let response = try await kernel.send(request)

        let sent = try #require(transport.requests.first)
        #expect(try await response.body.text() == "copied" && transport.requests.count == 1)
        #expect(sent.method == .put && sent.url == anywhere)
        #expect(
            sent.fields.map { "\($0.name): \($0.value)" } == [
                "x-kept: 1", "Authorization: hunter2", "x-do: nothing", "x-copy: yes",
            ])
        #expect(sent.fields[1].isSecret)
        #expect(sent.options.idleTimeout == .seconds(7) && sent.options.timeout != .seconds(50))
    }

    @Test func `a copy that goes to another origin leaves the secrets behind`() async throws {
        let transport = MockTransport { _, _ in .respond(200) }
        let kernel = try FixturePlugin.kernel("beside", transport)
        let request = Request(
            .get, anywhere, fields: ["x-do": "copy", "x-url": "http://other.test/", "Authorization": "hunter2"])

        _ = try await kernel.send(request)

        #expect(transport.requests.map(\.url) == ["http://other.test/"])
        #expect(transport.requests[0].fields.allSatisfy { $0.name != "Authorization" })
    }

    @Test(arguments: [
        (
            "HTTP://ada:pass@[::1]:8080/a/b?c=d&e#f",
            #"["HTTP","ada:pass","[::1]","/a/b","c=d&e","f",8080]"#
        ), ("https://a.test", #"["https",null,"a.test","",null,null,443]"#),
        ("http://a.test/?", #"["http",null,"a.test","/","",null,80]"#),
        ("/relative", "null"), ("ftp://a.test/", "null"), ("", "null"),
        ("http://a.test/ö", #"["http",null,"a.test","/ö",null,null,80]"#),
    ])
    func `a URL is taken apart as it is written`(url: String, parts: String) async throws {
        #expect(try await ask("parts", ["url": .string(url)]) == JSONParser.parse(parts))
    }

    @Test func `arguments of a command are read by name and type, and the text of each is made once`() async throws {
        let reply = try await ask(
            "arguments",
            ["number": 42, "flag": true, "name": "ada", "list": ["a", 7], "map": ["k": "v", "l": 1]])

        #expect(reply == [42, 1, "ada", ["a", 7], "7", "k=v", 5, 5, 5, true])
    }
}
