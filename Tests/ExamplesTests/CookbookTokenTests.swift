import PlugboardTesting
import TestSupport
import Testing

@testable import ExampleCookbook

/// A token that is fetched once for all exchanges that wait for it.
struct CookbookTokenTests {
    private static let tokens = "https://tokens.test/"
    private let url = "https://api.test/"

    /// A server of tokens that responds when the gate opens, and an API that accepts only tokens that are `good`.
    private func bench(_ gate: Gate, status: Int = 200, good: String = "t1") throws -> Workbench {
        let fetched = Record()
        return try Workbench(
            SharedToken.self, settings: ["url": .string(Self.tokens)],
            transport: ScriptedTransport { sent, _ in
                if sent.url == Self.tokens {
                    fetched.add("token")
                    let number = fetched.lines.count
                    try? await gate.opened()
                    return .respond(status, body: .text("t\(number)"))
                }
                return .respond(sent[.authorization] == "Bearer \(good)" ? 200 : 401)
            })
    }

    /// How many tokens were asked for.
    private func fetches(_ bench: Workbench) -> Int {
        bench.transport.requests.filter { $0.url == Self.tokens }.count
    }

    @Test func `one sub-request serves all exchanges that wait, and those that come later`() async throws {
        let gate = Gate()
        let bench = try bench(gate)

        let handles = (0..<10).map { _ in bench.begin(Request(.get, url)) }
        _ = await bench.transport.requests(atLeast: 1)
        gate.open()
        var statuses: [Int] = []
        for handle in handles { statuses.append(try await handle.response.status) }
        statuses.append(try await bench.send(Request(.get, url)).status)

        #expect(statuses == Array(repeating: 200, count: 11))
        #expect(fetches(bench) == 1)
    }

    @Test func `the fetch outlives the exchange that began it`() async throws {
        let gate = Gate()
        let bench = try bench(gate)

        let first = bench.begin(Request(.get, url))
        _ = await bench.transport.requests(atLeast: 1)
        let second = bench.begin(Request(.get, url))
        first.cancel()
        let cancelled = await #expect(throws: PlugboardError.self) { try await first.response }
        gate.open()
        let status = try await second.response.status

        #expect(cancelled?.code == .cancelled)
        #expect(status == 200)
        #expect(fetches(bench) == 1)
    }

    @Test func `a fetch that fails fails all who wait, and the next exchange tries again`() async throws {
        let gate = Gate()
        let bench = try bench(gate, status: 500)

        let handles = (0..<3).map { _ in bench.begin(Request(.get, url)) }
        _ = await bench.transport.requests(atLeast: 1)
        // On each loop, what was begun before has run up to its wait.
        for executor in bench.kernel.executors { await Task(executorPreference: executor) {}.value }
        gate.open()
        for handle in handles {
            let error = await #expect(throws: PlugboardError.self) { try await handle.response }
            #expect(error?.code == "com.example.shared-token.refused")
        }
        let error = await error(of: bench, Request(.get, url))

        #expect(error?.code == "com.example.shared-token.refused")
        #expect(fetches(bench) == 2)
    }

    @Test func `an exchange that waits too long fails with a sentence`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let bench = try bench(gate)

        let handle = bench.begin(Request(.get, url))
        _ = await bench.transport.requests(atLeast: 1)
        bench.clock.advance(by: .seconds(31))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == "com.example.shared-token.late")
    }

    @Test func `a token that is refused is fetched again, once`() async throws {
        let gate = Gate()
        gate.open()
        let renewed = try bench(gate, good: "t2")
        let refused = try bench(gate, good: "t9")

        let good = try await renewed.send(Request(.get, url))
        let bad = try await refused.send(Request(.get, url))

        #expect(good.status == 200 && good.attempts == 2)
        #expect(bad.status == 401 && bad.attempts == 2)
        #expect(fetches(renewed) == 2 && fetches(refused) == 2)
    }
}
