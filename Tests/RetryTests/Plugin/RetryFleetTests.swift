import Plugboard
import PlugboardEventLoop
import PlugboardRetry
import PlugboardStore
import TestSupport
import Testing

/// Kernels that share budgets and circuits by a store, as several machines do.
struct RetryFleetTests {
    private let engine = FleetEngine()
    private let clock = ManualClock()
    private let transport = failing(.max)
    /// Admits one for each circuit that opens.
    private let opened = Gate()

    private func kernel(
        _ linkage: Linkage, _ settings: JSONObject, _ transport: MockTransport? = nil
    ) throws -> Kernel {
        let all: JSONObject = ["shared": true, "attempts": 2, "budgetShare": 0, "delay": "0s"]
        return try linkage.kernel(
            retryPlugin(), transport ?? self.transport, clock: clock,
            settings: settings.reduce(into: all) { $0[$1.key] = $1.value }, also: [engine.entry],
            log: KernelLog(level: .warning) { [opened] _, _, text in
                if text.contains("circuit opens") { opened.admit() }
            })
    }

    private func kernels(_ linkage: Linkage, _ settings: JSONObject, count: Int = 3) throws -> [Kernel] {
        try (0..<count).map { _ in try kernel(linkage, settings) }
    }

    /// Sends ten requests by each kernel in turn; returns how many were repeated.
    private func repetitions(_ kernels: [Kernel]) async throws -> Int {
        var count = 0
        for _ in 0..<10 {
            for kernel in kernels { count += try await kernel.send(Request(.get, anywhere)).attempts - 1 }
        }
        return count
    }

    private func end(_ kernels: [Kernel]) async { for kernel in kernels { await kernel.shutDown() } }

    // MARK: Budgets

    @Test(arguments: Linkage.allCases, [5, 40])
    func `kernels that share a store have one budget together`(linkage: Linkage, size: Int64) async throws {
        let kernels = try kernels(linkage, ["budgetSize": .number(JSONNumber(size)), "budgetPerSecond": 0])

        let count = try await repetitions(kernels)

        #expect(count == min(size, 30))
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `many failures at once do not repeat more than the budget has`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 20, "budgetPerSecond": 0])

        try await withThrowingTaskGroup(of: Int.self) { group in
            for kernel in kernels { group.addTask { try await repetitions([kernel]) } }
            let count = try await group.reduce(0, +)
            #expect((10...20).contains(count))
        }
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `the budget is there again when the time has passed in which it fills`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 5, "budgetPerSecond": 1])
        _ = try await repetitions(kernels)

        clock.advance(by: .seconds(6))

        #expect(try await repetitions(kernels) == 5)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `first attempts add to the budget of their own kernel`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 2, "budgetPerSecond": 0, "budgetShare": 100])

        // The first request of each finds no budget of the origin yet.
        #expect(try await repetitions(kernels) >= 27)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `in an outage each kernel has a budget of its own`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 3, "budgetPerSecond": 0])
        engine.behaviour = .fails(.down)

        #expect(try await repetitions(kernels) == 9)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `an outage in the middle fills the budgets once`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 3, "budgetPerSecond": 0], count: 1)
        #expect(try await repetitions(kernels) == 3)

        engine.behaviour = .fails(.down)
        for count in [3, 0, 0] {
            clock.advance(by: .seconds(2))
            #expect(try await repetitions(kernels) == count)
        }
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a store that is silent holds a repetition for 50 ms only`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, ["budgetSize": 3])
        engine.behaviour = .isSilent

        let handle = kernel.begin(Request(.get, anywhere))
        try await engine.asked.opened(for: 1)
        clock.advance(by: .milliseconds(50))

        #expect(try await handle.response.attempts == 2)
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `values that are no numbers are as an outage`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 3, "budgetPerSecond": 0, "circuitBreaker": true])
        _ = try await kernels[0].send(Request(.get, anywhere))
        guard let table = kernels[0].service(Store.id) else { throw ProductError.missing(Store.id) }
        let entries = Set(engine.keys).map { StoreEntry($0, Bytes("junk"), timeToLive: .seconds(600)) }
        let store = Store(table.assumingMemoryBound(to: plug_store_v1.self))
        try await store.perform(.put(entries), within: .seconds(10))

        let response = try await kernels[1].send(Request(.get, anywhere))

        #expect(response.attempts == 2)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `forget gives the fleet a new budget`(linkage: Linkage) async throws {
        let kernels = try kernels(linkage, ["budgetSize": 2, "budgetPerSecond": 0])
        #expect(try await repetitions(kernels) == 2)

        try await kernels[0].retry.forget()
        clock.advance(by: .milliseconds(100))

        #expect(try await repetitions(kernels) == 2)
        await end(kernels)
    }

    // MARK: Circuits

    @Test(arguments: Linkage.allCases)
    func `a circuit opens when enough other kernels have opened theirs`(linkage: Linkage) async throws {
        let settings: JSONObject = ["attempts": 1, "circuitBreaker": true, "circuitFailures": 2]
        let failing = try kernels(linkage, settings, count: 2)
        let healthy = try kernel(linkage, settings, MockTransport())
        _ = try await healthy.send(Request(.get, anywhere))

        for kernel in failing { for _ in 0..<2 { _ = try await kernel.send(Request(.get, anywhere)) } }
        try await opened.opened(for: 3)

        let error = await #expect(throws: PlugboardError.self) { try await healthy.send(Request(.get, anywhere)) }
        #expect(error?.code == .retryCircuitOpen)
        await end(failing + [healthy])
    }

    @Test(arguments: Linkage.allCases)
    func `a kernel that begins later knows the circuits that are open`(linkage: Linkage) async throws {
        let settings: JSONObject = [
            "attempts": 1, "circuitBreaker": true, "circuitFailures": 1, "circuitPeers": 1, "circuitOpenTime": "8s",
        ]
        let failing = try kernel(linkage, settings)
        _ = try await failing.send(Request(.get, anywhere))

        let late = try kernel(linkage, settings, MockTransport())
        _ = try? await late.send(Request(.get, anywhere))
        try await opened.opened(for: 2)
        clock.advance(by: .seconds(7))
        let later = try kernel(linkage, settings, MockTransport())
        for _ in 0..<3 { _ = try await later.send(Request(.get, anywhere)) }

        #expect(opened.admitted == 2)
        await end([failing, late, later])
    }
}
