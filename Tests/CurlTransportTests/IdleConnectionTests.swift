import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// RFC 9112 §9.2: bytes on a connection that waits for its next request belong to no response.
@Suite struct IdleConnectionTests {
    @Test(arguments: [Method.get, .head])
    func `bytes on an idle connection are not the next response`(_ method: Method) async throws {
        let (gate, written) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            try connection.respond(ServerResponse(body: "own"), to: request)
            if connection.index == 1 {
                try connection.wait(for: gate)
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
                written.open()
            }
            while let request = try? connection.readRequest() {
                try connection.respond(ServerResponse(body: "own"), to: request)
            }
        }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(method, server.url())
        gate.open()
        try await written.opened()
        try await server.endedConnections(atLeast: 1)
        let next = try await client.send(.post, server.url(), body: .text("x"))

        // The transport may report that nothing was sent; the kernel then uses a new connection.
        #expect(next.text == "own" || next.error?.code == .transportUnprocessed)
        #expect(server.requests.filter { $0.connection == 1 }.count == 1)
    }

    @Test func `a second response in the same moment is not the next response`() async throws {
        let server = try LoopbackServer { connection in
            while (try? connection.readRequest()) != nil {
                try connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nownHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
            }
        }
        let client = Client()
        defer { server.stop() }

        for _ in 0..<20 {
            let outcome = try await client.send(.get, server.url())
            #expect(outcome.text == "own" || outcome.error != nil)
        }
    }

    @Test(arguments: [
        (Method.head, "200 OK\r\nContent-Length: 3\r\n\r\n"), (.get, "200 OK\r\nContent-Length: 0\r\n\r\n"),
        (.get, "204 No Content\r\n\r\n"), (.get, "304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
        (.get, "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nown\r\n0\r\n\r\n"),
        (.get, "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: 1\r\n\r\n"),
        (.get, "200 OK\r\nContent-Length: 3\r\n\r\nown"),
    ])
    func `bytes in the segment of a response's end close the connection`(
        _ method: Method, _ response: String
    ) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            if connection.index == 1 {
                try connection.write("HTTP/1.1 \(response)HTTP/1.1 200 OK\r\nContent-")
                // A client that goes on gets the rest of what it did not ask for.
                if (try? connection.readRequest()) != nil { try connection.write("Length: 4\r\n\r\nEVIL") }
            } else {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL")
            }
        }
        let client = Client()
        defer { server.stop() }

        let first = try await client.send(method, server.url())
        let next = try await client.send(.get, server.url())

        #expect(first.error == nil)
        #expect(next.text == "REAL", "\(next.error as Any)")
        #expect(server.requests.map(\.connection) == [1, 2])
    }
}
