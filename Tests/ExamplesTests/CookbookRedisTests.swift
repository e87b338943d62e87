import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

@testable import ExampleCookbook

/// Plugins that ask a server on a connection that the kernel watches: `redis.c` and `RedisToken.swift`.
struct CookbookRedisTests {
    private let url = "https://api.test/"

    /// What the server does with a question.
    private enum Step: Sendable {
        case reply(String)
        case pieces(String)
        case last(String)
        case silence
    }

    /// A server that takes GET only, and tells what to do by the key and the number of the question on its connection.
    private static func server(_ step: @escaping @Sendable (String, Int) -> Step) throws -> LoopbackServer {
        try LoopbackServer { connection in
            func line() throws -> String {
                var bytes: [UInt8] = []
                while bytes.last != 10 { bytes += try connection.readBytes(1) }
                return String(decoding: bytes.dropLast(2), as: UTF8.self)
            }
            for number in 1... {
                let lines = [try line(), try line(), try line(), try line(), try line()]
                guard Array(lines[..<3]) == ["*2", "$3", "GET"], lines[3] == "$\(lines[4].utf8.count)" else { return }
                switch step(lines[4], number) {
                case .reply(let text): try connection.write(text)
                case .pieces(let text):
                    for start in stride(from: 0, to: text.utf8.count, by: 70) {
                        try connection.write(Array(text.utf8.dropFirst(start).prefix(70)))
                        connection.waitUntilArrived()
                    }
                case .last(let text): return try connection.write(text)
                case .silence: return try connection.waitForClose()
                }
            }
        }
    }

    private static func token(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    private func bench(_ server: LoopbackServer) async throws -> Workbench {
        try Workbench(
            file: try await CookbookLibraries.shared.library("redis", .c), loader: .dynamic,
            settings: ["port": .number(JSONNumber(server.port))])
    }

    private func swiftBench(_ server: LoopbackServer) throws -> Workbench {
        try Workbench(RedisToken.self, settings: ["port": .number(JSONNumber(server.port)), "patience": "5s"])
    }

    // MARK: In C

    @Test func `tokens come over one connection, which is kept, and are secret`() async throws {
        let server = try Self.server { key, number in .reply(Self.token("\(key) \(number)")) }
        let bench = try await bench(server)

        for _ in 1...3 { _ = try await bench.send(Request(.get, url)) }

        #expect(bench.transport.requests.map { $0["X-Token"] } == ["api.test 1", "api.test 2", "api.test 3"])
        #expect(bench.transport.requests[0].fields.first { $0.name == "x-token" }?.isSecret == true)
        #expect(server.connectionCount == 1)
        await bench.kernel.shutDown()
        try await server.endedConnections(atLeast: 1)
    }

    @Test func `each of many exchanges gets its own token, in however many pieces it comes`() async throws {
        let server = try Self.server { key, _ in .pieces(Self.token(String(repeating: key, count: 100))) }
        let bench = try await bench(server)

        let handles = (0..<30).map { bench.begin(Request(.get, "https://h\($0).test/")) }
        for handle in handles { _ = try await handle.response }

        #expect(bench.transport.requests.count == 30)
        for request in bench.transport.requests {
            let host = String(request.url.dropFirst("https://".count).dropLast())
            #expect(request["X-Token"] == String(repeating: host, count: 100))
        }
    }

    @Test func `a connection that the server has closed is opened again`() async throws {
        let server = try Self.server { _, _ in .last(Self.token("t")) }
        let bench = try await bench(server)

        for _ in 1...5 { _ = try await bench.send(Request(.get, url)) }

        #expect(bench.transport.requests.map { $0["X-Token"] } == Array(repeating: "t", count: 5))
        #expect(server.connectionCount == 5)
    }

    @Test(arguments: [
        ("$-1\r\n", "has no token for the request's host"), ("-ERR no\r\n", "replied with an error"),
        ("$4097\r\n", "something else"), (":1\r\n", "something else"), ("$1\r\nabcd", "something else"),
        ("$3\r\na\nb\r\n", "something else"), (String(repeating: "x", count: 10_000), "something else"),
        ("$5\r\nab", "connection to the Redis server failed"), ("", "connection to the Redis server failed"),
    ])
    func `without a token the request is not sent, and its failure says why`(reply: String, why: String) async throws {
        let server = try Self.server { _, _ in .last(reply) }
        let bench = try await bench(server)

        let error = await error(of: bench, Request(.get, url))

        #expect(error?.code == "com.example.redis.token")
        #expect(error?.reason.contains(why) == true, "\(error?.reason ?? "none")")
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a server that is silent is waited for, and then asked on another connection`() async throws {
        let gate = Gate()
        let server = try Self.server { key, _ in
            if key != "silent.test" { return .reply(Self.token("t")) }
            gate.open()
            return .silence
        }
        let bench = try await bench(server)

        let late = bench.begin(Request(.get, "https://silent.test/"))
        try await gate.opened()
        bench.clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await late.response }
        _ = try await bench.send(Request(.get, url))

        #expect(error?.reason.contains("within five seconds") == true)
        #expect(bench.transport.requests.map { $0["X-Token"] } == ["t"] && server.connectionCount == 2)
    }

    @Test func `an exchange that is cancelled closes the connection that it asks on`() async throws {
        let server = try Self.server { _, _ in .silence }
        let bench = try await bench(server)

        let handle = bench.begin(Request(.get, url))
        try await server.connections(atLeast: 1)
        handle.cancel()
        _ = try? await handle.response

        try await server.endedConnections(atLeast: 1)
        await bench.kernel.shutDown()
    }

    @Test func `a server that does not run is told`() async throws {
        let closed = try ClosedPort()
        let bench = try Workbench(
            file: try await CookbookLibraries.shared.library("redis", .c), loader: .dynamic,
            settings: ["port": .number(JSONNumber(closed.port))])

        let error = await error(of: bench, Request(.get, url))

        #expect(error?.reason.contains("Look whether it runs") == true)
    }

    // MARK: In Swift

    @Test func `in Swift each request gets a token too`() async throws {
        let server = try Self.server { key, _ in .reply(Self.token("the \(key)")) }
        let bench = try swiftBench(server)

        for _ in 1...2 { _ = try await bench.send(Request(.get, url)) }

        #expect(bench.transport.requests.map { $0["X-Token"] } == ["the token", "the token"])
        try await server.endedConnections(atLeast: 2)
    }

    @Test(arguments: [
        ("$-1\r\n", "has no token named token"), ("-ERR no\r\n", "has no token"), ("$4097\r\n", "has no token"),
        (String(repeating: "x", count: 10_000), "has no token"), ("$5\r\nab", "gave no whole reply"),
        ("", "gave no whole reply"), ("$3\r\na\nb\r\n", "X-Token"),
    ])
    func `in Swift there is no request without a token`(reply: String, why: String) async throws {
        let server = try Self.server { _, _ in .last(reply) }
        let bench = try swiftBench(server)

        let error = await error(of: bench, Request(.get, url))

        #expect(error?.reason.contains(why) == true, "\(error?.reason ?? "none")")
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `in Swift a question ends with its time, and with its exchange`() async throws {
        let gate = Gate()
        let server = try Self.server { _, _ in
            gate.admit()
            return .silence
        }
        let bench = try swiftBench(server)

        let late = bench.begin(Request(.get, url))
        try await gate.opened(for: 1)
        bench.clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await late.response }
        let cancelled = bench.begin(Request(.get, url))
        try await gate.opened(for: 2)
        cancelled.cancel()
        _ = try? await cancelled.response

        #expect(error?.reason.contains("gave no whole reply") == true)
        try await server.endedConnections(atLeast: 2)
    }
}
