import Plugboard
import PlugboardLimit
import PluginLoader
import Synchronization
import TestSupport
import Testing

/// libcurl against a server that counts what it gets.
struct LimitLoopbackTests {
    @Test(arguments: Linkage.allCases)
    func `a server never has more requests at once than the rule says`(linkage: Linkage) async throws {
        let counts = Mutex((now: 0, most: 0))
        let server = try LoopbackServer.responding { _ in
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { counts.withLock { $0.now -= 1 } }
            return ServerResponse(body: "served")
        }
        defer { server.stop() }
        let kernel = try linkage.kernel(
            limitPlugin(), settings: ["rules": ["*": "2 at once, by origin"]])

        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 {
                group.addTask { try await kernel.send(Request(.get, server.url())).body.text() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(texts == Array(repeating: "served", count: 40))
        #expect(counts.withLock { $0.most } <= 2)
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `several loops together do not exceed a rate`(linkage: Linkage) async throws {
        let scene = try LimitScene(linkage, ["*": "50/h"], settings: ["wait": "0s"], loops: 4)

        let sent = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { (try? await scene.send()) == 200 ? 1 : 0 } }
            return await group.reduce(0, +)
        }

        #expect(sent == 50 && scene.sent.count == 50)
    }

    @Test(arguments: Linkage.allCases)
    func `a kernel that is shut down cancels those that wait for room`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "served") }
        defer { server.stop() }
        let kernel = try linkage.kernel(
            limitPlugin(), settings: ["rules": ["*": "1/h"], "wait": "24h"])
        _ = try await kernel.send(Request(.get, server.url())).body.text()
        let waiting = Gate()
        let handle = kernel.begin(Request(.get, server.url())) { if $0.id == "limit.waiting" { waiting.admit() } }
        try await waiting.opened()

        await kernel.shutDown(within: .milliseconds(1))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .shutDown)
        #expect(server.requests.count == 1)
    }
}
