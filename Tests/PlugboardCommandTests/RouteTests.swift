import Foundation
import TestSupport
import Testing

/// Commands that share a cache file, and go to the same URL by different routes, or with different trust.
@Suite(.enabled(if: NginxServer.isAvailable))
struct RouteTests {
    private let folder: TemporaryFolder
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder()
        configuration = try folder.write(
            "plugboard.json",
            #"{"plugins": [{"id": "cache", "path": "\#(try Products.library("plugboard-cache"))", "#
                + #""settings": {"path": "\#(folder.file("cache.sqlite"))"}}]}"#)
    }

    private func get(_ arguments: String...) async throws -> ProcessRunner.Outcome {
        try await Command.running(["get", "--config", configuration] + arguments)
    }

    /// A server whose responses stay fresh.
    private func server(_ word: String) throws -> LoopbackServer {
        try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Cache-Control", "max-age=600")], body: word)
        }
    }

    @Test func `what was fetched without verification, or by another authority, is not served from the file`()
        async throws
    {
        let server = try NginxServer.shared()
        try ("fresh" as String).write(toFile: "\(server.files)/route", atomically: true, encoding: .utf8)
        let url = server.url("/cached/route", .tlsSelfSigned)
        let own = server.authority.selfSigned.certificate

        let unverified = try await get("-k", url)
        let trusted = try await get("--cacert", own, url)
        let fromFile = try await get("--cacert", own, url, "-H", "Cache-Control: only-if-cached")
        let verified = try await get(url)
        let other = try await get("--cacert", server.authority.certificate, url)

        #expect(unverified.stdout == "fresh" && trusted.stdout == "fresh", "\(unverified.stderr) \(trusted.stderr)")
        #expect(fromFile.stdout == "fresh", "\(fromFile.stderr)")
        #expect(verified.status == 60 && verified.stdout.isEmpty, "\(verified.stderr)")
        #expect(other.status == 60 && other.stdout.isEmpty, "\(other.stderr)")
    }

    @Test func `what came by an unverified TLS proxy of the environment is not served from the file`() async throws {
        let server = try NginxServer.shared()
        try ("fresh" as String).write(toFile: "\(server.files)/proxied", atomically: true, encoding: .utf8)
        let proxy = ["http_proxy": "https://127.0.0.1:\(server.port(.tlsSelfSigned))", "no_proxy": ""]
        let words = ["get", "--config", configuration, "http://far.test/cached/proxied"]

        let unverified = try await Command.running(words + ["-k"], environment: proxy)
        let verified = try await Command.running(words, environment: proxy)

        #expect(unverified.stdout == "fresh", "\(unverified.stderr)")
        #expect(verified.status == 60 && verified.stdout.isEmpty, "\(verified.stderr)")
    }

    @Test func `what a socket, a proxy or another address said is not served elsewhere`() async throws {
        let fresh = "Cache-Control: max-age=600"
        let (first, second) = (try UnixSocketServer("one", fresh), try UnixSocketServer("two", fresh))
        let (proxy, network) = (try server("proxy"), try server("network"))
        let moved = try server("moved")
        defer { for server in [proxy, network, moved] { server.stop() } }
        let routes = [
            ["--unix-socket", first.path], ["--unix-socket", second.path], ["-x", proxy.url("")],
            ["--connect-to", "127.0.0.1:\(network.port):127.0.0.1:\(moved.port)"], [],
        ]

        var words: [[String]] = []
        for _ in 0..<2 {
            var round: [String] = []
            for route in routes {
                let outcome = try await Command.running(["get", "--config", configuration, network.url()] + route)
                #expect(outcome.status == 0, "\(outcome.stderr)")
                round.append(String(outcome.stdout.prefix { $0 != " " }))
            }
            words.append(round)
        }

        #expect(words == Array(repeating: ["one", "two", "proxy", "moved", "network"], count: 2))
        // The second time, all of it came from the file.
        #expect([proxy, network, moved].map(\.requests.count) == [1, 1, 1])
    }

    @Test func `a revalidation, a token and a schema come by the proxy of the request that they are for`() async throws
    {
        // No name below exists: whatever does not go by the proxy fails.
        let proxy = try LoopbackServer.responding { request in
            switch request.target {
            case "http://login.test/token":
                ServerResponse(
                    fields: [("Content-Type", "application/json")],
                    body: #"{"access_token": "t", "token_type": "Bearer", "expires_in": 3600}"#)
            case "http://schemas.test/all.json": ServerResponse(body: #"{"type": "integer"}"#)
            default:
                ServerResponse(
                    fields: [
                        ("Content-Type", "application/json"),
                        ("Cache-Control", "public, max-age=0, stale-while-revalidate=600"),
                    ], body: "1")
            }
        }
        defer { proxy.stop() }
        let schema = try folder.write("schema.json", #"{"$ref": "http://schemas.test/all.json"}"#)
        let plugins = try [
            ("cache", #"{"path": "\#(folder.file("cache.sqlite"))"}"#), ("authentication", "{}"),
            ("validator", #"{"fetch": ["http://schemas.test/"], "schemas": {"GET *": "\#(schema)"}}"#),
        ].map { id, settings in
            let path = try Products.library("plugboard-\(id)")
            return #"{"id": "\#(id)", "path": "\#(path)", "settings": \#(settings)}"#
        }
        let configuration = try folder.write(
            "whole.json",
            #"{"plugins": [\#(plugins.joined(separator: ", "))], "origins": {"http://api.test": {"authentication": {"#
                + #""scheme": "oauth", "tokenURL": "http://login.test/token", "clientID": "me", "clientSecret": "s"}}}}"#
        )

        var outcomes: [ProcessRunner.Outcome] = []
        for _ in 0..<2 {
            outcomes.append(
                try await Command.running(
                    ["get", "--config", configuration, "-x", proxy.url(""), "http://api.test/one"]))
        }

        #expect(outcomes.map(\.stdout) == ["1", "1"], "\(outcomes.map(\.stderr))")
        let targets = proxy.requests.map(\.target)
        for target in ["http://login.test/token", "http://schemas.test/all.json"] {
            #expect(targets.contains(target), "\(targets)")
        }
        // The second one was made for the response that was stale.
        #expect(targets.filter { $0 == "http://api.test/one" }.count == 2, "\(targets)")
    }
}
