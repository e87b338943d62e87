import Plugboard
import PlugboardKit
import TestSupport
import Testing

/// Requests over Unix domain sockets.
struct UnixSocketTests {
    @Test func `a request goes to its socket, with the Host of its URL`() async throws {
        let server = try UnixSocketServer("one")
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/path")
        request.options.unixSocket = server.path

        let response = try await kernel.send(request)

        #expect(try await response.body.text() == "one GET /path HTTP/1.1 Host: service.test")
        await kernel.shutDown()
    }

    @Test func `a connection serves the requests of its own socket only`() async throws {
        let (one, two) = (try UnixSocketServer("one"), try UnixSocketServer("two"))
        let network = try LoopbackServer.responding { _ in ServerResponse(body: "network") }
        defer { network.stop() }
        let kernel = try Kernel(log: .silent)
        var bodies: [String] = []

        for path in [one.path, two.path, nil, one.path, two.path, nil] {
            var request = Request(.get, network.url("/"))
            request.options.unixSocket = path
            bodies.append(try await kernel.send(request).body.text())
        }

        #expect(bodies.map { String($0.prefix(3)) } == ["one", "two", "net", "one", "two", "net"])
        await kernel.shutDown()
    }

    @Test func `a configuration's socket is for all requests, and its path begins at the file's folder`() async throws {
        let server = try UnixSocketServer("one")
        let configuration = try Configuration.text(
            #"{ "kernel": { "unixSocket": "\#(server.name)", "proxy": "http://127.0.0.1:1" } }"#, folder: server.folder)
        let kernel = try Kernel(configuration: configuration, log: .silent)

        let text = try await kernel.send(Request(.get, "http://service.test/")).body.text()

        #expect(text.hasPrefix("one "))
        await kernel.shutDown()
    }

    @Test func `a socket that is not there is an error of the connection`() async throws {
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/")
        request.options.unixSocket = "/nonexistent/socket"

        let error = try await failure(of: kernel, request)

        #expect(error.code == .transportConnect)
        await kernel.shutDown()
    }

    @Test(arguments: ["", String(repeating: "s", count: 108), "a\0b"])
    func `a path that cannot be one is refused before anything is sent`(path: String) async throws {
        let kernel = try Kernel(log: .silent)
        var request = Request(.get, "http://service.test/")
        request.options.unixSocket = path

        #expect(try await failure(of: kernel, request).code == .requestOption)
        await kernel.shutDown()
    }
}
