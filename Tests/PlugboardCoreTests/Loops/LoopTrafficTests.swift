import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Traffic over several loops` {
    /// Responds to POST with the body that came, and to GET with as many letters as the path says.
    private func server() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            request.method == "POST"
                ? ServerResponse(body: request.body)
                : ServerResponse(body: Script.letters(Int(request.path.dropFirst()) ?? 0))
        }
    }

    @Test func `arrives byte by byte as it was sent, both ways, from many tasks`() async throws {
        let server = try server()
        let kernel = try LoopKernelOverNetwork.make(4, ["decode", "redirect", "retry", "cookies", "authentication"])

        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<24 {
                group.addTask {
                    var (random, wrong) = (SeededRandom(seed: UInt64(task)), 0)
                    for _ in 0..<12 {
                        let size = Int.random(in: 0...1 << Int.random(in: 0...18, using: &random), using: &random)
                        let letters = Script.letters(size)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0:
                            let request = Request(.post, server.url("/"), body: .bytes(letters))
                            let body = try await kernel.send(request).body.collect(upTo: .mebibytes(1))
                            if body.withUnsafeBytes({ Array($0) }) != letters { wrong += 1 }
                        case 1:
                            // The rest is not wanted.
                            for try await _ in try await kernel.send(Request(.get, server.url("/\(size)"))).body {
                                break
                            }
                        case 2:
                            let handle = kernel.begin(Request(.get, server.url("/\(size)")))
                            if Bool.random(using: &random) { await Task.yield() }
                            handle.cancel()
                            _ = try? await handle.response
                        default:
                            var body: [UInt8] = []
                            let response = try await kernel.send(Request(.get, server.url("/\(size)")))
                            for try await piece in response.body { piece.withUnsafeBytes { body += $0 } }
                            if body != letters { wrong += 1 }
                        }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        let connections = server.connectionCount
        await kernel.shutDown()

        #expect(wrong == 0)
        #expect(connections > 0)
    }

    @Test func `uses one connection for requests that follow one another`() async throws {
        let server = try server()
        let kernel = try LoopKernelOverNetwork.make(4, [])

        for _ in 0..<20 {
            #expect(try await kernel.send(Request(.get, server.url("/10"))).body.text().utf8.count == 10)
        }

        #expect(server.connectionCount == 1)
    }

    @Test func `keeps at most as many connections to a host as the limit says, and uses them again`() async throws {
        let server = try server()
        let kernel = try LoopKernelOverNetwork.make(4, []) { $0.kernel.connectionsPerHost = 8 }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { _ = try await kernel.send(Request(.get, server.url("/1000"))).body.text() }
            }
            try await group.waitForAll()
        }

        #expect((4...8).contains(server.connectionCount))
    }

    @Test(arguments: [(nil, 70), (8, 140)] as [(Int?, Int)])
    func `keeps idle connections to 70 hosts, unless the setting says fewer`(
        limit: Int?, connections: Int
    ) async throws {
        let server = try server()
        defer { server.stop() }
        let kernel = try LoopKernelOverNetwork.make(1, []) {
            $0.kernel.defaults.connectTo = ["*:80": "127.0.0.1:\(server.port)"]
            if let limit { $0.kernel.idleConnections = limit }
        }

        // One after another, so that no others are kept because more exchanges ran at once.
        for _ in 0..<2 {
            for host in 0..<70 { _ = try await kernel.send(Request(.get, "http://h\(host).test/10")).body.text() }
        }
        await kernel.shutDown()

        #expect(server.connectionCount == connections)
    }
}

/// A kernel over libcurl with several loops and bundled plugins.
enum LoopKernelOverNetwork {
    static func make(
        _ loops: LoopCount, _ plugins: [String], _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> Kernel {
        var configuration = Configuration(plugins: plugins.map { PluginEntry($0) })
        configuration.kernel.loops = loops
        configure(&configuration)
        return try Kernel(configuration: configuration, catalog: .bundled, log: .silent)
    }
}
