import Foundation
import TestSupport
import Testing

/// The options for proxies and their credentials.
struct ProxyOptionTests {
    private static let programs = [["get"], ["curl"]]
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { _ in ServerResponse(body: "body") } }

    /// The value of the field for these credentials.
    private static func basic(_ user: String) -> String { "Basic \(Data(user.utf8).base64EncodedString())" }

    @Test(arguments: programs)
    func `credentials of a proxy are ignored without it`(program: [String]) async throws {
        let outcome = try await Command.running(
            program + [server.url(), "-s", "-U", "me:geheim"], environment: ["http_proxy": ""])

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
        #expect(server.requests.first?["Proxy-Authorization"] == nil)
    }

    @Test func `where there is no proxy, the option for the field User-Agent is named`() async throws {
        let outcome = try await Command.run(
            "download", server.url(), "-U", "Agent",
            environment: ["http_proxy": "", "all_proxy": "", "https_proxy": ""])

        #expect(
            outcome.status == 2 && outcome.stderr.contains("For the field User-Agent, write -A TEXT."),
            "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: programs, [("", "me:a@b"), ("own:c@", "own:c")])
    func `credentials are for the proxy of the environment, whose own come first`(
        program: [String], proxy: (own: String, sent: String)
    ) async throws {
        let address = "\(proxy.own)127.0.0.1:\(server.port)"

        let outcome = try await Command.running(
            program + ["http://far.test/", "-s", "-U", "me:a@b"], environment: ["http_proxy": address, "no_proxy": ""])
        let given = try await Command.running(program + ["http://far.test/", "-s", "-U", "me:a@b", "-x", address])

        #expect(outcome.stdout == "body" && given.stdout == "body", "\(outcome.stderr)\(given.stderr)")
        let value = ProxyOptionTests.basic(proxy.sent)
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [value, value])
    }

    @Test(arguments: ["get", "curl"])
    func `credentials for the proxy of the environment are those of their request alone`(verb: String) async throws {
        let outcome = try await Command.run(
            verb, "http://far.test/", "-U", "me:a", "--next", "http://far.test/",
            environment: ["http_proxy": "127.0.0.1:\(server.port)", "no_proxy": ""])

        #expect(outcome.stdout == "bodybody", "\(outcome.stderr)")
        let values = [ProxyOptionTests.basic("me:a"), nil]
        #expect(server.requests.map { $0["Proxy-Authorization"] } == values)
    }

    @Test func `programs that a plugin runs do not get the credentials`() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "plugboard.json",
            #"""
            {"plugins": ["authentication"], "origins": {"http://far.test": {"authentication": {"scheme": "bearer",
              "tokenCommand": ["sh", "-c", "env | grep -q geheim && echo told || echo untold"]}}}}
            """#)

        let outcome = try await Command.run(
            "get", "http://far.test/", "-U", "me:geheim", "--config", config,
            environment: ["http_proxy": "127.0.0.1:\(server.port)", "no_proxy": ""])

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer untold"])
        #expect(server.requests.first?["Proxy-Authorization"] == ProxyOptionTests.basic("me:geheim"))
    }

    @Test func `credentials are for the proxy of the configuration`() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "plugboard.json", #"{"kernel": {"proxy": "http://127.0.0.1:\#(server.port)"}}"#)

        let outcome = try await Command.run("get", "http://far.test/", "-U", "me:a", "--config", config)

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
        #expect(server.requests.first?["Proxy-Authorization"] == ProxyOptionTests.basic("me:a"))
    }

    @Test func `credentials for a proxy of the environment are shown nowhere unasked`() async throws {
        let words = ["http://far.test/", "-U", "me:geheim"]
        let environment = ["http_proxy": "127.0.0.1:1", "no_proxy": ""]

        let failed = try await Command.running(["get", "-v"] + words, environment: environment)
        let hidden = try await Command.running(["get", "--print-curl"] + words, environment: environment)
        let shown = try await Command.running(
            ["get", "--print-curl", "--show-secrets"] + words, environment: environment)

        #expect(failed.status != 0 && !failed.stderr.contains("geheim"), "\(failed.stderr)")
        #expect(hidden.stdout.contains(" -U '…' ") && shown.stdout.contains(" -U me:geheim "), "\(shown.stdout)")
    }

    @Test(arguments: ["--socks5", "--socks5-hostname"])
    func `a request goes through a proxy that speaks SOCKS 5`(option: String) async throws {
        let kinds = Locked<[UInt8]>([])
        let proxy = try LoopbackServer { [server] connection in
            // RFC 1928: the methods, then the request with the kind of address.
            let methods = try connection.readBytes(2)
            _ = try connection.readBytes(Int(methods[1]))
            try connection.write([5, 0] as [UInt8])
            let request = try connection.readBytes(4)
            kinds.withLock { $0.append(request[3]) }
            let length = request[3] == 3 ? Int(try connection.readBytes(1)[0]) : 4
            _ = try connection.readBytes(length + 2)
            try connection.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0] as [UInt8])
            try connection.relay(to: server.port)
        }

        let outcome = try await Command.run(
            "get", "http://localhost:\(server.port)/far", option, "127.0.0.1:\(proxy.port)", "-4")

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
        // An address, or a name.
        #expect(kinds.withLock { $0 } == [option == "--socks5" ? 1 : 3])
    }

    @Test(arguments: ["--socks4", "--socks4a"])
    func `a request goes through a proxy that speaks SOCKS 4`(option: String) async throws {
        let names = Locked<[String]>([])
        let proxy = try LoopbackServer { [server] connection in
            func text() throws -> String {
                var bytes: [UInt8] = []
                while let byte = try connection.readBytes(1).first, byte != 0 { bytes.append(byte) }
                return String(decoding: bytes, as: UTF8.self)
            }
            // The version, the command, the port and the address, and the user; for 4A a name may follow.
            let request = try connection.readBytes(8)
            _ = try text()
            let isNamed = request[4..<7] == [0, 0, 0]
            let name = isNamed ? try text() : request[4...].map { "\($0)" }.joined(separator: ".")
            names.withLock { $0.append(name) }
            try connection.write([0, 90, 0, 0, 0, 0, 0, 0] as [UInt8])
            try connection.relay(to: server.port)
        }

        let outcome = try await Command.run(
            "get", "http://localhost:\(server.port)/far", option, "127.0.0.1:\(proxy.port)", "-4")

        #expect(outcome.stdout == "body", "\(outcome.stderr)")
        #expect(names.withLock { $0 } == [option == "--socks4" ? "127.0.0.1" : "localhost"])
    }
}
