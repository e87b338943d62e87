import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import PlugboardKit
import TestSupport
import Testing

/// Responses that no request asked for.
struct UnaskedResponseTests {
    /// Responds with the path, and on the first connection also with a response that was not asked for.
    private func unasked(_ gate: Gate?, _ written: Gate) throws -> LoopbackServer {
        let evil = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nEVIL"
        return try LoopbackServer { connection in
            while let request = try? connection.readRequest() {
                let own =
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(request.target.utf8.count)"
                    + "\r\n\r\n\(request.target)"
                try connection.write(gate == nil ? own + evil : own)
                guard let gate, connection.index == 1 else { continue }
                try connection.wait(for: gate)
                try connection.write(evil)
                written.open()
            }
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a response that was not asked for is stored for no request (RFC 9112 §9.2)`(linkage: Linkage) async throws {
        let (gate, written) = (Gate(), Gate())
        let server = try unasked(gate, written)
        defer { server.stop() }
        let bench = try CacheBench(linkage)

        _ = try await bench.get(server.url("/1"))
        gate.open()
        try await written.opened()
        try await server.endedConnections(atLeast: 1)
        var bodies: [String] = []
        for path in ["/2", "/2", "/1"] { bodies.append(try await bench.get(server.url(path)).body) }

        #expect(bodies == ["/2", "/2", "/1"])
        #expect(bench.events.lines.filter { $0 == "hit" }.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a second response in the same moment is stored for no request`(linkage: Linkage) async throws {
        let server = try unasked(nil, Gate())
        defer { server.stop() }
        let bench = try CacheBench(linkage)

        for number in 0..<20 {
            let path = "/\(number)"
            _ = try? await bench.get(server.url(path))
            // The first may fail, because the connection was closed; what is stored is its own.
            let body = try? await bench.get(server.url(path)).body
            #expect(body == nil || body == path)
        }
    }
}
