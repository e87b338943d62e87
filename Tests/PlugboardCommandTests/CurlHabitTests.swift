import Foundation
import TestSupport
import Testing

/// Redirects, repetitions and credentials of the verbs, which are those of curl.
struct CurlHabitTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.responding { request in
            switch request.path {
            case "/moved": ServerResponse(status: 302, fields: [("Location", "/")])
            case "/loop": ServerResponse(status: 302, fields: [("Location", "/loop")])
            case "/busy": ServerResponse(status: 503)
            default: ServerResponse(body: "body")
            }
        }
    }

    @Test(arguments: ["get", "curl"], ["http://a.test/", ""])
    func `;auto of --referer sends the URL before a redirect`(verb: String, first: String) async throws {
        let outcome = try await Command.run(verb, server.url("/moved"), "-L", "-e", "\(first);auto")

        let sent = server.requests.map { $0["Referer"] }
        #expect(sent == [first.isEmpty ? nil : first, server.url("/moved")], "\(outcome.stderr)")
    }

    @Test(arguments: [([], 50), (["--max-redirs", "60"], 60), (["--retry", "1"], 50)])
    func `a loop of redirects ends with curl's status`(options: [String], redirects: Int) async throws {
        let outcome = try await Command.running(["get", server.url("/loop"), "-L"] + options)

        #expect(outcome.status == 47 && server.requests.count == redirects + 1, "\(outcome.stderr)")
    }

    @Test func `--retry waits for the delay that is given, as often as is asked for`() async throws {
        let outcome = try await Command.run(
            "get", server.url("/busy"), "--retry", "60", "--retry-delay", "2ms", "-v")

        #expect(server.requests.count == 61)
        let delays = outcome.stderr.ranges(of: "retry sends the request again after 2.0 ms")
        #expect(delays.count == 60, "\(outcome.stderr)")
    }

    @Test(arguments: ["61", "86400"])
    func `--retry waits as long as a server asks for`(seconds: String) async throws {
        let asking = try LoopbackServer.responding { _ in
            ServerResponse(status: 503, fields: [("Retry-After", seconds)], body: "busy")
        }

        // The wait ends with the time of the whole exchange.
        let outcome = try await Command.run("get", asking.url(), "--retry", "1", "--timeout", "500ms", "-v")

        #expect(outcome.status == 28 && asking.requests.count == 1, "\(outcome.stderr)")
    }

    @Test func `--max-time is for each attempt of --retry`() async throws {
        let silent = try LoopbackServer(.silenceBeforeHead())

        let outcome = try await Command.run("get", silent.url(), "--retry", "1", "--retry-delay", "1ms", "-m", "500ms")

        #expect(outcome.status == 28 && silent.requests.count == 2, "\(outcome.stderr)")
    }

    @Test func `a repetition that would begin after --retry-max-time is not waited for`() async throws {
        let outcome = try await Command.run("get", server.url("/busy"), "--retry", "3", "--retry-max-time", "1")

        #expect(server.requests.count == 1, "\(outcome.stderr)")
    }

    @Test(arguments: ["-", "."])
    func `a hyphen and a point are standard input for -T`(file: String) async throws {
        let outcome = try await Command.running(["get", server.url("/a/"), "-T", file], input: "text")

        #expect(server.requests.map(\.text) == ["text"], "\(outcome.stderr)")
    }

    @Test(arguments: [["head"], ["get", "-I"]])
    func `-G beside HEAD puts the data in the query`(words: [String]) async throws {
        let outcome = try await Command.running(words + [server.url("/a"), "-G", "-d", "b=c"])

        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["HEAD /a?b=c"], "\(outcome.stderr)")
    }

    @Test(arguments: [["head"], ["get", "-I"]])
    func `--compressed asks for a coding with HEAD, too`(words: [String]) async throws {
        let outcome = try await Command.running(words + [server.url(), "--compressed"])

        #expect(server.requests.first?["Accept-Encoding"] == "deflate, gzip, br, zstd", "\(outcome.stderr)")
    }

    @Test(arguments: [([], "lu:p w"), (["-u", "a:b"], "a:b")])
    func `credentials of the URL are sent unless -u gives others`(options: [String], login: String) async throws {
        let url = "http://lu:p%20w@127.0.0.1:\(server.port)/"

        let outcome = try await Command.running(["get", url] + options)
        let dry = try await Command.running(["get", url, "--offline", "--show-secrets"] + options)

        let value = "Basic \(Data(login.utf8).base64EncodedString())"
        #expect(server.requests.map { $0["Authorization"] } == [value], "\(outcome.stderr)")
        #expect(dry.stdout.contains("Authorization: \(value)"), "\(dry.stdout)\(dry.stderr)")
    }

    @Test(arguments: ["@", ":@"])
    func `an empty user and password of the URL leave the place to the configured credentials`(
        userinfo: String
    ) async throws {
        let configuration =
            #"{"plugins": ["authentication"], "origins": {"\#(server.url().dropLast())": {"authentication": "#
            + #"{"scheme": "bearer", "token": "t"}}}}"#

        let outcome = try await Command.running(
            ["get", "http://\(userinfo)127.0.0.1:\(server.port)/", "--config", "-"], input: configuration)

        #expect(server.requests.map { $0["Authorization"] } == ["Bearer t"], "\(outcome.stderr)")
    }
}
