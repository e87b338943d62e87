import TestSupport
import Testing

/// Requests of the command over Unix domain sockets.
struct UnixSocketCommandTests {
    @Test func `--unix-socket connects to the socket and keeps the Host of the URL`() async throws {
        let server = try UnixSocketServer("one")

        let outcome = try await Command.run("get", "--unix-socket", server.path, "http://service.test/path")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "one GET /path HTTP/1.1 Host: service.test")
    }

    @Test func `exec connects to the socket of unix_socket`() async throws {
        let server = try UnixSocketServer("one")

        let reply = try await Command.exec(["url": "http://service.test/", "unix_socket": .string(server.path)])

        #expect(reply["status"] == 200, "\(reply)")
    }

    @Test func `--unix-socket with a path that does not exist exits as for a connection that cannot be made`()
        async throws
    {
        let outcome = try await Command.run("get", "--unix-socket", "/nonexistent/socket", "http://service.test/")

        #expect(outcome.status == 7)
        #expect(
            outcome.stderr.hasPrefix("plugboard: No connection to the socket /nonexistent/socket can be opened")
                && outcome.stderr.hasSuffix("(No such file or directory)\n"), "\(outcome.stderr)")
    }
}
