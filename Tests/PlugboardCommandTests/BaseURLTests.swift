import TestSupport
import Testing

/// Relative URLs on the command line, and `kernel.baseURL` of the configuration.
struct BaseURLTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { ServerResponse(body: $0.target) }
    }

    private func configuration(_ baseURL: String?) throws -> String {
        try folder.write("plugboard.json", baseURL.map { #"{ "kernel": { "baseURL": "\#($0)" } }"# } ?? "{}")
    }

    @Test(arguments: [
        ("/status", "/status"), ("./topics", "/v1/topics"), ("../topics", "/topics"), ("?page=2", "/v1/?page=2"),
        ("#top", "/v1/"), ("/a%20b?q=%C3%A4", "/a%20b?q=%C3%A4"),
    ])
    func `a relative URL begins at the configuration's base URL`(url: String, target: String) async throws {
        defer { server.stop() }
        let file = try configuration(server.url("/v1/"))

        let outcome = try await Command.run("get", url, "--config", file)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == target)
    }

    @Test func `a URL without a scheme is http beside a base URL, and an absolute one stays`() async throws {
        defer { server.stop() }
        let file = try configuration("http://base.invalid/v1/")
        let url = server.url("/other")

        let plain = try await Command.run("get", String(url.dropFirst("http://".count)), "--config", file)
        let absolute = try await Command.run("get", url, "--config", file)

        #expect(plain.stdout == "/other", "\(plain.stderr)")
        #expect(absolute.stdout == "/other", "\(absolute.stderr)")
    }

    @Test(arguments: ["get", "explain"])
    func `a relative URL without a base URL is an error that says what to do`(verb: String) async throws {
        server.stop()
        let file = try configuration(nil)

        let outcome = try await Command.run(verb, "/status?token=hidden", "--config", file)

        #expect(outcome.status == 3)
        #expect(
            outcome.stderr.hasSuffix(
                "The URL is relative, and the configuration has no kernel.baseURL. Give a URL like "
                    + "https://example.com/path, or a configuration with kernel.baseURL.\n"))
        #expect(!outcome.stderr.contains("hidden"))
    }

    @Test func `explain shows the absolute URL of a relative one`() async throws {
        server.stop()
        let file = try configuration("https://api.example.com/v1/")

        let outcome = try await Command.run("explain", "./topics", "--dry-run", "--config", file)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout.hasPrefix("GET https://api.example.com/v1/topics\n"))
    }
}
